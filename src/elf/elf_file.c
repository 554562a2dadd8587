/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/elf_file.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	MAX_SEGMENTS = 4096,
	MAX_SECTIONS = 65536,
	MAX_NOTE_BYTES = 64 * 1024,
	MAX_SECTION_BYTES = 512 * 1024 * 1024,
	PLACE_BYTES = 4096, /* address of the first section of a relocatable file; not 0 */
};

struct elf_file {
	Elf *elf;
	int fd; /* -1: in memory */
	const uint8_t *memory;
	uint64_t size;
	uint64_t entry;
	uint16_t machine;
	bool is_64;
	bool swap;
	bool relocatable;
	bool any_type; /* accepts every ELF type, not only executables and shared objects */
	struct elf_build_id build_id;
	struct elf_segments segments;
	bool has_tls;
	struct elf_tls tls;
	VEC(struct elf_section) sections;
	VEC(struct elf_section) code; /* by address */
};

bool elf_file_holds(const struct elf_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

int elf_file_read_at(const struct elf_file *file, uint64_t offset, void *bytes, size_t size,
		     struct err *err)
{
	size_t done = 0;

	if (!elf_file_holds(file, offset, size))
		return err_set(err, -EINVAL, "a part of the ELF file lies beyond its end");
	if (file->memory) {
		memcpy(bytes, file->memory + offset, size);
		return 0;
	}
	while (done < size) {
		ssize_t got =
			pread(file->fd, (char *)bytes + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(err, -errno, "cannot read the ELF file: %m");
		if (got == 0)
			return err_set(err, -EIO, "the ELF file shrank while it was read");
		done += (size_t)got;
	}
	return 0;
}

/* ELF gABI "Note Section". Words and alignment are 4 bytes in both classes, as in the kernel's
 * reader. */
static void parse_notes(struct elf_file *file, const uint8_t *bytes, size_t size)
{
	struct reader reader = elf_file_reader(file, bytes, size);

	while (reader_left(&reader) > 0 && !reader.bad) {
		uint32_t name_size = reader_u32(&reader);
		uint32_t desc_size = reader_u32(&reader);
		uint32_t type = reader_u32(&reader);
		const void *name = reader_bytes(&reader, ((size_t)name_size + 3) & ~(size_t)3);
		const void *desc = reader_bytes(&reader, desc_size);

		if (!name || !desc)
			return;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(name, "GNU", 4) == 0 &&
		    desc_size > 0 && desc_size <= BUILD_ID_MAX) {
			memcpy(file->build_id.bytes, desc, desc_size);
			file->build_id.size = (uint8_t)desc_size;
			return;
		}
		reader_bytes(&reader, -(size_t)desc_size & 3);
	}
}

static void read_notes(struct elf_file *file, const GElf_Phdr *header)
{
	size_t size = header->p_filesz < MAX_NOTE_BYTES ? header->p_filesz : MAX_NOTE_BYTES;
	_cleanup_free_ uint8_t *bytes = xmalloc(size + 1);

	if (file->build_id.size == 0 &&
	    elf_file_read_at(file, header->p_offset, bytes, size, NULL) == 0)
		parse_notes(file, bytes, size);
}

static void take_tls(struct elf_file *file, const GElf_Phdr *header)
{
	file->has_tls = true;
	file->tls = (struct elf_tls){ .address = header->p_vaddr,
				      .size = header->p_memsz,
				      .alignment = header->p_align };
}

static int read_segments(struct elf_file *file, struct err *err)
{
	size_t count;

	if (elf_getphdrnum(file->elf, &count) < 0 || count > MAX_SEGMENTS)
		return err_set(err, -ENOEXEC, "the ELF program headers cannot be read");
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(file->elf, (int)i, &header))
			return err_set(err, -ENOEXEC, "the ELF program headers cannot be read");
		if (header.p_type == PT_NOTE)
			read_notes(file, &header);
		if (header.p_type == PT_TLS)
			take_tls(file, &header);
		if (header.p_type == PT_LOAD)
			*vec_push(&file->segments.list) =
				(struct elf_segment){ .offset = header.p_offset,
						      .size = header.p_filesz,
						      .address = header.p_vaddr,
						      .executable = header.p_flags & PF_X };
	}
	return 0;
}

