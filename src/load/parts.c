/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/compare.h"
#include "base/open_limit.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "model/merge.h"

DEFINE_CLEANUP(struct profile *, profile_free);

struct part {
	char *path; /* owned */
	struct store_reader *store;
	uint64_t start_realtime_ns;
	struct profile *profile; /* of a folder: for its totals and samples; owned */
	struct merge_map map;	 /* likewise */
};

struct parts {
	bool folder;
	VEC(struct part) list; /* the earliest first */
	VEC(char *) left_out;  /* sentences; owned */
};

/* ---- opening ---- */

static bool is_profile_name(const char *name)
{
	static const char end[] = ".prof";
	size_t length = strlen(name);

	return length >= sizeof(end) && strcmp(name + length - strlen(end), end) == 0;
}

bool parts_is_folder(const char *path)
{
	_cleanup_(closedirp) DIR *folder = opendir(path);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		if (is_profile_name(entry->d_name))
			return true;
	}
	return false;
}

static int open_part(struct parts *parts, const char *path, struct err *err)
{
	struct part part = { .path = xstrdup(path) };
	_cleanup_(profile_freep) struct profile *run = NULL;
	int rc = store_open(path, &part.store, err);

	if (rc == 0)
		rc = store_load_run(part.store, &run, err);
	if (rc < 0) {
		store_close(part.store);
		free(part.path);
		return rc;
	}
	part.start_realtime_ns = run->run.start_realtime_ns;
	*vec_push(&parts->list) = part;
	return 0;
}

DEFINE_ORDER(by_start, struct part, COMPARE(a->start_realtime_ns, b->start_realtime_ns))

static int open_folder(struct parts *parts, const char *path, DIR *folder, struct err *err)
{
	const struct dirent *entry;

	parts->folder = true;
	open_limit_raise();
	while ((entry = readdir(folder))) {
		_cleanup_free_ char *file = xasprintf("%s/%s", path, entry->d_name);
		struct err why;

		if (is_profile_name(entry->d_name) && open_part(parts, file, &why) < 0)
			*vec_push(&parts->left_out) =
				xasprintf("a part of the folder: %s", why.text);
	}
	if (!parts->list.count)
		return err_set(err, -ENOENT, "%s: no profile that can be read is in this folder",
			       path);
	qsort(parts->list.items, parts->list.count, sizeof(struct part), by_start);
	return 0;
}

int parts_open(const char *path, struct parts **ret_parts, struct err *err)
{
	_cleanup_(closedirp) DIR *folder = opendir(path);
	struct parts *parts = xcalloc(1, sizeof(*parts));
	int rc = folder ? open_folder(parts, path, folder, err) : open_part(parts, path, err);

	*ret_parts = parts;
	if (rc < 0) {
		parts_close(parts);
		*ret_parts = NULL;
	}
	return rc;
}

void parts_close(struct parts *parts)
{
	if (!parts)
		return;
	for (size_t i = 0; i < parts->list.count; i++) {
		struct part *part = &parts->list.items[i];

		merge_map_done(&part->map);
		profile_free(part->profile);
		store_close(part->store);
		free(part->path);
	}
	for (size_t i = 0; i < parts->left_out.count; i++)
		free(parts->left_out.items[i]);
	vec_free(&parts->list);
	vec_free(&parts->left_out);
	free(parts);
}

int parts_has_command(const struct parts *parts, bool *ret_has, struct err *err)
{
	int rc = 0;

	*ret_has = false;
	for (size_t i = 0; rc == 0 && !*ret_has && i < parts->list.count; i++)
		rc = store_has_command(parts->list.items[i].store, ret_has, err);
	return rc;
}

bool parts_is_live(const struct parts *parts)
{
	for (size_t i = 0; i < parts->list.count; i++) {
		if (store_is_live(parts->list.items[i].store))
			return true;
	}
	return false;
}

/* ---- rows ---- */

uint64_t parts_end_ns(const struct parts *parts, const struct profile *profile)
{
	return parts->folder ? profile->run.end_ns
			     : store_end_ns(parts->list.items[0].store, profile);
}

static int merge_part(struct part *part, struct merge *merge, struct err *err)
{
	int rc = store_load_profile(part->store, &part->profile, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s", part->path);
	rc = merge_add(merge, part->profile, store_end_ns(part->store, part->profile), &part->map,
		       err);
	return rc;
}

static int merge_parts(struct parts *parts, struct profile *profile, struct err *err)
{
	struct merge *merge = merge_new(profile);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < parts->list.count; i++)
		rc = merge_part(&parts->list.items[i], merge, err);
	for (size_t i = 0; i < parts->left_out.count; i++)
		profile_not_visible(profile, parts->left_out.items[i]);
	merge_free(merge);
	return rc;
}

int parts_load_profile(struct parts *parts, struct profile **ret_profile, struct err *err)
{
	int rc;

	if (!parts->folder)
		return store_load_profile(parts->list.items[0].store, ret_profile, err);
	*ret_profile = profile_new();
	rc = merge_parts(parts, *ret_profile, err);
	if (rc == 0)
		return 0;
	profile_free(*ret_profile);
	*ret_profile = NULL;
	return rc;
}

