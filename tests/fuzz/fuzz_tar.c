/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive: as it is, or, if it is not compressed, as the content of a frame of zstd (RFC 8878),
 * so that not only the decompressor is tried. Nothing may be made outside. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/tar.h"
#include "base/file.h"
#include "target.h"

enum { MOST_BYTES = 100000 };

static void unpack(int fd)
{
	const struct tar_limits limits = { 1 << 16, 64 };
	/* in memory where that is to be had: it is made and removed each time */
	char in_memory[] = "/dev/shm/fuzz-tar.XXXXXX", on_disk[] = "/tmp/fuzz-tar.XXXXXX";
	const char *outer = mkdtemp(in_memory);
	struct err err;
	int above, folder;
	struct stat st;

	if (!outer)
		outer = mkdtemp(on_disk);
	if (!outer)
		return;
	above = open(outer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	mkdirat(above, "in", 0700);
	folder = openat(above, "in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	lseek(fd, 0, SEEK_SET);
	tar_unpack(fd, folder, &limits, &err);
	/* one link of its own, one of what is above it, one of each folder within */
	if (fstat(above, &st) < 0 || st.st_nlink != 3)
		abort();
	close(folder);
	close(above);
	file_remove_tree(outer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	unsigned block = (unsigned)size << 3 | 1;
	const uint8_t head[] = { 0x28,
				 0xb5,
				 0x2f,
				 0xfd,
				 0x00,
				 0x58,
				 (uint8_t)block,
				 (uint8_t)(block >> 8),
				 (uint8_t)(block >> 16) };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || size > MOST_BYTES)
		return 0;
	if (size >= 4 && bytes[0] == head[0] && bytes[1] == head[1]) {
		if (write(fd, bytes, size) == (ssize_t)size)
			unpack(fd);
	} else if (write(fd, head, sizeof(head)) > 0 && write(fd, bytes, size) == (ssize_t)size) {
		unpack(fd);
	}
	close(fd);
	return 0;
}