static int read_header(struct elf_file *file, struct err *err)
{
	const unsigned char host =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	GElf_Ehdr header;

	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &header))
		return err_set(err, -ENOEXEC, "not an ELF file");
	if (!file->any_type && header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return err_set(err, -ENOEXEC, "neither an executable nor a shared object");
	file->machine = header.e_machine;
	file->entry = header.e_entry;
	file->relocatable = header.e_type == ET_REL;
	file->is_64 = header.e_ident[EI_CLASS] == ELFCLASS64;
	file->swap = header.e_ident[EI_DATA] != host;
	return read_segments(file, err);
}

static int finish_open(struct elf_file *made, struct elf_file **ret_file, struct err *err)
{
	_cleanup_(elf_file_freep) struct elf_file *file = made;
	int rc = read_header(file, err);

	if (rc == 0)
		*ret_file = steal_ptr(file);
	return rc;
}

static int open_fd(int fd, bool any_type, struct elf_file **ret_file, struct err *err)
{
	struct elf_file *file;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, -errno, "cannot read the ELF file: %m");
	file = xcalloc(1, sizeof(*file));
	file->fd = fd;
	file->any_type = any_type;
	file->size = (uint64_t)st.st_size;
	elf_version(EV_CURRENT);
	file->elf = elf_begin(fd, ELF_C_READ, NULL);
	return finish_open(file, ret_file, err);
}

int elf_file_open(int fd, struct elf_file **ret_file, struct err *err)
{
	return open_fd(fd, false, ret_file, err);
}

int elf_file_open_any(int fd, struct elf_file **ret_file, struct err *err)
{
	return open_fd(fd, true, ret_file, err);
}

int elf_file_open_memory(const void *bytes, size_t size, struct elf_file **ret_file,
			 struct err *err)
{
	struct elf_file *file = xcalloc(1, sizeof(*file));

	file->fd = -1;
	file->memory = bytes;
	file->size = size;
	elf_version(EV_CURRENT);
	/* libelf does not write here: the handle is never opened for writing */
	file->elf = elf_memory((char *)(uintptr_t)bytes, size);
	return finish_open(file, ret_file, err);
}

void elf_file_free(struct elf_file *file)
{
	if (!file)
		return;
	elf_end(file->elf);
	vec_free(&file->segments.list);
	vec_free(&file->sections);
	vec_free(&file->code);
	free(file);
}

int elf_file_descriptor(const struct elf_file *file)
{
	return file->fd;
}

uint16_t elf_file_machine(const struct elf_file *file)
{
	return file->machine;
}

bool elf_file_is_relocatable(const struct elf_file *file)
{
	return file->relocatable;
}

bool elf_file_is_64(const struct elf_file *file)
{
	return file->is_64;
}

uint64_t elf_file_entry(const struct elf_file *file)
{
	return file->entry;
}

const struct elf_build_id *elf_file_build_id(const struct elf_file *file)
{
	return &file->build_id;
}

bool elf_file_build_id_is(const struct elf_build_id *build_id, const uint8_t *bytes, size_t size)
{
	return build_id->size == size && memcmp(build_id->bytes, bytes, size) == 0;
}

const struct elf_segments *elf_file_segments(const struct elf_file *file)
{
	return &file->segments;
}

bool elf_file_tls(const struct elf_file *file, struct elf_tls *ret_tls)
{
	if (file->has_tls)
		*ret_tls = file->tls;
	return file->has_tls;
}

