/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/reader.h"
#include "base/vec.h"
#include "base/xalloc.h"

/* One per range of memory; machines with many memory banks have some hundreds. */
enum { MAX_SEGMENTS = 16384 };

struct segment {
	uint64_t address, size, offset;
};

struct kcore {
	int fd;
	VEC(struct segment) segments;
};

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

static void parse_segment(struct kcore *kcore, struct reader *reader)
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
		*vec_push(&kcore->segments) = segment;
}

static int read_segments(struct kcore *kcore, struct err *err)
{
	uint8_t start[sizeof(Elf64_Ehdr)];
	int rc = read_at(kcore->fd, 0, start, sizeof(start));
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
	if (read_at(kcore->fd, header.offset, bytes, size) < 0)
		return err_set(err, -ENOEXEC, "/proc/kcore has no program headers");
	reader = reader_make(bytes, size);
	for (size_t i = 0; i < header.count; i++)
		parse_segment(kcore, &reader);
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

int kcore_open(const char *path, struct kcore **ret_kcore, struct err *err)
{
	_cleanup_(kcore_freep) struct kcore *kcore = xcalloc(1, sizeof(*kcore));
	int rc;

	kcore->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (kcore->fd < 0)
		return explain_open(-errno, err);
	rc = read_segments(kcore, err);
	if (rc == 0)
		*ret_kcore = steal_ptr(kcore);
	return rc;
}

void kcore_free(struct kcore *kcore)
{
	if (!kcore)
		return;
	if (kcore->fd >= 0)
		close(kcore->fd);
	vec_free(&kcore->segments);
	free(kcore);
}

int kcore_read(const struct kcore *kcore, uint64_t address, void *bytes, size_t size)
{
	for (size_t i = 0; i < kcore->segments.count; i++) {
		const struct segment *segment = &kcore->segments.items[i];
		uint64_t inside = address - segment->address;

		if (address < segment->address || inside >= segment->size ||
		    size > segment->size - inside || inside > UINT64_MAX - segment->offset)
			continue;
		return read_at(kcore->fd, segment->offset + inside, bytes, size);
	}
	return -EFAULT;
}
