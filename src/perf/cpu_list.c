/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/scan.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum { FILE_LIMIT = 1 << 22 }; /* of /proc/stat, which has a line for each CPU and interrupt */

/* One number; -1 if there is none or it is not below the limit. */
static long read_number(const char **text)
{
	uint64_t number;

	return scan_number(text, 10, &number) && number < CPU_LIST_MAX ? (long)number : -1;
}

int cpu_list_parse(const char *text, int **ret_cpus, size_t *ret_count, struct err *err)
{
	VEC(int) cpus = { 0 };
	const char *at = text;

	for (;;) {
		long first = read_number(&at), last = first;

		if (*at == '-') {
			at++;
			last = read_number(&at);
		}
		if (first < 0 || last < first || (*at != ',' && *at != '\0' && *at != '\n') ||
		    cpus.count + (size_t)(last - first) >= CPU_LIST_MAX) {
			vec_free(&cpus);
			return err_set(err, -EINVAL,
				       "invalid list of CPUs '%s': expected a form such as 0-3,8",
				       text);
		}
		for (long cpu = first; cpu <= last; cpu++)
			*vec_push(&cpus) = (int)cpu;
		if (*at != ',')
			break;
		at++;
	}
	*ret_cpus = cpus.items;
	*ret_count = cpus.count;
	return 0;
}

/* The lines "cpu0 ...", "cpu1 ..." are online CPUs; the line "cpu ..." is their sum (proc(5)). */
static int parse_stat(const char *text, int **ret_cpus, size_t *ret_count)
{
	VEC(int) cpus = { 0 };

	for (const char *line = text; line && cpus.count < CPU_LIST_MAX;
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		const char *at = line + strlen("cpu");
		long cpu = strncmp(line, "cpu", strlen("cpu")) == 0 ? read_number(&at) : -1;

		if (cpu >= 0 && *at == ' ')
			*vec_push(&cpus) = (int)cpu;
	}
	*ret_cpus = cpus.items;
	*ret_count = cpus.count;
	return cpus.count ? 0 : -ENODATA;
}

int cpu_list_online_in(const char *sys, const char *proc, int **ret_cpus, size_t *ret_count,
		       struct err *err)
{
	_cleanup_free_ char *online = xasprintf("%s/devices/system/cpu/online", sys);
	_cleanup_free_ char *stat = xasprintf("%s/stat", proc);
	struct buf text = { 0 };
	int rc = file_read(online, FILE_LIMIT, &text);

	if (rc == 0) {
		rc = cpu_list_parse(buf_text(&text), ret_cpus, ret_count, err);
	} else {
		rc = file_read(stat, FILE_LIMIT, &text);
		if (rc == 0)
			rc = parse_stat(buf_text(&text), ret_cpus, ret_count);
		if (rc < 0)
			err_set(err, rc,
				"cannot read which CPUs are online from %s or %s: mount /sys or "
				"/proc",
				online, stat);
	}
	buf_done(&text);
	return rc;
}

int cpu_list_online(int **ret_cpus, size_t *ret_count, struct err *err)
{
	return cpu_list_online_in("/sys", "/proc", ret_cpus, ret_count, err);
}

bool cpu_list_has(const int *cpus, size_t count, int cpu)
{
	for (size_t i = 0; i < count; i++) {
		if (cpus[i] == cpu)
			return true;
	}
	return false;
}

static int check_online(const char *option, const int *wanted, size_t count, const int *online,
			size_t online_count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!cpu_list_has(online, online_count, wanted[i]))
			return err_set(err, -EINVAL, "%s: CPU %d is not online", option, wanted[i]);
	}
	return 0;
}

int cpu_list_choose(const char *option, const char *text, int **ret_cpus, size_t *ret_count,
		    struct err *err)
{
	_cleanup_free_ int *online = NULL;
	_cleanup_free_ int *wanted = NULL;
	size_t online_count = 0, count = 0, kept = 0;
	int rc = cpu_list_online(&online, &online_count, err);

	if (rc == 0 && text)
		rc = cpu_list_parse(text, &wanted, &count, err);
	if (rc == 0 && text)
		rc = check_online(option, wanted, count, online, online_count, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < online_count; i++) {
		if (!text || cpu_list_has(wanted, count, online[i]))
			online[kept++] = online[i];
	}
	*ret_count = kept;
	*ret_cpus = steal_ptr(online);
	return 0;
}

/* The mask in /proc/PID/status has one digit for four CPUs, up to the highest number that a CPU may
 * have (the kernel's nr_cpu_ids). */
static long cpus_in_status(const char *text)
{
	const char *mask = strstr(text, "\nCpus_allowed:");
	long digits = 0;

	if (!mask)
		return 0;
	for (mask += strlen("\nCpus_allowed:"); *mask && *mask != '\n'; mask++)
		digits += isxdigit((unsigned char)*mask) != 0;
	return 4 * digits;
}

static long highest(const char *text)
{
	_cleanup_free_ int *cpus = NULL;
	size_t count = 0;

	if (cpu_list_parse(text, &cpus, &count, NULL) < 0 || !count)
		return -1;
	return cpus[count - 1];
}

size_t cpu_list_room_in(const char *sys, const char *proc)
{
	_cleanup_free_ char *possible = xasprintf("%s/devices/system/cpu/possible", sys);
	_cleanup_free_ char *status = xasprintf("%s/self/status", proc);
	struct buf text = { 0 };
	long room = 0;

	if (file_read(possible, FILE_LIMIT, &text) == 0)
		room = highest(buf_text(&text)) + 1;
	else if (file_read(status, FILE_LIMIT, &text) == 0)
		room = cpus_in_status(buf_text(&text));
	buf_done(&text);
	return room > 0 && room <= CPU_LIST_MAX ? (size_t)room : 0;
}

size_t cpu_list_room(void)
{
	return cpu_list_room_in("/sys", "/proc");
}
