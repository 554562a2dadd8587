/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of the profile file. An input is what is wrong with the file: profile_changes.h. */
#include "base/checksum.h"
#include "profile_changes.h"
#include "store/sql/query.h"
#include "target.h"

enum { MOST_ROWS = 50 };

struct views {
	VEC(char *) names;
};

static volatile uint64_t sink;

/* ---- readers ---- */

/* All that is said to be in range is. */
static void check_profile(const struct profile *profile)
{
	for (uint32_t i = 1; i < profile->stacks.count; i++)
		if (profile->stacks.items[i].parent >= i)
			abort();
	for (uint32_t i = 1; i < profile->frames.count; i++)
		sink += profile->images.items[profile->frames.items[i].image].kind;
	for (uint32_t i = 1; i < profile->processes.count; i++)
		sink += strlen(strpool_get(&profile->strings, profile->processes.items[i].program));
}

static int take_sample(void *context, const struct sample *sample)
{
	const struct profile *profile = context;

	if (sample->event >= profile->event_count || sample->stack >= profile->stacks.count ||
	    sample->task >= profile->tasks.count)
		abort();
	sink += sample->weight;
	return 0;
}

static int take_batch(void *context, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sink += samples[i].weight;
	return 0;
}

static void take_branch(void *context, const struct branch *branch)
{
	sink += branch->event;
}

static void read_samples(struct store_reader *reader, const struct profile *profile)
{
	const struct sample_wish wish = { .to_ns = UINT64_MAX, .fields = 1 };
	struct totals totals;
	struct err err;

	if (store_load_totals(reader, &totals, &err) == 0)
		vec_free(&totals.rows);
	fixture_each_sample(reader, 0, UINT64_MAX, take_sample, (void *)profile, &err);
	store_each_batch(reader, &wish, take_batch, NULL, &err);
	store_each_branch(reader, take_branch, NULL, &err);
}

static void read_profile(const char *path)
{
	struct store_reader *reader;
	struct profile *profile;
	struct err err;

	store_is_profile(path);
	if (store_open(path, &reader, &err) < 0)
		return;
	sink += store_last_second(reader);
	if (store_load_run(reader, &profile, &err) == 0)
		profile_free(profile);
	if (store_load_profile(reader, &profile, &err) == 0) {
		check_profile(profile);
		read_samples(reader, profile);
		profile_free(profile);
	}
	store_close(reader);
}

static void read_view(struct query *query, const char *name)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\" LIMIT %d", name, MOST_ROWS);
	struct err err;

	if (query_prepare(query, sql, &err) == 0) {
		while (query_step(query, &err) == 1)
			sink += query_value(query, 0).size;
	}
	sqlite3_free(sql);
}

static void take_view(void *context, const struct query_view *view)
{
	struct views *views = context;

	*vec_push(&views->names) = xstrdup(view->name);
}

static const struct views *all_views(void)
{
	static struct views views;

	if (!views.names.count)
		query_each_view(take_view, &views, NULL);
	return &views;
}

/* Of every fourth input one of the views, another one for another input: to lay out the views takes
 * as long as all else. */
static void read_views(const struct base *base, const uint8_t *bytes, size_t size)
{
	const struct query_setup setup = { .max_seconds = 2 };
	const struct views *views = all_views();
	uint32_t from = checksum_add(0, bytes, size);
	struct query *query;
	struct err err;

	if (from % 4 != 0 || query_open(base->path, &setup, &query, &err) < 0)
		return;
	read_view(query, views->names.items[from / 4 % views->names.count]);
	query_close(query);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct base *base = changed_profile(bytes, size);

	read_profile(base->path);
	read_views(base, bytes, size);
	return 0;
}
