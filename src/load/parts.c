/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/open_limit.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "load/file_merge.h"
#include "load/sample_feed.h"

DEFINE_CLEANUP(struct profile *, profile_free);

/* A profile that is being recorded is written at least so often. */
#define RECORDING_NS (60 * NS_PER_S)

struct part {
	char *path; /* owned */
	/* Of a folder, since 1970: when the file was written last, and once it is open what its samples
	 * are of. */
	uint64_t written_ns, start_real_ns, end_real_ns;
	uint64_t start_ns;	    /* start_real_ns by the clock of its samples */
	struct store_reader *store; /* NULL: not open */
	bool is_of_machine;	    /* it was recorded without a command or chosen processes */
	char *why;		    /* it could not be opened; owned */
};

struct parts {
	char *folder;	       /* NULL: a single file; owned */
	VEC(struct part) list; /* the earliest first, once they are open */
	VEC(char *) left_out;  /* sentences; owned */
	/* Of a folder: */
	struct moment_base base;
	VEC(struct merged_file) files; /* the list, once they are merged */
	struct merged_totals totals;
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

static bool is_of_machine(const struct run_facts *run)
{
	return run->scope && strcmp(run->scope, "machine") == 0 &&
	       (!run->command || !*run->command);
}

static int open_store(struct part *part, struct err *err)
{
	_cleanup_(profile_freep) struct profile *run = NULL;
	int rc = store_open(part->path, &part->store, err);

	if (rc == 0)
		rc = store_load_run(part->store, &run, err);
	if (rc < 0) {
		store_close(steal_ptr(part->store));
		return rc;
	}
	part->is_of_machine = is_of_machine(&run->run);
	part->start_ns = run->run.start_ns;
	part->start_real_ns = run->run.start_realtime_ns;
	part->end_real_ns =
		part->start_real_ns + store_end_ns(part->store, run) - run->run.start_ns;
	store_rest(part->store);
	return 0;
}

static void part_done(struct part *part)
{
	store_close(part->store);
	free(part->path);
	free(part->why);
}

/* Keeps those parts for which @wanted is true. */
static void keep_parts(struct parts *parts, bool (*wanted)(struct part *part, void *context),
		       void *context)
{
	size_t count = 0;

	for (size_t i = 0; i < parts->list.count; i++) {
		struct part *part = &parts->list.items[i];

		if (wanted(part, context))
			parts->list.items[count++] = *part;
		else
			part_done(part);
	}
	parts->list.count = count;
}

static int list_folder(struct parts *parts, DIR *folder, struct err *err)
{
	const struct dirent *entry;
	struct stat st;

	while ((entry = readdir(folder))) {
		if (!is_profile_name(entry->d_name) ||
		    fstatat(dirfd(folder), entry->d_name, &st, 0) < 0)
			continue;
		*vec_push(&parts->list) = (struct part){
			.path = xasprintf("%s/%s", parts->folder, entry->d_name),
			.written_ns = (uint64_t)st.st_mtim.tv_sec * NS_PER_S +
				      (uint64_t)st.st_mtim.tv_nsec,
		};
	}
	return parts->list.count
		       ? 0
		       : err_set(err, -ENOENT, "%s: no profile is in this folder", parts->folder);
}

int parts_open(const char *path, struct parts **ret_parts, struct err *err)
{
	_cleanup_(closedirp) DIR *folder = opendir(path);
	struct parts *parts = xcalloc(1, sizeof(*parts));
	int rc;

	if (folder) {
		parts->folder = xstrdup(path);
		rc = list_folder(parts, folder, err);
	} else {
		*vec_push(&parts->list) = (struct part){ .path = xstrdup(path) };
		rc = open_store(&parts->list.items[0], err);
	}
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
	for (size_t i = 0; i < parts->list.count; i++)
		part_done(&parts->list.items[i]);
	for (size_t i = 0; i < parts->left_out.count; i++)
		free(parts->left_out.items[i]);
	for (size_t i = 0; i < parts->files.count; i++)
		merged_file_done(&parts->files.items[i]);
	total_sums_done(&parts->totals.all);
	total_sums_done(&parts->totals.whole);
	vec_free(&parts->files);
	vec_free(&parts->list);
	vec_free(&parts->left_out);
	free(parts->folder);
	free(parts);
}

/* ---- choosing ---- */

/* Not written since @context, it has no later samples. */
static bool is_written_since(struct part *part, void *context)
{
	const uint64_t *since_ns = context;

	return part->written_ns >= *since_ns;
}

static uint64_t last_written_ns(const struct parts *parts)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < parts->list.count; i++) {
		if (parts->list.items[i].written_ns > last_ns)
			last_ns = parts->list.items[i].written_ns;
	}
	return last_ns;
}

