/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our BPF program (bpf/kernel_text.bpf.c) is attached to nothing and runs only for a read.
 * /proc/kcore is the kernel's memory as an ELF core file (proc(5)), whose PT_LOAD segments have the
 * addresses the kernel runs at. Not every kernel has it.
 */
#include "place/kernel/kernel_text.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/reader.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/kernel_text.skel.h"
#include "bpf/kernel_text_wire.h"
#include "perf/bpf_load.h"

/* One per range of memory; machines with many memory banks have some hundreds. */
enum { MAX_SEGMENTS = 16384 };

struct segment {
	uint64_t address, size, offset;
};

/* One of two sources. */
struct kernel_text {
	struct kernel_text_bpf *bpf; /* NULL: /proc/kcore */
	int kcore;
	VEC(struct segment) segments; /* of kcore */
};

/* --- by our BPF program --- */

static const struct bpf_load_words load_words = {
	.doing = "loading a BPF program",
	.programs = "a BPF program that reads kernel memory",
	.release = "5.14",
};

int kernel_text_open_bpf(struct kernel_text **ret_text, struct err *err)
{
	BPF_LOAD_QUIETLY;
	struct kernel_text_bpf *bpf = kernel_text_bpf__open();
	struct kernel_text *text;
	int rc = bpf ? kernel_text_bpf__load(bpf) : -errno;

	if (rc < 0) {
		kernel_text_bpf__destroy(bpf);
		return bpf_load_explain(&load_words, rc, err);
	}
	text = xcalloc(1, sizeof(*text));
	text->bpf = bpf;
	text->kcore = -1;
	*ret_text = text;
	return 0;
}

static int read_chunk(struct kernel_text_bpf *bpf, uint64_t address, void *bytes, size_t size)
{
	struct kernel_text_request request = { .address = address, .size = (uint32_t)size };
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &request, .ctx_size_in = sizeof(request));
	int rc = bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.kernel_text_read), &options);

	if (rc < 0)
		return rc;
	/* -EFAULT, or -ERANGE for an address outside the kernel */
	if (options.retval != 0)
		return -EFAULT;
	memcpy(bytes, bpf->bss->chunk, size);
	return 0;
}

static int read_chunks(struct kernel_text_bpf *bpf, uint64_t address, void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		size_t part = size - done < KERNEL_TEXT_CHUNK ? size - done : KERNEL_TEXT_CHUNK;
		int rc = read_chunk(bpf, address + done, (char *)bytes + done, part);

		if (rc < 0)
			return rc;
		done += part;
	}
	return 0;
}

/* --- from /proc/kcore --- */

/* All or nothing. */
static int read_at(int fd, uint64_t offset, void *bytes, size_t size)
{
	size_t done = 0;

	if (offset > INT64_MAX - size)
		return -EFAULT;
	while (done < size) {
		ssize_t got = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -EFAULT;
		done += (size_t)got;
	}
	return 0;
}

/* Where the program headers are: count and offset. */
struct header {
	uint64_t offset;
	uint16_t count;
};

static bool parse_header(struct reader *reader, struct header *ret_header)
{
	const uint8_t *ident = reader_bytes(reader, EI_NIDENT);
	uint16_t type = reader_u16(reader), entry;

	reader_bytes(reader, 2 + 4 + 8); /* machine, version, entry */
	ret_header->offset = reader_u64(reader);
	reader_bytes(reader, 8 + 4 + 2); /* section headers, flags, size of this header */
	entry = reader_u16(reader);
	ret_header->count = reader_u16(reader);
	return ident && !reader->bad && memcmp(ident, ELFMAG, SELFMAG) == 0 &&
	       ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB && type == ET_CORE &&
	       entry == sizeof(Elf64_Phdr) && ret_header->count <= MAX_SEGMENTS;
}

static void parse_segment(struct kernel_text *text, struct reader *reader)
{
	uint32_t type = reader_u32(reader);
	struct segment segment;

	reader_u32(reader); /* flags */
	segment.offset = reader_u64(reader);
	segment.address = reader_u64(reader);
	reader_u64(reader); /* physical address */
	segment.size = reader_u64(reader);
	reader_bytes(reader, 8 + 8); /* size in memory, alignment */
	if (type == PT_LOAD && !reader->bad)
		*vec_push(&text->segments) = segment;
}

