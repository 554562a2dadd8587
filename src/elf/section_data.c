/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/section_data.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/stream.h"
#include "base/xalloc.h"
#include "elf/symbol_index.h"

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
			uint64_t size, enum stream_method method, struct err *err)
{
	_cleanup_free_ uint8_t *in = xmalloc(IN_BYTES);
	struct inflating inflating = {
		.file = file, .offset = offset, .left = size, .in = in, .data = data
	};
	const struct stream_inflate inflate = { .method = method,
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
		rc = stream_inflate(&inflate, err);
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
				     type == ELFCOMPRESS_ZLIB ? STREAM_ZLIB : STREAM_ZSTD, err);
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
				     section->size - HEADER_SIZE, STREAM_ZLIB, err);
}

static int open_plain(struct section_data *data, const struct elf_file *file,
		      const struct elf_section *section, struct err *err)
{
	data->file = file;
	data->offset = section->offset;
	data->size = section->size;
	return map_on_demand(data, err);
}

/* ---- relocations ---- */

/* Only what occurs in debug information (addresses and offsets), numbered as in the processor
 * supplements of the ELF ABI. */
enum operation { SKIP, SET, ADD, SUB };

/* SKIP: no effect, or an offset of a thread-local variable. */
static const struct kind {
	uint16_t machine;
	uint32_t type;
	enum operation operation;
	unsigned size;
} kinds[] = {
	{ EM_X86_64, R_X86_64_NONE, SKIP, 0 },
	{ EM_X86_64, R_X86_64_64, SET, 8 },
	{ EM_X86_64, R_X86_64_32, SET, 4 },
	{ EM_X86_64, R_X86_64_32S, SET, 4 },
	{ EM_X86_64, R_X86_64_DTPOFF32, SKIP, 4 },
	{ EM_X86_64, R_X86_64_DTPOFF64, SKIP, 8 },
	{ EM_386, R_386_NONE, SKIP, 0 },
	{ EM_386, R_386_32, SET, 4 },
	{ EM_386, R_386_TLS_LDO_32, SKIP, 4 },
	{ EM_AARCH64, R_AARCH64_NONE, SKIP, 0 },
	{ EM_AARCH64, R_AARCH64_ABS64, SET, 8 },
	{ EM_AARCH64, R_AARCH64_ABS32, SET, 4 },
	{ EM_AARCH64, R_AARCH64_TLS_DTPREL, SKIP, 8 },
	{ EM_ARM, R_ARM_NONE, SKIP, 0 },
	{ EM_ARM, R_ARM_ABS32, SET, 4 },
	{ EM_PPC64, R_PPC64_NONE, SKIP, 0 },
	{ EM_PPC64, R_PPC64_ADDR64, SET, 8 },
	{ EM_PPC64, R_PPC64_ADDR32, SET, 4 },
	{ EM_S390, R_390_NONE, SKIP, 0 },
	{ EM_S390, R_390_64, SET, 8 },
	{ EM_S390, R_390_32, SET, 4 },
	{ EM_RISCV, R_RISCV_NONE, SKIP, 0 },
	{ EM_RISCV, R_RISCV_64, SET, 8 },
	{ EM_RISCV, R_RISCV_32, SET, 4 },
	{ EM_RISCV, R_RISCV_ADD8, ADD, 1 },
	{ EM_RISCV, R_RISCV_ADD16, ADD, 2 },
	{ EM_RISCV, R_RISCV_ADD32, ADD, 4 },
	{ EM_RISCV, R_RISCV_ADD64, ADD, 8 },
	{ EM_RISCV, R_RISCV_SUB8, SUB, 1 },
	{ EM_RISCV, R_RISCV_SUB16, SUB, 2 },
	{ EM_RISCV, R_RISCV_SUB32, SUB, 4 },
	{ EM_RISCV, R_RISCV_SUB64, SUB, 8 },
	{ EM_RISCV, R_RISCV_SET8, SET, 1 },
	{ EM_RISCV, R_RISCV_SET16, SET, 2 },
	{ EM_RISCV, R_RISCV_SET32, SET, 4 },
};

/* A section being completed. */
struct job {
	const struct elf_file *file;
	uint8_t *bytes;
	size_t size;
	const uint8_t *symbols;
	size_t symbols_size;
	bool has_addend; /* false: addends are in the section */
};

