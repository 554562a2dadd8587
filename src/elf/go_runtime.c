/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/go_runtime.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/section_data.h"
#include "elf/symbol_index.h"

enum {
	/* .gopclntab begins with 0xfffffff. in every version since Go 1.2 */
	TABLE_MAGIC_SHIFT = 4,
	INFO_MAGIC_BYTES = 14,
	INFO_HEADER_BYTES = 32,
	INFO_INLINE = 2, /* flag: the version string follows the header, since Go 1.18 */
	MAX_VERSION_BYTES = 256,
	WORD = 8,
	MAX_DYNAMIC_BYTES = 1 << 16,
	MINOR_REGISTERS = 17, /* the first release with ABIInternal's registers on x86-64 */
};

/* Go releases whose g has the same layout up to goid. */
struct layout {
	uint16_t first, last; /* Go 1.first to 1.last */
	uint32_t goid;
};

static const struct layout layouts[] = {
	{ 9, 22, 152 },
	{ 23, 24, 160 }, /* syscallbp was added */
	{ 25, 27, 152 }, /* gobuf.ret was removed */
};

/* struct g begins with its stack: lo, hi. Since Go 1.4. */
enum { STACK_HI = WORD, MINOR_STACK_FIRST = 5 };

/* ---- version ---- */

/* Reads bytes at an address that the file backs: the version string and its header. */
static bool read_at_address(const struct elf_file *file, uint64_t address, void *bytes, size_t size)
{
	const struct elf_segments *segments = elf_file_segments(file);

	for (size_t i = 0; i < segments->list.count; i++) {
		const struct elf_segment *segment = &segments->list.items[i];

		if (address >= segment->address && address - segment->address < segment->size &&
		    size <= segment->size - (address - segment->address))
			return elf_file_read_at(file, segment->offset + address - segment->address,
						bytes, size, NULL) == 0;
	}
	return false;
}

/* Go 1.13 to 1.17: a string header has the address of the bytes and their count. */
static bool version_by_address(const struct elf_file *file, uint64_t header_at,
			       char text[MAX_VERSION_BYTES])
{
	uint8_t header[2 * WORD];
	struct reader reader;
	uint64_t at, size;

	if (!read_at_address(file, header_at, header, sizeof(header)))
		return false;
	reader = elf_file_reader(file, header, sizeof(header));
	at = reader_u64(&reader);
	size = reader_u64(&reader);
	if (size >= MAX_VERSION_BYTES || !read_at_address(file, at, text, size))
		return false;
	text[size] = '\0';
	return true;
}

static bool version_inline(struct reader *reader, char text[MAX_VERSION_BYTES])
{
	uint64_t size = reader_uleb(reader);
	const void *bytes = size < MAX_VERSION_BYTES ? reader_bytes(reader, size) : NULL;

	if (!bytes)
		return false;
	memcpy(text, bytes, size);
	text[size] = '\0';
	return true;
}

static bool read_version(const struct elf_file *file, char text[MAX_VERSION_BYTES])
{
	static const char magic[INFO_MAGIC_BYTES + 1] = "\xff Go buildinf:";
	const struct elf_section *section = elf_file_find(file, ".go.buildinfo");
	uint8_t bytes[INFO_HEADER_BYTES + 2 + MAX_VERSION_BYTES];
	struct reader reader;
	const void *start;
	uint8_t word, flags;
	uint64_t header_at;
	size_t size;

	if (!section || section->size < INFO_HEADER_BYTES)
		return false;
	size = section->size < sizeof(bytes) ? section->size : sizeof(bytes);
	if (elf_file_read_at(file, section->offset, bytes, size, NULL) < 0)
		return false;
	reader = elf_file_reader(file, bytes, size);
	start = reader_bytes(&reader, INFO_MAGIC_BYTES);
	word = reader_u8(&reader);
	flags = reader_u8(&reader);
	header_at = reader_u64(&reader);
	reader_u64(&reader); /* of the module information */
	if (!start || memcmp(start, magic, INFO_MAGIC_BYTES) != 0)
		return false;
	if (flags & INFO_INLINE)
		return version_inline(&reader, text);
	return word == WORD && version_by_address(file, header_at, text);
}

/* "go1.19.8", "go1.22rc1", "go1.23.4 X:boringcrypto". Builds between releases ("devel ...",
 * "go1.25-devel_...") may have any layout. */
