/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/segments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/compare.h"

#define STEM "%Y%m%dT%H%M%SZ"
enum { STAT_BLOCK = 512 };

void segment_name(int folder, uint64_t start_s, char *ret_name)
{
	time_t seconds = (time_t)start_s;
	char stem[SEGMENT_NAME_MAX - sizeof("-999.prof")];
	struct stat st;
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(stem, sizeof(stem), STEM, &tm);
	snprintf(ret_name, SEGMENT_NAME_MAX, "%s.prof", stem);
	for (unsigned i = 2; i < 1000 && fstatat(folder, ret_name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	     i++)
		snprintf(ret_name, SEGMENT_NAME_MAX, "%s-%u.prof", stem, i);
}

uint64_t segment_start(const char *name)
{
	struct tm tm = { 0 };
	const char *rest = strptime(name, STEM, &tm);
	unsigned number;
	int length = 0;
	time_t start;

	if (!rest)
		return 0;
	if (strcmp(rest, ".prof") != 0 &&
	    (sscanf(rest, "-%3u.prof%n", &number, &length) != 1 || !length || rest[length]))
		return 0;
	start = timegm(&tm);
	return start > 0 ? (uint64_t)start : 0;
}

DEFINE_ORDER(by_start, struct segment,
	     COMPARE(a->start_s, b->start_s) ? COMPARE(a->start_s, b->start_s)
					     : strverscmp(a->name, b->name))

int segments_read(int folder, struct segments *ret_segments)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *entries = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	*ret_segments = (struct segments){ 0 };
	if (!entries)
		return -errno;
	while ((entry = readdir(entries))) {
		uint64_t start_s = segment_start(entry->d_name);
		struct segment *segment;
		struct stat st;

		if (!start_s || strlen(entry->d_name) >= SEGMENT_NAME_MAX ||
		    fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		segment = vec_push(&ret_segments->list);
		*segment = (struct segment){ .start_s = start_s,
					     .bytes = (uint64_t)st.st_blocks * STAT_BLOCK };
		memcpy(segment->name, entry->d_name, strlen(entry->d_name) + 1);
	}
	if (ret_segments->list.count)
		qsort(ret_segments->list.items, ret_segments->list.count, sizeof(struct segment),
		      by_start);
	return 0;
}

static bool remove_segment(int folder, const char *name)
{
	char journal[SEGMENT_NAME_MAX + sizeof("-journal")];

	snprintf(journal, sizeof(journal), "%s-journal", name);
	unlinkat(folder, journal, 0);
	return unlinkat(folder, name, 0) == 0;
}

size_t segments_prune(int folder, const struct segments *segments, uint64_t oldest_s,
		      uint64_t max_bytes, uint64_t current_s)
{
	const struct segment *list = segments->list.items;
	size_t count = segments->list.count, removed = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += list[i].bytes;
	for (size_t i = 0; i + 1 < count && list[i].start_s < current_s; i++) {
		bool old = list[i + 1].start_s <= oldest_s;

		if (!old && (!max_bytes || bytes <= max_bytes))
			break;
		removed += remove_segment(folder, list[i].name);
		bytes -= list[i].bytes;
	}
	return removed;
}

size_t segments_clear(int folder, const struct segments *segments, const char *const *kept,
		      size_t kept_count)
{
	size_t removed = 0;

	for (size_t i = 0; i < segments->list.count; i++) {
		const char *name = segments->list.items[i].name;
		bool keep = false;

		for (size_t at = 0; at < kept_count; at++)
			keep = keep || strcmp(kept[at], name) == 0;
		removed += !keep && remove_segment(folder, name);
	}
	return removed;
}