static bool is_table_of(const struct elf_file *file, size_t index,
			const struct elf_section *section)
{
	const struct elf_section *table = elf_file_section(file, index);

	return (table->type == SHT_RELA || table->type == SHT_REL) && table->size > 0 &&
	       elf_file_section(file, table->info) == section;
}

static bool wants_relocation(const struct elf_file *file, const struct elf_section *section)
{
	for (size_t i = 0; elf_file_is_relocatable(file) && i < elf_file_section_count(file); i++) {
		if (is_table_of(file, i, section))
			return true;
	}
	return false;
}

static const struct kind *find_kind(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].machine == machine && kinds[i].type == type)
			return &kinds[i];
	}
	return NULL;
}

/* True if numbers are stored with the low byte first. */
static bool is_little(const struct job *job)
{
	bool host = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	return host != elf_file_reader(job->file, "", 0).swap;
}

static uint64_t get(const struct job *job, uint64_t offset, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++) {
		unsigned at = is_little(job) ? size - 1 - i : i;

		value = value << 8 | job->bytes[offset + at];
	}
	return value;
}

static void put(const struct job *job, uint64_t offset, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++) {
		unsigned at = is_little(job) ? i : size - 1 - i;

		job->bytes[offset + at] = (uint8_t)value;
		value >>= 8;
	}
}

/* The address a symbol stands for. False: it is not defined here. */
static bool find_symbol(const struct job *job, uint32_t index, uint64_t *ret_address)
{
	size_t size = elf_file_is_64(job->file) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct elf_symbol symbol;
	struct reader reader;

	if (index >= job->symbols_size / size)
		return false;
	reader = elf_file_reader(job->file, job->symbols + index * size, size);
	symbol = symbol_index_next(elf_file_is_64(job->file), &reader);
	return symbol_index_address(job->file, &symbol, ret_address);
}

static int apply(const struct job *job, const struct elf_relocation *entry, struct err *err)
{
	uint16_t machine = elf_file_machine(job->file);
	const struct kind *kind = find_kind(machine, entry->type);
	uint64_t value = 0, there;

	if (!kind)
		return err_set(err, -ENOTSUP,
			       "its debug information has relocations of an unknown type (machine "
			       "%u, type %u)",
			       machine, entry->type);
	if (kind->operation == SKIP)
		return 0;
	if (entry->place > job->size || kind->size > job->size - entry->place)
		return err_set(err, -EINVAL, "a relocation lies outside its section");
	there = get(job, entry->place, kind->size);
	if (find_symbol(job, entry->symbol, &value))
		value += kind->operation == SET && !job->has_addend ? there : entry->addend;
	if (kind->operation != SET)
		value = kind->operation == ADD ? there + value : there - value;
	put(job, entry->place, kind->size, value);
	return 0;
}

static int apply_table(struct job *job, const struct elf_section *table, struct err *err)
{
	const struct elf_section *symtab = elf_file_section(job->file, table->link);
	_cleanup_free_ uint8_t *symbols = NULL, *bytes = NULL;
	struct reader reader;
	int rc;

	if (!symtab || symtab->type != SHT_SYMTAB)
		return err_set(err, -EINVAL, "relocations without symbols");
	rc = elf_file_read(job->file, symtab, &symbols, err);
	if (rc == 0)
		rc = elf_file_read(job->file, table, &bytes, err);
	if (rc < 0)
		return rc;
	job->symbols = symbols;
	job->symbols_size = symtab->size;
	job->has_addend = table->type == SHT_RELA;
	reader = elf_file_reader(job->file, bytes, table->size);
	while (rc == 0) {
		struct elf_relocation entry =
			elf_file_relocation(job->file, &reader, job->has_addend);

		if (reader.bad)
			break;
		rc = apply(job, &entry, err);
	}
	return rc;
}

/* Applies the relocations that a linker would still apply to a section of a relocatable file.
 * @bytes: the whole section uncompressed. Sections are where elf_file.h places them; a reference to
 * anything else becomes 0. -ENOTSUP: unknown relocation type; using the section would give wrong
 * values. */
static int apply_relocations(const struct elf_file *file, const struct elf_section *section,
			     void *bytes, size_t size, struct err *err)
{
	struct job job = { .file = file, .bytes = bytes, .size = size };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < elf_file_section_count(file); i++) {
		if (is_table_of(file, i, section))
			rc = apply_table(&job, elf_file_section(file, i), err);
	}
	return rc;
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
	return apply_relocations(file, section, data->bytes, data->held, err);
}

/* ---- the contents ---- */

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
	if (rc == 0 && wants_relocation(file, section))
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