/* ---- totals ---- */

static int compare_keys(const struct total *a, const struct total *b)
{
	int order = COMPARE(a->stack, b->stack);

	order = order ? order : COMPARE(a->task, b->task);
	order = order ? order : COMPARE(a->event, b->event);
	order = order ? order : COMPARE(a->mode, b->mode);
	return order ? order : COMPARE(a->context, b->context);
}

DEFINE_ORDER(by_keys, struct total, compare_keys(a, b))

/* Those of different parts that are alike become one. */
static void add_up(struct totals *totals)
{
	struct total *rows = totals->rows.items;
	size_t count = 0;

	if (totals->rows.count)
		qsort(rows, totals->rows.count, sizeof(*rows), by_keys);
	for (size_t i = 0; i < totals->rows.count; i++) {
		if (count && compare_keys(&rows[count - 1], &rows[i]) == 0) {
			rows[count - 1].samples += rows[i].samples;
			rows[count - 1].weight += rows[i].weight;
			rows[count - 1].weight_squared += rows[i].weight_squared;
		} else {
			rows[count++] = rows[i];
		}
	}
	totals->rows.count = count;
}

static int add_totals(const struct part *part, struct totals *totals, struct err *err)
{
	struct totals own = { 0 };
	int rc = store_load_totals(part->store, part->profile, &own, err);

	for (size_t i = 0; rc == 0 && i < own.rows.count; i++) {
		struct total *total = vec_push(&totals->rows);

		*total = own.rows.items[i];
		total->stack = part->map.stacks.items[total->stack];
		total->task = part->map.tasks.items[total->task];
		total->event = part->map.events[total->event];
	}
	vec_free(&own.rows);
	return rc;
}

int parts_load_totals(const struct parts *parts, const struct profile *profile,
		      struct totals *ret_totals, struct err *err)
{
	int rc = 0;

	if (!parts->folder)
		return store_load_totals(parts->list.items[0].store, profile, ret_totals, err);
	*ret_totals = (struct totals){ 0 };
	for (size_t i = 0; rc == 0 && i < parts->list.count; i++)
		rc = add_totals(&parts->list.items[i], ret_totals, err);
	add_up(ret_totals);
	return rc;
}

/* ---- samples ---- */

/* Passes on what one part has as what the merged profile has. */
struct passing {
	const struct merge_map *map;
	VEC(struct sample) samples;
	int (*visit)(void *context, const struct sample *samples, size_t count);
	void (*visit_branch)(void *context, const struct branch *branch);
	void *context;
};

static int pass_samples(void *context, const struct sample *samples, size_t count)
{
	struct passing *passing = context;

	passing->samples.count = 0;
	for (size_t i = 0; i < count; i++)
		*vec_push(&passing->samples) = merge_sample(passing->map, &samples[i]);
	return passing->visit(passing->context, passing->samples.items, count);
}

/* A time of the merged profile by a part's own clock. */
static uint64_t own_ns(const struct part *part, uint64_t time_ns)
{
	int64_t shift_ns = part->map.shift_ns;

	if (!time_ns || time_ns == UINT64_MAX)
		return time_ns;
	return shift_ns > 0 && time_ns < (uint64_t)shift_ns ? 0 : time_ns - (uint64_t)shift_ns;
}

int parts_each_batch(const struct parts *parts, const struct profile *profile,
		     const struct sample_wish *wish,
		     int (*visit)(void *context, const struct sample *samples, size_t count),
		     void *context, struct err *err)
{
	struct passing passing = { .visit = visit, .context = context };
	int rc = 0;

	if (!parts->folder)
		return store_each_batch(parts->list.items[0].store, profile, wish, visit, context,
					err);
	for (size_t i = 0; rc == 0 && i < parts->list.count; i++) {
		const struct part *part = &parts->list.items[i];
		struct sample_wish own = { own_ns(part, wish->from_ns), own_ns(part, wish->to_ns),
					   wish->fields };

		passing.map = &part->map;
		if (own.from_ns <= store_end_ns(part->store, part->profile) &&
		    own.to_ns > part->profile->run.start_ns)
			rc = store_each_batch(part->store, part->profile, &own, pass_samples,
					      &passing, err);
	}
	vec_free(&passing.samples);
	return rc;
}

static void pass_branch(void *context, const struct branch *branch)
{
	struct passing *passing = context;
	struct branch merged = merge_branch(passing->map, branch);

	passing->visit_branch(passing->context, &merged);
}

int parts_each_branch(const struct parts *parts, const struct profile *profile,
		      void (*visit)(void *context, const struct branch *branch), void *context,
		      struct err *err)
{
	struct passing passing = { .visit_branch = visit, .context = context };
	int rc = 0;

	if (!parts->folder)
		return store_each_branch(parts->list.items[0].store, profile, visit, context, err);
	for (size_t i = 0; rc == 0 && i < parts->list.count; i++) {
		const struct part *part = &parts->list.items[i];

		passing.map = &part->map;
		rc = store_each_branch(part->store, part->profile, pass_branch, &passing, err);
	}
	return rc;
}
