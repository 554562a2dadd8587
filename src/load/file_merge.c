/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/file_merge.h"

#include "base/cleanup.h"
#include "base/parallel.h"

DEFINE_CLEANUP(struct profile *, profile_free);

struct merging {
	struct merged_file *files;
	const struct selection_window *window;
	struct profile *into;
	struct merged_totals *totals;
	struct parallel_order *order;
	/* Of the thread whose turn it is: */
	struct merge *merge;
	int rc;
	struct err err;
};

void merged_file_done(struct merged_file *file)
{
	merge_map_done(&file->map);
}

/* ---- clocks ---- */

static uint64_t shifted(uint64_t real_ns, const struct run_facts *run)
{
	uint64_t boot_real_ns = run->start_realtime_ns - run->start_ns;

	if (!real_ns || real_ns == UINT64_MAX)
		return real_ns;
	return real_ns > boot_real_ns ? real_ns - boot_real_ns : 0;
}

struct selection_window file_merge_window(const struct profile *merged,
					  const struct selection_window *window)
{
	struct selection_window moved = *window;

	moved.from_ns = shifted(window->from_ns, &merged->run);
	moved.to_ns = shifted(window->to_ns, &merged->run);
	return moved;
}

uint64_t merged_file_time(const struct merged_file *file, uint64_t time_ns)
{
	int64_t shift_ns = file->map.shift_ns;

	if (!time_ns || time_ns == UINT64_MAX)
		return time_ns;
	return shift_ns > 0 && time_ns < (uint64_t)shift_ns ? 0 : time_ns - (uint64_t)shift_ns;
}

/* ---- merging ---- */

/* What was loaded of a file. */
struct loaded {
	struct profile *profile;
	struct totals totals;
};

static int load(const struct merged_file *file, struct loaded *loaded, struct err *err)
{
	int rc = store_load_profile(file->store, &loaded->profile, err);

	if (rc == 0)
		rc = store_load_totals(file->store, &loaded->totals, err);
	store_rest(file->store);
	return rc < 0 ? err_prefix(err, rc, "%s", file->path) : 0;
}

static int find_whole(const struct merging *merging, struct merged_file *file, struct err *err)
{
	struct selection_window window = file_merge_window(merging->into, merging->window);
	uint64_t from_ns, to_ns;
	int rc = store_span(file->store, &from_ns, &to_ns, err);

	if (rc == 0)
		file->is_whole = merged_file_time(file, window.from_ns) <= from_ns &&
				 merged_file_time(file, window.to_ns) >= to_ns;
	return rc;
}

static void add_totals(const struct merged_file *file, const struct totals *totals,
		       struct total_sums *sums)
{
	for (size_t i = 0; i < totals->rows.count; i++) {
		struct total total = totals->rows.items[i];

		total.stack = file->map.stacks.items[total.stack];
		total.task = file->map.tasks.items[total.task];
		total.event = file->map.events[total.event];
		total_sums_add(sums, &total);
	}
}

static int take(struct merging *merging, struct merged_file *file, const struct loaded *loaded,
		struct err *err)
{
	bool is_part = selection_window_is_part(merging->window);
	int rc;

	file->end_ns = store_end_ns(file->store, loaded->profile);
	rc = merge_add(merging->merge, loaded->profile, file->end_ns, &file->map, err);
	if (rc == 0 && is_part)
		rc = find_whole(merging, file, err);
	if (rc < 0)
		return rc;
	add_totals(file, &loaded->totals, &merging->totals->all);
	if (is_part && file->is_whole)
		add_totals(file, &loaded->totals, &merging->totals->whole);
	return 0;
}

/* The other numbers are not needed once the rows are merged. */
static void forget_numbers(struct merge_map *map)
{
	vec_free(&map->texts);
	vec_free(&map->images);
	vec_free(&map->processes);
	vec_free(&map->symbols);
}

static void merge_file(void *context, size_t number)
{
	struct merging *merging = context;
	struct merged_file *file = &merging->files[number];
	struct loaded loaded = { 0 };
	struct err err;
	int rc = load(file, &loaded, &err);

	parallel_order_begin(merging->order, number);
	if (rc == 0 && merging->rc == 0)
		rc = take(merging, file, &loaded, &err);
	if (rc < 0 && merging->rc == 0) {
		merging->rc = rc;
		merging->err = err;
	}
	parallel_order_end(merging->order);
	forget_numbers(&file->map);
	vec_free(&loaded.totals.rows);
	profile_free(loaded.profile);
}

int file_merge_run(struct merged_file *files, size_t count, const struct selection_window *window,
		   struct profile *into, struct merged_totals *totals, struct err *err)
{
	struct merging merging = { .files = files,
				   .window = window,
				   .into = into,
				   .totals = totals,
				   .order = parallel_order_new(),
				   .merge = merge_new(into) };

	parallel_each(count, merge_file, &merging);
	merge_free(merging.merge);
	parallel_order_free(merging.order);
	if (merging.rc < 0)
		*err = merging.err;
	return merging.rc;
}