static void open_one(void *context, size_t number)
{
	struct parts *parts = context;
	struct part *part = &parts->list.items[number];
	struct err why;

	if (open_store(part, &why) < 0)
		part->why = xasprintf("a part of the folder: %s", why.text);
}

static bool is_open(struct part *part, void *context)
{
	struct parts *parts = context;

	if (part->why)
		*vec_push(&parts->left_out) = steal_ptr(part->why);
	return part->store != NULL;
}

static bool is_in_window(struct part *part, void *context)
{
	const struct selection_window *window = context;

	return !selection_window_is_part(window) ||
	       (part->start_real_ns < window->to_ns && part->end_real_ns > window->from_ns);
}

/* The earliest moment of the window, if that does not depend on the history; else 0. */
static uint64_t least_ns(const struct parts *parts, const struct selection_window *window)
{
	uint64_t ns = 0;
	struct err err;

	if (!window->since_text || moment_is_relative(&window->since) ||
	    (window->until_text && moment_is_relative(&window->until)) ||
	    moment_ns(&window->since, &parts->base, &ns, &err) < 0)
		return 0;
	return ns > window->earlier_ns ? ns - window->earlier_ns : 0;
}

DEFINE_ORDER(by_start, struct part, COMPARE(a->start_real_ns, b->start_real_ns))

static void find_base(struct parts *parts)
{
	struct moment_base *base = &parts->base;

	for (size_t i = 0; i < parts->list.count; i++) {
		const struct part *part = &parts->list.items[i];

		if (i == 0 || part->start_real_ns < base->start_ns)
			base->start_ns = part->start_real_ns;
		if (part->end_real_ns > base->end_ns)
			base->end_ns = part->end_real_ns;
	}
	base->start_real_ns = base->start_ns;
	if (parts_is_live(parts))
		base->end_ns = base->now_ns;
}

static const char *name_of(const struct parts *parts)
{
	return parts->folder ? parts->folder : parts->list.items[0].path;
}

/* See moment_base.find_mark. */
static int find_mark(void *context, const char *text, uint64_t *ret_ns, struct err *err)
{
	const struct parts *parts = context;

	for (size_t i = parts->list.count; i-- > 0;) {
		const struct part *part = &parts->list.items[i];
		int rc = store_find_mark(part->store, text, ret_ns, err);

		if (rc < 0)
			return rc;
		if (rc && parts->folder)
			*ret_ns = part->start_real_ns + (*ret_ns - part->start_ns);
		if (rc)
			return 0;
	}
	return err_set(err, -ENODATA,
		       "%s has no mark '%s': 'prospect query \"SELECT * FROM marks\"' lists marks",
		       name_of(parts), text);
}

/* Opens what was written since then, and the last ones, to know where the history ends: what is being
 * recorded may have been written before what was recorded. */
static int open_parts(struct parts *parts, uint64_t since_ns, struct err *err)
{
	uint64_t last_ns = last_written_ns(parts);

	since_ns = since_ns < last_ns ? since_ns : last_ns;
	since_ns = since_ns > RECORDING_NS ? since_ns - RECORDING_NS : 0;
	keep_parts(parts, is_written_since, &since_ns);
	open_limit_raise();
	parallel_each(parts->list.count, open_one, parts);
	keep_parts(parts, is_open, parts);
	if (!parts->list.count)
		return err_set(err, -ENOENT, "%s: no profile that can be read is in this folder",
			       parts->folder);
	qsort(parts->list.items, parts->list.count, sizeof(struct part), by_start);
	find_base(parts);
	return 0;
}

