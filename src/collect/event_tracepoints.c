/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/event_tracepoints.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { PATH_BYTES = 640 };

static const char *const mounts[] = { "/sys/kernel/tracing/events",
				      "/sys/kernel/debug/tracing/events" };

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
	if (strchr(group, '/') || strchr(name, '/') || group[0] == '.' || name[0] == '.')
		return err_set(err, -EINVAL, "'%s:%s' is no tracepoint", group, name);
	if (read_id(group, name, &spec->config) == 0) {
		spec->type = PERF_TYPE_TRACEPOINT;
		return 0;
	}
	return err_set(err, -ENOENT,
		       "no tracepoint %s:%s is to be seen; is tracefs mounted and readable? (sudo "
		       "mount -t tracefs tracefs /sys/kernel/tracing)",
		       group, name);
}

static bool is_plain(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_plain_folder(const struct dirent *entry)
{
	return is_plain(entry);
}

/* Visits the tracepoints of a group; each is a folder with an id. */
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
