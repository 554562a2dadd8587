/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/section_data.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/inflate.h"
#include "base/xalloc.h"
#include "elf/relocation.h"

#define MOST_SECTION_BYTES (4ULL << 30)

enum {
	PIECE_BYTES = 16 * 1024, /* read at a time */
	MEMORY_BYTES = 16 << 20, /* larger compressed contents go to a file */
	MOST_STRING_BYTES = 1 << 20,
	MOST_RELOCATED_BYTES = 1 << 30, /* relocated contents stay in memory */
	/* zlib reaches 1,032:1 at best, zstd rarely more, except for one repeated byte */
	MOST_RATIO = 4096,
	IN_BYTES = 256 * 1024,
};

struct section_data {
	const struct elf_file *file; /* NULL: the contents are in the unnamed file */
	int fd;			     /* the unnamed file; -1: none */
	uint64_t offset, size;	     /* in the file; uncompressed */
	uint8_t *bytes;		     /* an anonymous mapping for the whole section */
	size_t mapped;
	uint8_t *pieces; /* a bit for each piece that was read; NULL: all read, for good */
	size_t held;
	bool swap; /* the file's byte order */
};

/* Missing in the C library's elf.h. */
enum { COMPRESSED_ZSTD = 2 };

static size_t piece_count(const struct section_data *data)
{
	return (size_t)(data->size / PIECE_BYTES + 1);
}