int parts_choose(struct parts *parts, struct selection_window *window, struct err *err)
{
	int rc;

	if (!parts->folder)
		return 0;
	parts->base.now_ns = clock_read(CLOCK_REALTIME);
	/* Until the bounds are known: the clock of moments is ns since 1970. */
	parts->base.start_ns = parts->base.start_real_ns = 1;
	parts->base.find_mark = find_mark;
	parts->base.context = parts;
	rc = open_parts(parts, least_ns(parts, window), err);
	if (rc == 0)
		rc = selection_window_find(window, &parts->base, err);
	if (rc < 0)
		return rc;
	keep_parts(parts, is_in_window, window);
	return parts->list.count ? 0 : selection_window_explain(window, &parts->base, err);
}

int parts_has_command(const struct parts *parts, bool *ret_has, struct err *err)
{
	int rc = 0;

	*ret_has = false;
	for (size_t i = 0; rc == 0 && !*ret_has && i < parts->list.count; i++) {
		const struct part *part = &parts->list.items[i];

		if (part->is_of_machine)
			continue;
		rc = store_has_command(part->store, ret_has, err);
		if (parts->folder)
			store_rest(part->store);
	}
	return rc;
}

bool parts_file(const struct parts *parts, const struct selection_window *window, size_t number,
		struct part_file *ret_file)
{
	const struct part *part;

	if (number >= parts->list.count)
		return false;
	part = &parts->list.items[number];
	*ret_file = (struct part_file){ .path = part->path,
					.start_real_ns = part->start_real_ns,
					.to_ns = UINT64_MAX };
	if (window->from_ns > part->start_real_ns)
		ret_file->from_ns = part->start_ns + (window->from_ns - part->start_real_ns);
	if (window->to_ns < part->end_real_ns)
		ret_file->to_ns = part->start_ns + (window->to_ns - part->start_real_ns);
	return true;
}

