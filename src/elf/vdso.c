/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/vdso.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum { MAX_VDSO_BYTES = 1024 * 1024 };

/* The end of the mapping that starts at an address, from /proc/self/maps; 0: none. */
static uint64_t mapping_end(uint64_t start)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (maps && getline(&line, &room, maps) > 0) {
		uint64_t from, to;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 && from == start)
			return to;
	}
	return 0;
}

int vdso_copy(uint8_t **ret_bytes, size_t *ret_size, struct err *err)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	uint64_t end = start ? mapping_end(start) : 0;

	if (end <= start)
		return err_set(err, -ENOENT, "this process has no vdso");
	if (end - start > MAX_VDSO_BYTES)
		return err_set(err, -EFBIG, "the vdso is larger than %d bytes", MAX_VDSO_BYTES);
	*ret_size = end - start;
	*ret_bytes = xmemdup((const void *)(uintptr_t)start, *ret_size);
	return 0;
}
