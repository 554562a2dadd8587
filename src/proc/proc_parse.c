/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/proc_parse.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/file.h"
#include "base/scan.h"

enum {
	/* After argv[0]: an interpreter's single argument, twice if a script's interpreter is a
	 * script, then the path. */
	SCRIPT_ARGUMENTS = 5,
};

#define PF_KTHREAD 0x00200000u

static const char deleted_suffix[] = " (deleted)";
static const char kworker_prefix[] = "kworker/";

static bool take_char(const char **at, char character)
{
	if (**at != character)
		return false;
	(*at)++;
	return true;
}

static void copy_text(char *to, size_t size, const char *from, size_t length)
{
	if (length >= size)
		length = size - 1;
	memcpy(to, from, length);
	to[length] = '\0';
}

bool proc_parse_deleted(char *path)
{
	size_t suffix = sizeof(deleted_suffix) - 1;
	size_t length = strlen(path);

	if (length < suffix || strcmp(path + length - suffix, deleted_suffix) != 0)
		return false;
	path[length - suffix] = '\0';
	return true;
}

/* Removes the current work from a kworker's name ("kworker/1:2-events" becomes "kworker/1:2"). It
 * changes all the time, and the kernel's own records lack it. */
static void cut_kworker(char *comm)
{
	char *rest = comm + sizeof(kworker_prefix) - 1;

	/* "kworker/R-name" is a rescuer: the name is fixed. */
	if (strncmp(comm, kworker_prefix, sizeof(kworker_prefix) - 1) == 0 && *rest != 'R')
		rest[strcspn(rest, "+-")] = '\0';
}

/* Reads the fields of stat after the name, by their number in proc(5). */
static bool stat_fields(const char *at, struct proc_stat *stat)
{
	uint64_t value = 0;

	for (int number = 4; number <= 22; number++) {
		if (!take_char(&at, ' '))
			return false;
		if (*at == '-') /* tpgid, priority and nice may be negative; not kept */
			at++;
		if (!scan_number(&at, 10, &value))
			return false;
		if (number == 4)
			stat->parent_pid = (int32_t)value;
		else if (number == 9)
			stat->kernel_thread = value & PF_KTHREAD;
		else if (number == 20)
			stat->thread_count = (uint32_t)value;
	}
	stat->start_ticks = value;
	return true;
}

int proc_parse_stat(const char *text, struct proc_stat *ret_stat)
{
	const char *name = text;
	/* The name may hold parentheses, so it ends at the last one. */
	const char *name_end = strrchr(text, ')');
	struct proc_stat stat = { 0 };
	uint64_t pid;

	if (!scan_number(&name, 10, &pid) || pid > INT32_MAX || strncmp(name, " (", 2) != 0)
		return -EINVAL;
	name += 2;
	if (!name_end || name_end < name || name_end[1] != ' ' || !name_end[2])
		return -EINVAL;
	stat.pid = (int32_t)pid;
	copy_text(stat.comm, sizeof(stat.comm), name, (size_t)(name_end - name));
	if (!stat_fields(name_end + 3, &stat))
		return -EINVAL;
	if (stat.kernel_thread)
		cut_kworker(stat.comm);
	*ret_stat = stat;
	return 0;
}

/* The kernel escapes only newlines in a path, as \012. */
static void unescape_newlines(char *path)
{
	char *to = path;

	while (*path) {
		if (strncmp(path, "\\012", 4) == 0) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

/* "rwxp ": sets *ret_executable. */
static bool take_permissions(const char **at, bool *ret_executable)
{
	if (strnlen(*at, 5) < 5 || (*at)[4] != ' ')
		return false;
	*ret_executable = (*at)[2] == 'x';
	*at += 5;
	return true;
}

static bool take_dev(const char **at, uint64_t *ret_dev)
{
	uint64_t major_number, minor_number;

	if (!scan_number(at, 16, &major_number) || !take_char(at, ':') ||
	    !scan_number(at, 16, &minor_number))
		return false;
	*ret_dev = makedev((unsigned)major_number, (unsigned)minor_number);
	return true;
}

int proc_parse_map(char *line, struct proc_map *ret_map)
{
	const char *at = line;
	struct proc_map map = { 0 };
	bool executable;
	char *path;

	if (!scan_number(&at, 16, &map.start) || !take_char(&at, '-') ||
	    !scan_number(&at, 16, &map.end) || !take_char(&at, ' ') ||
	    !take_permissions(&at, &executable))
		return -EINVAL;
	if (!executable)
		return -ENOENT;
	if (!scan_number(&at, 16, &map.offset) || !take_char(&at, ' ') ||
	    !take_dev(&at, &map.dev) || !take_char(&at, ' ') || !scan_number(&at, 10, &map.inode) ||
	    map.start >= map.end)
		return -EINVAL;
	path = line + (at - line);
	path += strspn(path, " ");
	map.deleted = proc_parse_deleted(path);
	unescape_newlines(path);
	map.path = path;
	*ret_map = map;
	return 0;
}

/* Rank of a cgroup line: the higher, the better its path to show. 0 is below all. */
static int cgroup_rank(const char *controllers, size_t length, const char *path, size_t path_length)
{
	bool root = path_length <= 1;

	if (length == 0)
		return root ? 1 : 4;
	if (strncmp(controllers, "name=", 5) == 0)
		return root ? 1 : 3;
	return root ? 1 : 2;
}

void proc_parse_cgroup(const char *text, char *ret_path, size_t size)
{
	int best = 0;

	ret_path[0] = '\0';
	while (*text) {
		const char *end = text + strcspn(text, "\n");
		const char *controllers = memchr(text, ':', (size_t)(end - text));
		const char *path =
			controllers ? memchr(controllers + 1, ':', (size_t)(end - controllers - 1))
				    : NULL;

		if (path) {
			size_t length = (size_t)(end - path - 1);
			int rank = cgroup_rank(controllers + 1, (size_t)(path - controllers - 1),
					       path + 1, length);
			if (rank > best) {
				best = rank;
				copy_text(ret_path, size, path + 1, length);
			}
		}
		text = *end ? end + 1 : end;
	}
	proc_parse_deleted(ret_path);
}

/* True if the kernel makes @comm from @name. */
static bool comm_matches(const char *comm, const char *name)
{
	size_t length = strnlen(name, PROC_COMM_CUT);

	return strlen(comm) == length && strncmp(comm, name, length) == 0;
}

bool proc_parse_may_be_script(const char *comm, const char *executable)
{
	return *executable && !comm_matches(comm, file_base(executable));
}

void proc_parse_script(const char *cmdline, size_t size, const char *comm, const char *executable,
		       char *ret_script, size_t script_size)
{
	const char *end = cmdline + size;

	ret_script[0] = '\0';
	if (!proc_parse_may_be_script(comm, executable))
		return;
	for (int i = 0; i <= SCRIPT_ARGUMENTS && cmdline < end; i++) {
		const char *nul = memchr(cmdline, '\0', (size_t)(end - cmdline));
		const char *name;

		if (!nul)
			return;
		name = file_base(cmdline);
		if (comm_matches(comm, name)) {
			/* argv[0] equals the process's name: a link (busybox), not a script. */
			if (i > 0)
				copy_text(ret_script, script_size, name, strlen(name));
			return;
		}
		cmdline = nul + 1;
	}
}