static int map(struct section_data *data, struct err *err)
{
	void *bytes;

	data->mapped = (size_t)data->size + 1;
	bytes = mmap(NULL, data->mapped, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return err_set(err, -errno, "no memory for a section of %llu bytes",
			       (unsigned long long)data->size);
	data->bytes = bytes;
	return 0;
}

/* Contents that are read on demand. */
static int map_on_demand(struct section_data *data, struct err *err)
{
	data->pieces = xcalloc(piece_count(data) / 8 + 1, 1);
	return map(data, err);
}

void section_data_free(struct section_data *data)
{
	if (!data)
		return;
	if (data->bytes)
		munmap(data->bytes, data->mapped);
	cleanup_closep(&data->fd);
	free(data->pieces);
	free(data);
}

/* Compressed input, and where the output goes. */
struct inflating {
	const struct elf_file *file;
	uint64_t offset, left;
	uint8_t *in; /* IN_BYTES, owned */
	struct section_data *data;
	uint64_t done;
};

static int give_in(void *context, const void **ret_bytes, size_t *ret_size)
{
	struct inflating *inflating = context;
	size_t size = inflating->left < IN_BYTES ? (size_t)inflating->left : IN_BYTES;
	int rc = elf_file_read_at(inflating->file, inflating->offset, inflating->in, size, NULL);

	inflating->offset += size;
	inflating->left -= size;
	*ret_bytes = inflating->in;
	*ret_size = size;
	return rc;
}

static int take_out(void *context, const void *bytes, size_t size)
{
	struct inflating *inflating = context;
	struct section_data *data = inflating->data;

	if (data->fd < 0)
		memcpy(data->bytes + inflating->done, bytes, size);
	else if (write(data->fd, bytes, size) != (ssize_t)size)
		return errno ? -errno : -EIO;
	inflating->done += size;
	return 0;
}

/* An unnamed file for large contents. If it cannot be created, the contents go to memory. */
static int open_nameless(void)
{
	int fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : fd;
}

static int inflate_into(struct section_data *data, const struct elf_file *file, uint64_t offset,
			uint64_t size, enum inflate_method method, struct err *err)
{
	_cleanup_free_ uint8_t *in = xmalloc(IN_BYTES);
	struct inflating inflating = {
		.file = file, .offset = offset, .left = size, .in = in, .data = data
	};
	const struct inflate inflate = { .method = method,
					 .source = give_in,
					 .source_context = &inflating,
					 .sink = take_out,
					 .sink_context = &inflating,
					 .most_bytes = data->size };
	int rc;

	if (data->size > MEMORY_BYTES)
		data->fd = open_nameless();
	rc = data->fd < 0 ? map(data, err) : map_on_demand(data, err);
	if (rc == 0)
		rc = inflate_run(&inflate, err);
	if (rc == 0 && inflating.done != data->size)
		rc = err_set(err, -EBADMSG, "a compressed section is shorter than its header says");
	data->held = data->fd < 0 ? (size_t)data->size : 0;
	return rc;
}

static int check_size(uint64_t plain, uint64_t packed, struct err *err)
{
	if (plain > MOST_SECTION_BYTES || plain / MOST_RATIO > packed)
		return err_set(err, -EFBIG, "a section is too large");
	return 0;
}

/* ELF gABI "Section Compression": a header of the file's class and byte order. */
static int open_compressed(struct section_data *data, const struct elf_file *file,
			   const struct elf_section *section, struct err *err)
{
	size_t header_size = elf_file_is_64(file) ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	uint8_t header[sizeof(Elf64_Chdr)] = { 0 };
	struct reader reader = elf_file_reader(file, header, header_size);
	uint32_t type;
	int rc;

	if (section->size < header_size)
		return err_set(err, -EINVAL, "a compressed section has no header");
	rc = elf_file_read_at(file, section->offset, header, header_size, err);
	type = reader_u32(&reader);
	if (elf_file_is_64(file))
		reader_u32(&reader); /* reserved */
	data->size = elf_file_word(file, &reader);
	if (rc == 0)
		rc = check_size(data->size, section->size, err);
	if (rc == 0 && type != ELFCOMPRESS_ZLIB && type != COMPRESSED_ZSTD)
		rc = err_set(err, -ENOTSUP, "section %s has an unknown compression", section->name);
	return rc < 0 ? rc
		      : inflate_into(data, file, section->offset + header_size,
				     section->size - header_size,
				     type == ELFCOMPRESS_ZLIB ? INFLATE_ZLIB : INFLATE_ZSTD, err);
}

/* GNU's older format: .zdebug_*, "ZLIB" and the uncompressed size as a 64-bit big-endian word. */
static int open_zdebug(struct section_data *data, const struct elf_file *file,
		       const struct elf_section *section, struct err *err)
{
	enum { HEADER_SIZE = 12 };
	uint8_t header[HEADER_SIZE];
	int rc;

	if (section->size < HEADER_SIZE)
		return err_set(err, -EINVAL, "a compressed section has no header");
	rc = elf_file_read_at(file, section->offset, header, HEADER_SIZE, err);
	if (rc == 0 && memcmp(header, "ZLIB", 4) != 0)
		rc = err_set(err, -ENOTSUP, "section %s has an unknown compression", section->name);
	for (int i = 4; rc == 0 && i < HEADER_SIZE; i++)
		data->size = data->size << 8 | header[i];
	if (rc == 0)
		rc = check_size(data->size, section->size, err);
	return rc < 0 ? rc
		      : inflate_into(data, file, section->offset + HEADER_SIZE,
				     section->size - HEADER_SIZE, INFLATE_ZLIB, err);
}

static int open_plain(struct section_data *data, const struct elf_file *file,
		      const struct elf_section *section, struct err *err)
{
	data->file = file;
	data->offset = section->offset;
	data->size = section->size;
	return map_on_demand(data, err);
}

/* Reads everything now and never releases it: no file has the relocated contents. */
static int relocate(struct section_data *data, const struct elf_file *file,
		    const struct elf_section *section, struct err *err)
{
	if (data->size > MOST_RELOCATED_BYTES)
		return err_set(err, -EFBIG, "section %s is larger than %d bytes", section->name,
			       MOST_RELOCATED_BYTES);
	if (!section_data_bytes(data, 0, data->size))
		return err_set(err, -EIO, "section %s cannot be read", section->name);
	free(data->pieces);
	data->pieces = NULL;
	data->held = (size_t)data->size;
	return relocation_apply(file, section, data->bytes, data->held, err);
}

int section_data_open(const struct elf_file *file, const struct elf_section *section,
		      struct section_data **ret_data, struct err *err)
{
	_cleanup_(section_data_freep) struct section_data *data = xcalloc(1, sizeof(*data));
	int rc;

	data->fd = -1;
	data->swap = elf_file_reader(file, "", 0).swap;
	if (section->type == SHT_NOBITS)
		return err_set(err, -ENODATA, "section %s has no contents", section->name);
	if (!elf_file_holds(file, section->offset, section->size))
		return err_set(err, -EINVAL, "section %s lies beyond the file's end",
			       section->name);
	if (section->flags & SHF_COMPRESSED)
		rc = open_compressed(data, file, section, err);
	else if (strncmp(section->name, ".zdebug", 7) == 0)
		rc = open_zdebug(data, file, section, err);
	else
		rc = open_plain(data, file, section, err);
	if (rc == 0 && relocation_is_wanted(file, section))
		rc = relocate(data, file, section, err);
	if (rc == 0)
		*ret_data = steal_ptr(data);
	return rc;
}

uint64_t section_data_size(const struct section_data *data)
{
	return data ? data->size : 0;
}

static bool is_read(const struct section_data *data, size_t piece)
{
	return data->pieces[piece / 8] >> piece % 8 & 1;
}

static bool read_piece(struct section_data *data, size_t piece)
{
	uint64_t start = (uint64_t)piece * PIECE_BYTES;
	size_t size = data->size - start < PIECE_BYTES ? (size_t)(data->size - start) : PIECE_BYTES;

	if (data->file) {
		if (elf_file_read_at(data->file, data->offset + start, data->bytes + start, size,
				     NULL) < 0)
			return false;
	} else if (pread(data->fd, data->bytes + start, size, (off_t)start) != (ssize_t)size) {
		return false;
	}
	data->pieces[piece / 8] |= (uint8_t)(1 << piece % 8);
	data->held += PIECE_BYTES;
	return true;
}

const uint8_t *section_data_bytes(struct section_data *data, uint64_t offset, uint64_t size)
{
	if (!data || offset > data->size || size > data->size - offset)
		return NULL;
	if (data->pieces && size > 0) {
		size_t last = (size_t)((offset + size - 1) / PIECE_BYTES);

		for (size_t piece = (size_t)(offset / PIECE_BYTES); piece <= last; piece++) {
			if (!is_read(data, piece) && !read_piece(data, piece))
				return NULL;
		}
	}
	return data->bytes + offset;
}

struct reader section_data_reader(struct section_data *data, uint64_t offset, uint64_t size)
{
	const uint8_t *bytes = section_data_bytes(data, offset, size);

	if (!bytes)
		return (struct reader){ .bad = true };
	return (struct reader){ .at = bytes, .end = bytes + size, .swap = data->swap };
}

struct reader section_data_tail(struct section_data *data, uint64_t offset, uint64_t most)
{
	uint64_t left = section_data_size(data);

	left = offset < left ? left - offset : 0;
	return section_data_reader(data, offset, left < most ? left : most);
}

const char *section_data_string(struct section_data *data, uint64_t offset)
{
	uint64_t size = section_data_size(data);

	for (uint64_t end = offset; end < size && end - offset < MOST_STRING_BYTES;) {
		uint64_t next = (end / PIECE_BYTES + 1) * PIECE_BYTES;
		const uint8_t *bytes;

		next = next < size ? next : size;
		bytes = section_data_bytes(data, end, next - end);
		if (!bytes)
			break;
		if (memchr(bytes, '\0', next - end))
			return (const char *)data->bytes + offset;
		end = next;
	}
	return "";
}

void section_data_forget(struct section_data *data)
{
	if (!data || !data->pieces || data->held == 0)
		return;
	madvise(data->bytes, data->mapped, MADV_DONTNEED);
	memset(data->pieces, 0, piece_count(data) / 8 + 1);
	data->held = 0;
}

size_t section_data_held(const struct section_data *data)
{
	return data ? data->held : 0;
}