const char *parts_folder(const struct parts *parts, size_t *ret_count)
{
	*ret_count = parts->list.count;
	return parts->folder;
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

static int merge_parts(struct parts *parts, const struct selection_window *window,
		       struct profile *profile, struct err *err)
{
	int rc;

	for (size_t i = 0; i < parts->list.count; i++) {
		const struct part *part = &parts->list.items[i];

		*vec_push(&parts->files) = (struct merged_file){ .path = part->path,
								 .store = part->store,
								 .start_ns = part->start_ns };
	}
	rc = file_merge_run(parts->files.items, parts->files.count, window, profile, &parts->totals,
			    err);
	for (size_t i = 0; i < parts->left_out.count; i++)
		profile_not_visible(profile, parts->left_out.items[i]);
	return rc;
}

struct moment_base parts_base(struct parts *parts, const struct profile *profile)
{
	if (parts->folder)
		return parts->base;
	return (struct moment_base){ .start_ns = profile->run.start_ns,
				     .end_ns = parts_end_ns(parts, profile),
				     .start_real_ns = profile->run.start_realtime_ns,
				     .find_mark = find_mark,
				     .context = parts };
}

/* From CLOCK_REALTIME to the clock of the merged profile. */
static void shift_times(struct parts *parts, const struct profile *profile,
			struct selection_window *window)
{
	struct moment_base *base = &parts->base;
	struct selection_window span = { .from_ns = base->end_ns, .to_ns = base->now_ns };

	span = file_merge_window(profile, &span);
	base->start_ns = profile->run.start_ns;
	base->start_real_ns = profile->run.start_realtime_ns;
	base->end_ns = span.from_ns;
	base->now_ns = span.to_ns;
	*window = file_merge_window(profile, window);
}

int parts_load_profile(struct parts *parts, struct selection_window *window,
		       struct profile **ret_profile, struct err *err)
{
	struct moment_base base;
	int rc;

	if (!parts->folder) {
		rc = store_load_profile(parts->list.items[0].store, ret_profile, err);
		if (rc < 0)
			return rc;
		base = parts_base(parts, *ret_profile);
		return selection_window_find(window, &base, err);
	}
	*ret_profile = profile_new();
	rc = merge_parts(parts, window, *ret_profile, err);
	if (rc == 0) {
		shift_times(parts, *ret_profile, window);
		return 0;
	}
	profile_free(*ret_profile);
	*ret_profile = NULL;
	return rc;
}

/* ---- totals ---- */

int parts_load_totals(struct parts *parts, struct totals *ret_totals, struct totals *ret_whole,
		      struct err *err)
{
	*ret_totals = *ret_whole = (struct totals){ 0 };
	if (!parts->folder)
		return store_load_totals(parts->list.items[0].store, ret_totals, err);
	*ret_totals = total_sums_take(&parts->totals.all);
	*ret_whole = total_sums_take(&parts->totals.whole);
	return 0;
}

/* ---- samples ---- */

/* What parts_each_batch reads. */
struct reading {
	const struct parts *parts;
	const struct sample_wish *wish;
	bool without_whole;
	struct sample_feed *feed;
	const struct merge_map *map;
	VEC(struct sample) samples; /* as the merged profile has them */
};

static int pass_samples(void *context, const struct sample *samples, size_t count)
{
	struct reading *reading = context;

	reading->samples.count = 0;
	vec_reserve(&reading->samples, count);
	for (size_t i = 0; i < count; i++)
		reading->samples.items[i] = merge_sample(reading->map, &samples[i]);
	return sample_feed_give(reading->feed, reading->samples.items, count);
}

static int read_file(struct reading *reading, const struct merged_file *file, struct err *err)
{
	const struct sample_wish *wish = reading->wish;
	struct sample_wish own = *wish;
	int rc;

	own.from_ns = merged_file_time(file, wish->from_ns);
	own.to_ns = merged_file_time(file, wish->to_ns);
	own.slices.from_ns -= (uint64_t)file->map.shift_ns;
	if (own.from_ns > file->end_ns || own.to_ns <= file->start_ns ||
	    (reading->without_whole && file->is_whole))
		return 0;
	reading->map = &file->map;
	rc = store_each_batch(file->store, &own, pass_samples, reading, err);
	store_rest(file->store);
	return rc;
}

static int read_files(void *context, struct sample_feed *feed, struct err *err)
{
	struct reading *reading = context;
	int rc = 0;

	reading->feed = feed;
	for (size_t i = 0; rc == 0 && i < reading->parts->files.count; i++)
		rc = read_file(reading, &reading->parts->files.items[i], err);
	return rc;
}

int parts_each_batch(const struct parts *parts, const struct sample_wish *wish, bool without_whole,
		     int (*visit)(void *context, const struct sample *samples, size_t count),
		     void *context, struct err *err)
{
	struct reading reading = { .parts = parts, .wish = wish, .without_whole = without_whole };
	int rc;

	if (!parts->folder)
		return store_each_batch(parts->list.items[0].store, wish, visit, context, err);
	rc = sample_feed_run(read_files, &reading, visit, context, err);
	vec_free(&reading.samples);
	return rc;
}

/* Passes on what one part has as what the merged profile has. */
struct passing {
	const struct merge_map *map;
	void (*visit_branch)(void *context, const struct branch *branch);
	void *context;
};

static void pass_branch(void *context, const struct branch *branch)
{
	struct passing *passing = context;
	struct branch merged = merge_branch(passing->map, branch);

	passing->visit_branch(passing->context, &merged);
}

int parts_each_branch(const struct parts *parts,
		      void (*visit)(void *context, const struct branch *branch), void *context,
		      struct err *err)
{
	struct passing passing = { .visit_branch = visit, .context = context };
	int rc = 0;

	if (!parts->folder)
		return store_each_branch(parts->list.items[0].store, visit, context, err);
	for (size_t i = 0; rc == 0 && i < parts->files.count; i++) {
		const struct merged_file *file = &parts->files.items[i];

		passing.map = &file->map;
		rc = store_each_branch(file->store, pass_branch, &passing, err);
	}
	return rc;
}