bool elf_file_address(const struct elf_segments *segments, uint64_t offset, uint64_t *ret_address)
{
	const struct elf_segment *found = NULL;

	for (size_t i = 0; i < segments->list.count; i++) {
		const struct elf_segment *segment = &segments->list.items[i];

		if (offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		if (!found || (segment->executable && !found->executable))
			found = segment;
	}
	if (found)
		*ret_address = found->address + (offset - found->offset);
	return found;
}

/* Returns how many bytes of the piece belong to the segment. */
static uint64_t common_bytes(const struct elf_segment *segment, const struct elf_placed *placed)
{
	uint64_t start = segment->offset > placed->offset ? segment->offset : placed->offset;
	uint64_t in_segment = segment->size - (start - segment->offset);
	uint64_t in_piece = placed->size - (start - placed->offset);

	if (start - segment->offset >= segment->size || start - placed->offset >= placed->size)
		return 0;
	return in_segment < in_piece ? in_segment : in_piece;
}

bool elf_file_bias(const struct elf_segments *segments, const struct elf_placed *placed,
		   uint64_t *ret_bias)
{
	const struct elf_segment *found = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < segments->list.count; i++) {
		const struct elf_segment *segment = &segments->list.items[i];
		uint64_t bytes = common_bytes(segment, placed);

		if (!bytes || (found && found->executable > segment->executable) ||
		    (found && found->executable == segment->executable && bytes <= most))
			continue;
		found = segment;
		most = bytes;
	}
	if (found)
		*ret_bias = placed->address - placed->offset - (found->address - found->offset);
	return found;
}

static void add_section(struct elf_file *file, const GElf_Shdr *header, size_t names)
{
	const char *name = elf_strptr(file->elf, names, header->sh_name);

	*vec_push(&file->sections) = (struct elf_section){ .name = name ? name : "",
							   .type = header->sh_type,
							   .link = header->sh_link,
							   .info = header->sh_info,
							   .flags = header->sh_flags,
							   .address = header->sh_addr,
							   .offset = header->sh_offset,
							   .size = header->sh_size,
							   .entry_size = header->sh_entsize };
}

DEFINE_ORDER(by_address, struct elf_section, COMPARE(a->address, b->address))

/* Leaves out sections that wrap around the address space. */
static void find_code(struct elf_file *file)
{
	const uint64_t flags = SHF_ALLOC | SHF_EXECINSTR;

	file->code.count = 0;
	for (size_t i = 0; i < file->sections.count; i++) {
		const struct elf_section *section = &file->sections.items[i];

		if ((section->flags & flags) == flags && section->size > 0 &&
		    section->address + section->size > section->address)
			*vec_push(&file->code) = *section;
	}
	if (file->code.count > 0)
		qsort(file->code.items, file->code.count, sizeof(struct elf_section), by_address);
}

/* Sections that are empty or not loaded stay at address 0, where no code is. */
static void place_sections(struct elf_file *file)
{
	uint64_t next = PLACE_BYTES;

	for (size_t i = 0; i < file->sections.count; i++) {
		struct elf_section *section = &file->sections.items[i];

		section->address = 0;
		if (!(section->flags & SHF_ALLOC) || section->size == 0 ||
		    section->size > UINT32_MAX)
			continue;
		section->address = next;
		next = (next + section->size + PLACE_BYTES) & -(uint64_t)PLACE_BYTES;
	}
}

/* Files that are never loaded have notes in sections only. */
static void read_note_sections(struct elf_file *file)
{
	for (size_t i = 0; i < file->sections.count && file->build_id.size == 0; i++) {
		const struct elf_section *section = &file->sections.items[i];
		const GElf_Phdr place = { .p_offset = section->offset, .p_filesz = section->size };

		if (section->type == SHT_NOTE)
			read_notes(file, &place);
	}
}

