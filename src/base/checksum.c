/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/checksum.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum { CHUNK_BYTES = 256 * 1024 };

uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t size)
{
	return (uint32_t)crc32_z(checksum, bytes, size);
}

int checksum_file(int fd, uint32_t *ret_checksum)
{
	_cleanup_free_ uint8_t *chunk = xmalloc(CHUNK_BYTES);
	uint32_t checksum = 0;

	for (off_t at = 0;;) {
		ssize_t got = pread(fd, chunk, CHUNK_BYTES, at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		checksum = checksum_add(checksum, chunk, (size_t)got);
		at += got;
	}
	*ret_checksum = checksum;
	return 0;
}
