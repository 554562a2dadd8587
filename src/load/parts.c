/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/parts.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/open_limit.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "model/merge.h"

DEFINE_CLEANUP(struct profile *, profile_free);

enum { MOST_THREADS = 16 }; /* besides the first one */

/* A profile that is being recorded is written at least so often. */
#define RECORDING_NS (60 * NS_PER_S)

struct part {
	char *path; /* owned */
	/* Of a folder, since 1970: when the file was written last, and once it is open what its samples
	 * are of. */
	uint64_t written_ns, start_real_ns, end_real_ns;
	uint64_t start_ns;	    /* start_real_ns by the clock of its samples */
	struct store_reader *store; /* NULL: not open */
	struct profile *profile;    /* of a folder: for its totals and samples; owned */
	struct totals totals;	    /* likewise */
	struct merge_map map;	    /* likewise */
};

struct parts {
	char *folder;		 /* NULL: a single file; owned */
	VEC(struct part) list;	 /* the earliest first, once they are open */
	VEC(char *) left_out;	 /* sentences; owned */
	struct moment_base base; /* of a folder */
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
	part->start_ns = run->run.start_ns;
	part->start_real_ns = run->run.start_realtime_ns;
	part->end_real_ns =
		part->start_real_ns + store_end_ns(part->store, run) - run->run.start_ns;
	return 0;
}

static void part_done(struct part *part)
{
	merge_map_done(&part->map);
	vec_free(&part->totals.rows);
	profile_free(part->profile);
	store_close(part->store);
	free(part->path);
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

static bool can_be_opened(struct part *part, void *context)
{
	struct parts *parts = context;
	struct err why;

	if (open_store(part, &why) == 0)
		return true;
	*vec_push(&parts->left_out) = xasprintf("a part of the folder: %s", why.text);
	return false;
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
	keep_parts(parts, can_be_opened, parts);
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
	for (size_t i = 0; rc == 0 && !*ret_has && i < parts->list.count; i++)
		rc = store_has_command(parts->list.items[i].store, ret_has, err);
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

/* Files are loaded by several threads, each the next one. */
struct loading {
	struct parts *parts;
	atomic_size_t next;
	pthread_mutex_t lock; /* of the others: */
	int rc;
	struct err err;
};

static int load_part(struct part *part, struct err *err)
{
	int rc = store_load_profile(part->store, &part->profile, err);

	return rc < 0 ? rc : store_load_totals(part->store, &part->totals, err);
}

static void *load_some(void *context)
{
	struct loading *loading = context;
	struct parts *parts = loading->parts;
	size_t number;

	while ((number = atomic_fetch_add(&loading->next, 1)) < parts->list.count) {
		struct part *part = &parts->list.items[number];
		struct err err;
		int rc = load_part(part, &err);

		if (rc == 0)
			continue;
		pthread_mutex_lock(&loading->lock);
		if (loading->rc == 0) {
			loading->rc = rc;
			err_set(&loading->err, rc, "%s: %s", part->path, err.text);
		}
		pthread_mutex_unlock(&loading->lock);
	}
	return NULL;
}

/* If no thread can be made, this one does it alone. */
static int load_parts(struct parts *parts, struct err *err)
{
	struct loading loading = { .parts = parts, .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t threads[MOST_THREADS];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = 0;

	while (count < MOST_THREADS && (long)count + 1 < cpus && count + 1 < parts->list.count &&
	       pthread_create(&threads[count], NULL, load_some, &loading) == 0)
		count++;
	load_some(&loading);
	while (count > 0)
		pthread_join(threads[--count], NULL);
	if (loading.rc < 0)
		*err = loading.err;
	return loading.rc;
}

static int merge_parts(struct parts *parts, struct profile *profile, struct err *err)
{
	struct merge *merge = merge_new(profile);
	int rc = load_parts(parts, err);

	for (size_t i = 0; rc == 0 && i < parts->list.count; i++) {
		struct part *part = &parts->list.items[i];

		rc = merge_add(merge, part->profile, store_end_ns(part->store, part->profile),
			       &part->map, err);
	}
	for (size_t i = 0; i < parts->left_out.count; i++)
		profile_not_visible(profile, parts->left_out.items[i]);
	merge_free(merge);
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

static uint64_t shifted(uint64_t real_ns, const struct run_facts *run)
{
	uint64_t boot_real_ns = run->start_realtime_ns - run->start_ns;

	return real_ns > boot_real_ns ? real_ns - boot_real_ns : 0;
}

/* From CLOCK_REALTIME to the clock of the merged profile. */
static void shift_window(struct parts *parts, const struct run_facts *run,
			 struct selection_window *window)
{
	struct moment_base *base = &parts->base;

	base->start_ns = run->start_ns;
	base->start_real_ns = run->start_realtime_ns;
	base->end_ns = shifted(base->end_ns, run);
	base->now_ns = shifted(base->now_ns, run);
	window->from_ns = shifted(window->from_ns, run);
	if (window->to_ns != UINT64_MAX)
		window->to_ns = shifted(window->to_ns, run);
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
	rc = merge_parts(parts, *ret_profile, err);
	if (rc == 0) {
		shift_window(parts, &(*ret_profile)->run, window);
		return 0;
	}
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

static void add_totals(const struct part *part, struct totals *totals)
{
	for (size_t i = 0; i < part->totals.rows.count; i++) {
		struct total *total = vec_push(&totals->rows);

		*total = part->totals.rows.items[i];
		total->stack = part->map.stacks.items[total->stack];
		total->task = part->map.tasks.items[total->task];
		total->event = part->map.events[total->event];
	}
}

int parts_load_totals(const struct parts *parts, const struct profile *profile,
		      struct totals *ret_totals, struct err *err)
{
	if (!parts->folder)
		return store_load_totals(parts->list.items[0].store, ret_totals, err);
	*ret_totals = (struct totals){ 0 };
	for (size_t i = 0; i < parts->list.count; i++)
		add_totals(&parts->list.items[i], ret_totals);
	add_up(ret_totals);
	return 0;
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
		return store_each_batch(parts->list.items[0].store, wish, visit, context, err);
	for (size_t i = 0; rc == 0 && i < parts->list.count; i++) {
		const struct part *part = &parts->list.items[i];
		struct sample_wish own = {
			own_ns(part, wish->from_ns), own_ns(part, wish->to_ns), wish->fields, { 0 }
		};

		passing.map = &part->map;
		if (own.from_ns <= store_end_ns(part->store, part->profile) &&
		    own.to_ns > part->profile->run.start_ns)
			rc = store_each_batch(part->store, &own, pass_samples, &passing, err);
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
		return store_each_branch(parts->list.items[0].store, visit, context, err);
	for (size_t i = 0; rc == 0 && i < parts->list.count; i++) {
		const struct part *part = &parts->list.items[i];

		passing.map = &part->map;
		rc = store_each_branch(part->store, pass_branch, &passing, err);
	}
	return rc;
}
