/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/cpu_stat.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/scan.h"

enum {
	STAT_LIMIT_BYTES = 16 << 20, /* the "intr" line grows with the machine */
	FIELDS_LEAST = 4, /* user nice system idle are always there, the rest came later */
};

/* The columns of the line, in order. */
static const size_t columns[] = {
	offsetof(struct cpu_stat, user),    offsetof(struct cpu_stat, nice),
	offsetof(struct cpu_stat, system),  offsetof(struct cpu_stat, idle),
	offsetof(struct cpu_stat, iowait),  offsetof(struct cpu_stat, irq),
	offsetof(struct cpu_stat, softirq), offsetof(struct cpu_stat, steal),
};

enum { COLUMN_COUNT = sizeof(columns) / sizeof(columns[0]) };

static uint64_t *field(struct cpu_stat *stat, size_t column)
{
	return (uint64_t *)((char *)stat + columns[column]);
}

static uint64_t value(const struct cpu_stat *stat, size_t column)
{
	return *(const uint64_t *)((const char *)stat + columns[column]);
}

/* What follows @name in the line that begins with it; NULL: there is no such line from @text on. */
static const char *find_line(const char *text, const char *name)
{
	size_t length = strlen(name);

	while (text && strncmp(text, name, length) != 0) {
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return text ? text + length : NULL;
}

static int add_line(const char *at, long hz, struct cpu_stat *sum)
{
	size_t column;

	for (column = 0; at && column < COLUMN_COUNT; column++) {
		uint64_t ticks;

		at += strspn(at, " ");
		if (!scan_number(&at, 10, &ticks))
			break;
		*field(sum, column) += ticks * (NS_PER_S / (uint64_t)hz);
	}
	return at && column >= FIELDS_LEAST ? 0 : -EINVAL;
}

int cpu_stat_parse(const char *text, long hz, const int *cpus, size_t count,
		   struct cpu_stat *ret_stat)
{
	struct cpu_stat stat = { 0 };
	int rc = hz > 0 ? 0 : -EINVAL;

	if (rc == 0 && !count)
		rc = add_line(find_line(text, "cpu "), hz, &stat);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "cpu%d ", cpus[i]);
		text = find_line(text, name); /* the lines ascend as well */
		rc = add_line(text, hz, &stat);
	}
	if (rc == 0)
		*ret_stat = stat;
	return rc;
}

int cpu_stat_read(const int *cpus, size_t count, struct cpu_stat *ret_stat, struct err *err)
{
	struct buf buf = { 0 };
	int rc = file_read("/proc/stat", STAT_LIMIT_BYTES, &buf);

	if (rc == 0)
		rc = cpu_stat_parse(buf_text(&buf), sysconf(_SC_CLK_TCK), cpus, count, ret_stat);
	buf_done(&buf);
	return rc ? err_set(err, rc, "cannot read processor times from /proc/stat: %s",
			    strerror(-rc))
		  : 0;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct cpu_stat cpu_stat_since(const struct cpu_stat *earlier, const struct cpu_stat *later)
{
	struct cpu_stat delta = { 0 };

	for (size_t i = 0; i < COLUMN_COUNT; i++)
		if (value(later, i) > value(earlier, i))
			*field(&delta, i) = value(later, i) - value(earlier, i);
	/* An idle stretch of a CPU counts as iowait while a task waits for I/O there. If that wait
	 * ends on another CPU, the kernel moves the stretch to idle, and iowait goes back. */
	if (earlier->iowait > later->iowait)
		delta.idle -= lesser(earlier->iowait - later->iowait, delta.idle);
	return delta;
}

uint64_t cpu_stat_steal(const struct cpu_stat *delta, uint64_t capacity_ns)
{
	uint64_t sum = cpu_stat_sum(delta);

	return delta->steal - lesser(sum > capacity_ns ? sum - capacity_ns : 0, delta->steal);
}

uint64_t cpu_stat_busy(const struct cpu_stat *stat)
{
	return stat->user + stat->nice + stat->system + stat->irq + stat->softirq;
}

uint64_t cpu_stat_sum(const struct cpu_stat *stat)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < COLUMN_COUNT; i++)
		sum += value(stat, i);
	return sum;
}