static int read_segments(struct kernel_text *text, struct err *err)
{
	uint8_t start[sizeof(Elf64_Ehdr)];
	int rc = read_at(text->kcore, 0, start, sizeof(start));
	struct reader reader = reader_make(start, rc < 0 ? 0 : sizeof(start));
	_cleanup_free_ uint8_t *bytes = NULL;
	struct header header;
	size_t size;

	if (rc < 0 && rc != -EFAULT)
		return err_set(err, rc, "cannot read /proc/kcore: %s", strerror(-rc));
	if (!parse_header(&reader, &header))
		return err_set(err, -ENOEXEC, "/proc/kcore is not a core file of this machine");
	size = header.count * sizeof(Elf64_Phdr);
	bytes = xmalloc(size + 1);
	if (read_at(text->kcore, header.offset, bytes, size) < 0)
		return err_set(err, -ENOEXEC, "/proc/kcore has no program headers");
	reader = reader_make(bytes, size);
	for (size_t i = 0; i < header.count; i++)
		parse_segment(text, &reader);
	return 0;
}

static int explain_open(int rc, struct err *err)
{
	if (rc == -ENOENT)
		return err_set(err, rc, "this kernel has no /proc/kcore");
	if (rc == -EACCES || rc == -EPERM)
		return err_set(err, rc,
			       "/proc/kcore needs root and a kernel that is not locked down");
	return err_set(err, rc, "cannot open /proc/kcore: %s", strerror(-rc));
}

int kernel_text_open_kcore(const char *path, struct kernel_text **ret_text, struct err *err)
{
	_cleanup_(kernel_text_freep) struct kernel_text *text = xcalloc(1, sizeof(*text));
	int rc;

	text->kcore = open(path, O_RDONLY | O_CLOEXEC);
	if (text->kcore < 0)
		return explain_open(-errno, err);
	rc = read_segments(text, err);
	if (rc == 0)
		*ret_text = steal_ptr(text);
	return rc;
}

static int read_kcore(const struct kernel_text *text, uint64_t address, void *bytes, size_t size)
{
	for (size_t i = 0; i < text->segments.count; i++) {
		const struct segment *segment = &text->segments.items[i];
		uint64_t inside = address - segment->address;

		if (address < segment->address || inside >= segment->size ||
		    size > segment->size - inside || inside > UINT64_MAX - segment->offset)
			continue;
		return read_at(text->kcore, segment->offset + inside, bytes, size);
	}
	return -EFAULT;
}

/* --- both --- */

int kernel_text_open(struct kernel_text **ret_text, struct err *err)
{
	struct err bpf = { "" }, kcore = { "" };
	int rc = kernel_text_open_bpf(ret_text, &bpf);

	if (rc == 0 || kernel_text_open_kcore("/proc/kcore", ret_text, &kcore) == 0)
		return 0;
	return err_set(err, rc,
		       "cannot read the kernel's code: %s; %s; -L vmlinux shows it as built",
		       bpf.text, kcore.text);
}

void kernel_text_free(struct kernel_text *text)
{
	if (!text)
		return;
	if (text->bpf)
		kernel_text_bpf__destroy(text->bpf);
	if (text->kcore >= 0)
		close(text->kcore);
	vec_free(&text->segments);
	free(text);
}

int kernel_text_read(struct kernel_text *text, uint64_t address, void *bytes, size_t size,
		     struct err *err)
{
	int rc;

	if (size > KERNEL_TEXT_MAX)
		return err_set(err, -EFBIG, "%zu bytes of kernel code are too many to read at once",
			       size);
	rc = text->bpf ? read_chunks(text->bpf, address, bytes, size)
		       : read_kcore(text, address, bytes, size);
	if (rc < 0)
		return err_set(err, rc, "no kernel code at 0x%lx: it may have been unloaded",
			       address);
	return 0;
}
