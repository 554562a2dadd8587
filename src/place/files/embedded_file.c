/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/embedded_file.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/reader.h"
#include "base/scan.h"
#include "base/xalloc.h"

enum {
	PAGE_BYTES = 4096, /* the smallest page of any machine */
	MOST_BACK = 256 * 1024 * 1024,
	MOST_BYTES = 1024 * 1024 * 1024,
	MOST_PROGRAM_HEADERS = 256,
	MOST_TRIED = 256, /* ELF headers on the way back */
	CHUNK_BYTES = 64 * 1024,
};

/* A table of program or section headers. */
struct header_table {
	uint64_t offset;
	uint16_t entry_size, count;
};

struct headers {
	struct header_table programs, sections;
	bool is_64, swap;
};

/* A range of the embedded file. */
struct part {
	uint64_t offset, size;
	bool loaded;
};

/* False: the file does not have all of these bytes. */
static bool read_at(int fd, uint64_t offset, void *bytes, size_t size)
{
	size_t done = 0;

	if (offset > INT64_MAX - size)
		return false;
	while (done < size) {
		ssize_t got = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static uint64_t word(const struct headers *headers, struct reader *reader)
{
	return headers->is_64 ? reader_u64(reader) : reader_u32(reader);
}

/* True if the bytes at @base are the beginning of an ELF file. */
static bool is_elf(int fd, uint64_t base)
{
	char magic[SELFMAG];

	return read_at(fd, base, magic, SELFMAG) && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* ELF gABI "ELF Header". */
static bool read_headers(int fd, uint64_t base, struct headers *ret_headers)
{
	const uint8_t host = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	uint8_t bytes[sizeof(Elf64_Ehdr)] = { 0 };
	struct reader reader = reader_make(bytes, sizeof(bytes));
	struct headers headers = { .is_64 = false };

	if (!is_elf(fd, base) || !read_at(fd, base, bytes, sizeof(bytes)))
		return false;
	headers.is_64 = bytes[EI_CLASS] == ELFCLASS64;
	reader.swap = headers.swap = bytes[EI_DATA] != host;
	reader_bytes(&reader, EI_NIDENT + 2 * sizeof(uint16_t) + sizeof(uint32_t));
	word(&headers, &reader); /* e_entry */
	headers.programs.offset = word(&headers, &reader);
	headers.sections.offset = word(&headers, &reader);
	reader_bytes(&reader, sizeof(uint32_t) + sizeof(uint16_t)); /* e_flags, e_ehsize */
	headers.programs.entry_size = reader_u16(&reader);
	headers.programs.count = reader_u16(&reader);
	headers.sections.entry_size = reader_u16(&reader);
	headers.sections.count = reader_u16(&reader);
	*ret_headers = headers;
	return true;
}

/* ELF gABI "Program Header". */
static struct part program_part(const struct headers *headers, struct reader *entry)
{
	struct part part = { .loaded = reader_u32(entry) == PT_LOAD };

	if (headers->is_64)
		reader_u32(entry); /* p_flags */
	part.offset = word(headers, entry);
	word(headers, entry); /* p_vaddr */
	word(headers, entry); /* p_paddr */
	part.size = word(headers, entry);
	return part;
}

/* ELF gABI "Section Header". */
static struct part section_part(const struct headers *headers, struct reader *entry)
{
	struct part part = { .loaded = false };
	uint32_t type;

	reader_u32(entry); /* sh_name */
	type = reader_u32(entry);
	word(headers, entry); /* sh_flags */
	word(headers, entry); /* sh_addr */
	part.offset = word(headers, entry);
	part.size = word(headers, entry);
	if (type == SHT_NOBITS)
		part.size = 0;
	return part;
}

typedef struct part part_fn(const struct headers *headers, struct reader *entry);
typedef void visit_fn(void *context, const struct part *part);

/* Visits the parts of a table, and the table itself. False: it cannot be read. */
static bool visit_table(int fd, uint64_t base, const struct headers *headers,
			const struct header_table *table, part_fn *part_of, visit_fn *visit,
			void *context)
{
	uint8_t bytes[sizeof(Elf64_Shdr)] = { 0 }; /* the largest entry */
	size_t size = table->entry_size < sizeof(bytes) ? table->entry_size : sizeof(bytes);
	struct part part = { .offset = table->offset,
			     .size = (uint64_t)table->entry_size * table->count };

	if (table->offset > MOST_BYTES)
		return false;
	visit(context, &part);
	for (uint16_t i = 0; i < table->count; i++) {
		uint64_t place = table->offset + (uint64_t)i * table->entry_size;
		struct reader entry = reader_make(bytes, size);

		entry.swap = headers->swap;
		if (!read_at(fd, base + place, bytes, size))
			return false;
		part = part_of(headers, &entry);
		if (entry.bad)
			return false;
		visit(context, &part);
	}
	return true;
}

/* ---- where it begins ---- */

struct cover {
	uint64_t offset;
	bool found;
};

/* Segments are mapped by whole pages. */
static void look_for_cover(void *context, const struct part *part)
{
	struct cover *cover = context;
	uint64_t start = part->offset & -(uint64_t)PAGE_BYTES;

	cover->found |= part->loaded && cover->offset >= start &&
			cover->offset - start < part->size + (part->offset - start);
}

static bool covers(int fd, uint64_t base, uint64_t offset)
{
	struct cover cover = { .offset = offset - base };
	struct headers headers;

	return read_headers(fd, base, &headers) && headers.programs.count <= MOST_PROGRAM_HEADERS &&
	       visit_table(fd, base, &headers, &headers.programs, program_part, look_for_cover,
			   &cover) &&
	       cover.found;
}

bool embedded_file_find(int fd, uint64_t offset, uint64_t *ret_base)
{
	uint64_t first = offset > MOST_BACK ? offset - MOST_BACK : 0;
	int tried = 0;

	for (uint64_t base = offset & -(uint64_t)PAGE_BYTES;
	     base > 0 && base >= first && tried < MOST_TRIED; base -= PAGE_BYTES) {
		if (!is_elf(fd, base))
			continue;
		if (covers(fd, base, offset)) {
			*ret_base = base;
			return true;
		}
		tried++;
	}
	return false;
}

/* ---- copies ---- */

static void extend(void *context, const struct part *part)
{
	uint64_t *end = context;

	if (part->offset > MOST_BYTES || part->size > MOST_BYTES)
		*end = UINT64_MAX;
	else if (part->offset + part->size > *end)
		*end = part->offset + part->size;
}

/* The sections may be damaged or beyond the end; the segments suffice. */
static uint64_t size_of(int fd, uint64_t base)
{
	uint64_t size = sizeof(Elf64_Ehdr), whole;
	struct headers headers;

	if (!read_headers(fd, base, &headers) ||
	    !visit_table(fd, base, &headers, &headers.programs, program_part, extend, &size))
		return 0;
	whole = size;
	if (!visit_table(fd, base, &headers, &headers.sections, section_part, extend, &whole))
		return size;
	return whole;
}

static int copy_bytes(int from, uint64_t base, uint64_t size, int to)
{
	_cleanup_free_ uint8_t *chunk = xmalloc(CHUNK_BYTES);

	for (uint64_t done = 0; done < size;) {
		size_t wanted = size - done < CHUNK_BYTES ? (size_t)(size - done) : CHUNK_BYTES;
		int rc;

		if (!read_at(from, base + done, chunk, wanted))
			return -ENOEXEC;
		rc = file_write(to, chunk, wanted);
		if (rc < 0)
			return rc;
		done += wanted;
	}
	return 0;
}

/* It stays ours if we may not change its owner. */
static void set_owner(int copy, const struct stat *st)
{
	(void)fchmod(copy, st->st_mode & 0666);
	if (fchown(copy, st->st_uid, (gid_t)-1) < 0)
		return;
}

static int take_identity(int copy, struct file_identity *identity)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	int rc = elf_file_open(copy, &file, NULL);

	if (rc < 0)
		return rc;
	identity->build_id = *elf_file_build_id(file);
	identity->elf = identity->copy = true;
	return 0;
}

int embedded_file_copy(int fd, uint64_t base, struct file_identity *identity)
{
	uint64_t size = size_of(fd, base);
	_cleanup_close_ int copy = -1;
	struct stat st;
	int rc;

	if (size == 0)
		return -ENOEXEC;
	if (size > MOST_BYTES)
		return -EFBIG;
	if (fstat(fd, &st) < 0)
		return -errno;
	copy = memfd_create("prospect-embedded", MFD_CLOEXEC);
	if (copy < 0)
		return -errno;
	rc = copy_bytes(fd, base, size, copy);
	if (rc == 0)
		rc = take_identity(copy, identity);
	if (rc < 0)
		return rc;
	set_owner(copy, &st);
	return steal_fd(copy);
}

/* ---- names ---- */

char *embedded_file_name(const char *container, uint64_t base)
{
	return xasprintf("%s!0x%" PRIx64, container, base);
}

bool embedded_file_parse(const char *name, char **ret_container, uint64_t *ret_base)
{
	const char *mark = strrchr(name, '!');
	uint64_t base;

	if (!mark || strncmp(mark, "!0x", 3) != 0 || !scan_whole_number(mark + 1, 16, &base) ||
	    base == 0)
		return false;
	*ret_container = xmemdup(name, (size_t)(mark - name) + 1);
	(*ret_container)[mark - name] = '\0';
	*ret_base = base;
	return true;
}