static uint16_t release_of(const char *version)
{
	static const char prefix[] = "go1.";
	unsigned long minor;
	char *end;

	if (strncmp(version, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	version += sizeof(prefix) - 1;
	if (*version < '0' || *version > '9')
		return 0;
	minor = strtoul(version, &end, 10);
	return minor <= UINT16_MAX && *end != '-' ? (uint16_t)minor : 0;
}

static void take_layout(struct go_runtime *runtime)
{
	if (runtime->minor >= MINOR_STACK_FIRST) {
		runtime->has_stack_hi = true;
		runtime->stack_hi = STACK_HI;
	}
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (runtime->minor >= layouts[i].first && runtime->minor <= layouts[i].last) {
			runtime->has_goid = true;
			runtime->goid = layouts[i].goid;
		}
	}
}

/* ---- where g is ---- */

/* True for a program itself: its thread-local variables lie directly below the thread pointer.
 * Those of shared objects lie where the dynamic linker finds room. */
static bool is_program(const struct elf_file *file)
{
	const struct elf_section *dynamic = elf_file_find(file, ".dynamic");
	struct section_data *data;
	struct reader reader;
	bool found = false;

	if (!dynamic || elf_file_find(file, ".interp"))
		return true;
	if (section_data_open(file, dynamic, &data, NULL) < 0)
		return false;
	reader = section_data_tail(data, 0, MAX_DYNAMIC_BYTES);
	while (!found && reader_left(&reader) > 0 && !reader.bad) {
		uint64_t tag = reader_u64(&reader), value = reader_u64(&reader);

		found = tag == DT_FLAGS_1 && value & DF_1_PIE;
	}
	section_data_free(data);
	return found;
}

/* Finds the variable that holds g: its offset in this file's thread-local variables. */
static bool find_variable(const struct elf_file *file, uint64_t *ret_offset)
{
	struct symbol_index index = { 0 };
	bool found = false;

	symbol_index_read_labels(&index, file);
	for (size_t i = 0; i < index.list.count && !found; i++) {
		const struct symbol_entry *entry = &index.list.items[i];

		found = ELF64_ST_TYPE(entry->info) == STT_TLS &&
			strcmp(symbol_index_name(&index, entry->name), "runtime.tlsg") == 0;
		*ret_offset = entry->start;
	}
	symbol_index_done(&index);
	return found;
}

/* "ELF Handling For Thread-Local Storage", variant II: the variables end at the thread pointer.
 * Go's own linker writes no PT_TLS into static programs; those have room for g only. */
static bool find_tls(const struct elf_file *file, int64_t *ret_tls)
{
	struct elf_tls tls;
	uint64_t variable = 0, size;

	if (!is_program(file))
		return false;
	if (!elf_file_tls(file, &tls))
		tls = (struct elf_tls){ .size = WORD, .alignment = WORD };
	if (tls.alignment == 0)
		tls.alignment = 1;
	if (tls.size < WORD || tls.size > INT32_MAX || tls.alignment > INT32_MAX ||
	    tls.alignment & (tls.alignment - 1) || tls.address & (tls.alignment - 1))
		return false;
	if (tls.size > WORD && !find_variable(file, &variable))
		return false;
	if (variable > tls.size - WORD)
		return false;
	size = (tls.size + tls.alignment - 1) & ~(tls.alignment - 1);
	*ret_tls = (int64_t)variable - (int64_t)size;
	return true;
}

static void find_g(const struct elf_file *file, struct go_runtime *runtime)
{
	if (runtime->machine == EM_AARCH64)
		runtime->g_register = GO_G_X28;
	if (runtime->machine != EM_X86_64)
		return;
	if (runtime->minor >= MINOR_REGISTERS)
		runtime->g_register = GO_G_R14;
	runtime->has_g_tls = find_tls(file, &runtime->g_tls);
}

static bool is_go(const struct elf_file *file)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct elf_section *section = elf_file_find(file, names[i]);
		uint8_t bytes[sizeof(uint32_t)];
		struct reader reader;

		if (!section || elf_file_read_at(file, section->offset, bytes, sizeof(bytes), NULL))
			continue;
		reader = elf_file_reader(file, bytes, sizeof(bytes));
		if (reader_u32(&reader) >> TABLE_MAGIC_SHIFT == UINT32_MAX >> TABLE_MAGIC_SHIFT)
			return true;
	}
	return false;
}

bool go_runtime_read(const struct elf_file *file, struct go_runtime *ret_runtime)
{
	struct go_runtime runtime = { .machine = elf_file_machine(file) };
	char version[MAX_VERSION_BYTES] = "";

	if (!elf_file_is_64(file) || !is_go(file))
		return false;
	if (read_version(file, version))
		runtime.minor = release_of(version);
	take_layout(&runtime);
	find_g(file, &runtime);
	*ret_runtime = runtime;
	return true;
}
