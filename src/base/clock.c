/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { OFFSETS_LIMIT = 4096, PATH_BYTES = 64 };

/* A constant of this process, which only the kernel knows; set before main. */
static struct {
	int64_t shift_ns;
	bool known;
} own;

bool clock_parse_shift(const char *text, int64_t *ret_shift_ns)
{
	static const char name[] = "monotonic";
	const char *line = strstr(text, name);
	int64_t seconds, rest_ns;

	if (!line ||
	    sscanf(line + sizeof(name) - 1, "%" SCNd64 " %" SCNd64, &seconds, &rest_ns) != 2 ||
	    __builtin_mul_overflow(seconds, (int64_t)NS_PER_S, &seconds) ||
	    __builtin_add_overflow(seconds, rest_ns, &seconds))
		return false;
	*ret_shift_ns = seconds;
	return true;
}

static bool read_shift(const char *process, int64_t *ret_shift_ns)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/timens_offsets", process);
	return file_read(path, OFFSETS_LIMIT, &text) == 0 &&
	       clock_parse_shift(buf_text(&text), ret_shift_ns);
}

static int stat_namespace(const char *process, const char *name, struct stat *ret_stat)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/ns/%s", process, name);
	return stat(path, ret_stat) < 0 ? -errno : 0;
}

/* timens_offsets is of the namespace that children will have, so it counts only where the process
 * has the same. The first namespace has the inode number PROC_TIME_INIT_INO of
 * include/linux/proc_ns.h and no shift. A kernel without time namespaces shifts nothing. */
static bool find_shift(const char *process, int64_t *ret_shift_ns)
{
	const ino_t first = 0xeffffffa;
	struct stat namespace, of_children;

	if (stat_namespace("/proc/self", "time", &namespace) == -ENOENT &&
	    stat_namespace("/proc/self", "mnt", &namespace) == 0) {
		*ret_shift_ns = 0;
		return true;
	}
	if (stat_namespace(process, "time", &namespace) < 0)
		return false;
	if (namespace.st_ino == first) {
		*ret_shift_ns = 0;
		return true;
	}
	return stat_namespace(process, "time_for_children", &of_children) == 0 &&
	       of_children.st_ino == namespace.st_ino && read_shift(process, ret_shift_ns);
}

int64_t clock_shift_of(int32_t pid)
{
	char process[PATH_BYTES / 2];
	int64_t shift_ns = own.shift_ns;

	snprintf(process, sizeof(process), "/proc/%" PRId32, pid);
	(void)find_shift(process, &shift_ns);
	return shift_ns;
}

__attribute__((constructor)) static void find_own_shift(void)
{
	own.known = find_shift("/proc/self", &own.shift_ns);
}

bool clock_is_known(void)
{
	return own.known;
}

uint64_t clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC) - (uint64_t)own.shift_ns;
}