int elf_file_read_sections(struct elf_file *file, struct err *err)
{
	size_t count, names;

	file->sections.count = 0;
	if (elf_getshdrnum(file->elf, &count) < 0 || count > MAX_SECTIONS ||
	    elf_getshdrstrndx(file->elf, &names) < 0)
		return err_set(err, -ENOEXEC, "the ELF section headers cannot be read");
	for (size_t i = 0; i < count; i++) {
		Elf_Scn *section = elf_getscn(file->elf, i);
		GElf_Shdr header;

		if (!section || !gelf_getshdr(section, &header))
			return err_set(err, -ENOEXEC, "the ELF section headers cannot be read");
		add_section(file, &header, names);
	}
	if (file->relocatable)
		place_sections(file);
	find_code(file);
	read_note_sections(file);
	return 0;
}

size_t elf_file_section_count(const struct elf_file *file)
{
	return file->sections.count;
}

const struct elf_section *elf_file_section(const struct elf_file *file, size_t index)
{
	return index < file->sections.count ? &file->sections.items[index] : NULL;
}

const struct elf_section *elf_file_find(const struct elf_file *file, const char *name)
{
	for (size_t i = 0; i < file->sections.count; i++) {
		if (strcmp(file->sections.items[i].name, name) == 0)
			return &file->sections.items[i];
	}
	return NULL;
}

const struct elf_section *elf_file_code(const struct elf_file *file, size_t index)
{
	return index < file->code.count ? &file->code.items[index] : NULL;
}

const struct elf_section *elf_file_code_section(const struct elf_file *file, uint64_t address)
{
	size_t before =
		search_before(file->code.items, file->code.count, item, item->address <= address);

	if (before == 0 ||
	    address - file->code.items[before - 1].address >= file->code.items[before - 1].size)
		return NULL;
	return &file->code.items[before - 1];
}

int elf_file_check(const struct elf_file *file, const struct elf_section *section, struct err *err)
{
	if (section->type == SHT_NOBITS || section->flags & SHF_COMPRESSED)
		return err_set(err, -ENODATA, "section %s has no uncompressed contents",
			       section->name);
	if (section->size > MAX_SECTION_BYTES)
		return err_set(err, -EFBIG, "section %s is larger than %d bytes", section->name,
			       MAX_SECTION_BYTES);
	if (!elf_file_holds(file, section->offset, section->size))
		return err_set(err, -EINVAL, "section %s lies beyond the file's end",
			       section->name);
	return 0;
}

int elf_file_read_into(const struct elf_file *file, const struct elf_section *section, void *bytes,
		       struct err *err)
{
	return elf_file_read_at(file, section->offset, bytes, section->size, err);
}

int elf_file_read(const struct elf_file *file, const struct elf_section *section,
		  uint8_t **ret_bytes, struct err *err)
{
	int rc = elf_file_check(file, section, err);
	_cleanup_free_ uint8_t *bytes = NULL;

	if (rc < 0)
		return rc;
	bytes = xmalloc(section->size + 1);
	rc = elf_file_read_into(file, section, bytes, err);
	if (rc == 0)
		*ret_bytes = steal_ptr(bytes);
	return rc;
}

struct reader elf_file_reader(const struct elf_file *file, const void *bytes, size_t size)
{
	struct reader reader = reader_make(bytes, size);

	reader.swap = file->swap;
	return reader;
}

uint64_t elf_file_word(const struct elf_file *file, struct reader *reader)
{
	return file->is_64 ? reader_u64(reader) : reader_u32(reader);
}

struct elf_relocation elf_file_relocation(const struct elf_file *file, struct reader *reader,
					  bool has_addend)
{
	uint64_t place = elf_file_word(file, reader), info = elf_file_word(file, reader);

	return (struct elf_relocation){
		.place = place,
		.addend = has_addend ? elf_file_word(file, reader) : 0,
		.type = (uint32_t)(file->is_64 ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info)),
		.symbol = (uint32_t)(file->is_64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info)),
	};
}
