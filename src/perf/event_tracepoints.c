/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_sources.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/file.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { PATH_BYTES = 640 };

static const char *const mounts[] = { "/sys/kernel/tracing/events",
				      "/sys/kernel/debug/tracing/events" };
/* Where tracefs is mounted. The second is inside debugfs, often readable by root only, and the
 * kernel mounts it there itself. */
static const char *const points[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static int read_id(const char *group, const char *name, uint64_t *ret_id)
{
	char path[PATH_BYTES];
	int64_t id;

	for (size_t i = 0; i < COUNT_OF(mounts); i++) {
		snprintf(path, sizeof(path), "%s/%s/%s/id", mounts[i], group, name);
		if (file_read_i64(path, &id) < 0)
			continue;
		*ret_id = (uint64_t)id;
		return 0;
	}
	return -ENOENT;
}

int event_tracepoints_find(const char *group, const char *name, struct event_spec *spec,
			   struct err *err)
{
	struct err why;

	if (strchr(group, '/') || strchr(name, '/') || group[0] == '.' || name[0] == '.')
		return err_set(err, -EINVAL, "invalid tracepoint '%s:%s'", group, name);
	if (read_id(group, name, &spec->config) == 0) {
		spec->type = PERF_TYPE_TRACEPOINT;
		return 0;
	}
	if (event_tracepoints_hidden(&why) < 0)
		return err_set(err, -ENOENT, "cannot find tracepoint %s:%s: %s", group, name,
			       why.text);
	return err_set(err, -ENOENT,
		       "this kernel has no tracepoint %s:%s; 'prospect events' lists those it has",
		       group, name);
}

int event_tracepoints_explain(const struct tracefs_facts *facts, struct err *err)
{
	if (facts->readable)
		return 0;
	if (facts->mounted)
		return err_set(err, -EACCES, "only root can read tracefs; run with sudo");
	if (!facts->known)
		return err_set(err, -ENOENT, "this kernel has no tracefs (CONFIG_TRACING)");
	if (!facts->sys)
		return err_set(
			err, -ENOENT,
			"neither tracefs nor /sys, where it belongs, is mounted (sudo mount -t "
			"sysfs sysfs /sys && sudo mount -t tracefs tracefs /sys/kernel/tracing)");
	return err_set(err, -ENOENT,
		       "tracefs is not mounted (sudo mount -t tracefs tracefs "
		       "/sys/kernel/tracing)");
}

static bool is_tracefs(const char *path)
{
	struct statfs found;

	return statfs(path, &found) == 0 && found.f_type == TRACEFS_MAGIC;
}

/* True also if /proc/filesystems cannot be read: then the kernel is not blamed. */
static bool kernel_has_tracefs(void)
{
	enum { LIMIT = 65536 };
	struct buf text = { 0 };
	bool has = file_read("/proc/filesystems", LIMIT, &text) < 0 ||
		   strstr(buf_text(&text), "\ttracefs\n");

	buf_done(&text);
	return has;
}

int event_tracepoints_hidden(struct err *err)
{
	struct tracefs_facts facts = { .known = kernel_has_tracefs() };

	for (size_t i = 0; i < COUNT_OF(mounts); i++)
		facts.readable |= access(mounts[i], R_OK | X_OK) == 0;
	for (size_t i = 0; i < COUNT_OF(points); i++) {
		facts.mounted |= is_tracefs(points[i]);
		facts.sys |= access(points[i], F_OK) == 0;
	}
	return event_tracepoints_explain(&facts, err);
}

static int is_plain_folder(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Visits the tracepoints of a group; each is a folder with a file "id". */
static void visit_group(const char *mount, const char *group, event_visit visit, void *context)
{
	char path[PATH_BYTES], full[EVENT_NAME_MAX];
	struct dirent **entries;
	int count;

	snprintf(path, sizeof(path), "%s/%s", mount, group);
	count = scandir(path, &entries, is_plain_folder, by_name);
	for (int i = 0; i < count; i++) {
		struct event_entry entry = { .name = full,
					     .kind = "tracepoint",
					     .text = "",
					     .masks = "",
					     .type = PERF_TYPE_TRACEPOINT,
					     .coded = true };
		int length = snprintf(full, sizeof(full), "%s:%s", group, entries[i]->d_name);

		if (length < (int)sizeof(full) &&
		    read_id(group, entries[i]->d_name, &entry.config) == 0)
			visit(context, &entry);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

int event_tracepoints_each(event_visit visit, void *context)
{
	int rc = -ENOENT;

	for (size_t i = 0; i < COUNT_OF(mounts); i++) {
		struct dirent **groups;
		int count = scandir(mounts[i], &groups, is_plain_folder, by_name);

		if (count < 0) {
			rc = errno == EACCES ? -EACCES : rc;
			continue;
		}
		for (int j = 0; j < count; j++) {
			visit_group(mounts[i], groups[j]->d_name, visit, context);
			free(groups[j]);
		}
		free(groups);
		return 0;
	}
	return rc;
}
