/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/diff_run.h"
#include "aggregate/discoveries.h"
#include "base/xalloc.h"

/* Two sides of fewer samples than this cannot differ surely: 5 against 0 are 1 in 16 by chance. */
static const double least_samples = 6;

const char *diff_verdict_name(enum diff_verdict verdict)
{
	static const char *const names[DIFF_VERDICTS] = { "noise", "more", "less", "new", "gone" };

	return names[verdict];
}

const char *diff_measure_name(enum diff_measure measure)
{
	static const char *const names[DIFF_MEASURES] = { "share", "time", "rate" };

	return names[measure];
}

struct diff *diff_new(const struct key_list *keys, bool exact)
{
	struct diff *diff = xcalloc(1, sizeof(*diff));

	diff->keys = *keys;
	for (size_t i = 0; i < keys->count; i++)
		diff->matches[i] = (struct rebuilt_match){ .key = keys->items[i], .exact = exact };
	return diff;
}

void diff_free(struct diff *diff)
{
	if (!diff)
		return;
	for (size_t i = 0; i < diff->runs.count; i++)
		diff_run_done(&diff->runs.items[i]);
	for (size_t i = 0; i < diff->keys.count; i++)
		rebuilt_match_done(&diff->matches[i]);
	strpool_done(&diff->strings);
	vec_free(&diff->runs);
	vec_free(&diff->events);
	vec_free(&diff->rows);
	vec_free(&diff->probes);
	vec_free(&diff->texts);
	free(diff);
}

/* What is worked on while a diff is made. */
struct making {
	struct diff *diff;
	struct hashidx index;  /* of rows, by event and meanings */
	VEC(struct hits) hits; /* by row, then run */
	VEC(str_id) meanings;  /* by row, then key */
};

struct wanted {
	const str_id *meanings;
	uint8_t event;
};

static bool row_equal(const void *owner, uint32_t id, const void *key)
{
	const struct making *making = owner;
	const struct wanted *wanted = key;
	size_t keys = making->diff->keys.count;

	return making->diff->rows.items[id].event == wanted->event &&
	       memcmp(&making->meanings.items[id * keys], wanted->meanings,
		      keys * sizeof(str_id)) == 0;
}

static uint32_t append_row(struct making *making, const struct wanted *wanted, const str_id *texts)
{
	struct diff *diff = making->diff;
	uint32_t id = (uint32_t)diff->rows.count;

	*vec_push(&diff->rows) =
		(struct diff_row){ .texts = diff->texts.count, .event = wanted->event };
	for (size_t i = 0; i < diff->keys.count; i++) {
		*vec_push(&diff->texts) = texts[i];
		*vec_push(&making->meanings) = wanted->meanings[i];
	}
	for (size_t i = 0; i < diff->runs.count; i++)
		*vec_push(&making->hits) = (struct hits){ 0 };
	return id;
}

/* Parts of one thing are shown by what they mean together. */
static void show_meaning(struct making *making, uint32_t id, const str_id *texts)
{
	struct diff *diff = making->diff;
	str_id *shown = &diff->texts.items[diff->rows.items[id].texts];

	for (size_t i = 0; i < diff->keys.count; i++) {
		if (shown[i] != texts[i])
			shown[i] = making->meanings.items[id * diff->keys.count + i];
	}
}

static uint32_t row_of(struct making *making, const struct diff_run *run, size_t number)
{
	struct diff *diff = making->diff;
	const str_id *texts = &run->texts.items[number * diff->keys.count];
	struct wanted wanted = { .event = run->rows.items[number].event };
	uint64_t hash = hash_u64(wanted.event);
	str_id meanings[KEYS_MAX];
	uint32_t id;

	for (size_t i = 0; i < diff->keys.count; i++) {
		meanings[i] = rebuilt_match_meaning(&diff->matches[i], texts[i]);
		hash = hash_combine(hash, meanings[i]);
	}
	wanted.meanings = meanings;
	if (hashidx_find(&making->index, hash, row_equal, making, &wanted, &id)) {
		if (run->side == DIFF_NEW)
			show_meaning(making, id, texts);
		return id;
	}
	id = append_row(making, &wanted, texts);
	hashidx_add(&making->index, hash, id);
	return id;
}

static void add_hits(struct making *making, uint32_t id, size_t run, const struct hits *hits)
{
	struct diff *diff = making->diff;
	struct hits *here = &making->hits.items[id * diff->runs.count + run];

	here->samples += hits->samples;
	here->weight += hits->weight;
	diff->rows.items[id].samples[diff->runs.items[run].side] += hits->samples;
}

/* The new side goes first: its texts are shown. */
static void merge_runs(struct making *making, enum diff_side side)
{
	struct diff *diff = making->diff;

	for (size_t i = 0; i < diff->runs.count; i++) {
		struct diff_run *run = &diff->runs.items[i];

		if (run->side != side)
			continue;
		run->row_of = xcalloc(run->rows.count, sizeof(*run->row_of));
		for (size_t row = 0; row < run->rows.count; row++) {
			run->row_of[row] = row_of(making, run, row);
			add_hits(making, run->row_of[row], i, &run->rows.items[row].hits);
		}
	}
}

static void find_main_event(struct diff *diff)
{
	bool found = false;

	for (size_t i = 0; i < diff->events.count; i++) {
		const struct diff_event *event = &diff->events.items[i];

		if (!event->is_compared || (found && !event->is_time))
			continue;
		diff->main_event = i;
		if (event->is_time)
			return;
		found = true;
	}
}

/* Probes are rows of their own until they were measured. */
static void add_probes(struct making *making)
{
	struct diff *diff = making->diff;
	size_t count = diff->runs.items[0].probe_count;

	for (size_t probe = 0; probe < count; probe++) {
		str_id none[KEYS_MAX] = { 0 };
		struct wanted wanted = { none, diff->main_event };
		uint32_t id = append_row(making, &wanted, none);

		for (size_t i = 0; i < diff->runs.count; i++) {
			struct diff_run *run = &diff->runs.items[i];

			run->probe_base = id - (uint32_t)probe;
			add_hits(making, id, i, diff_run_probe(run, probe, diff->main_event));
		}
	}
}

static struct measured measure_run(const struct diff_run *run, const struct diff_event *event,
				   uint8_t number, enum diff_measure measure, uint64_t weight)
{
	const struct table_sum *sum = &run->sums[number];
	double whole = (double)sum->weight, squared = sum->weight_squared;
	double one = measure == DIFF_SHARE ? 1 / whole : measure == DIFF_RATE ? 1 / run->wall_s : 1;
	double per_sample = squared / whole * one;

	return (struct measured){ .value = (double)weight * one,
				  .exposure = event->is_exact ? INFINITY : 1 / per_sample };
}

/* What measures rows one after the other. */
struct measuring {
	const struct diff *diff;
	struct diff_blocks *blocks; /* NULL: runs are compared */
	/* Scratch: a measurement for each run, the old ones first. */
	struct measured *runs;
};

static void measuring_init(struct measuring *measuring, const struct diff *diff)
{
	*measuring =
		(struct measuring){ .diff = diff,
				    .runs = xcalloc(diff->runs.count, sizeof(struct measured)) };
}

static void measuring_done(struct measuring *measuring)
{
	diff_blocks_free(measuring->blocks);
	free(measuring->runs);
}

/* @hits: of each run. @row: that of the blocks, if there are any. */
static struct change measure(struct measuring *measuring, uint8_t event, enum diff_measure what,
			     const struct hits *hits, size_t row)
{
	const struct diff *diff = measuring->diff;
	enum measured_kind kind = what == DIFF_SHARE ? MEASURED_SHARE : MEASURED_AMOUNT;
	size_t old_count = diff->run_count[DIFF_OLD], new_count = diff->run_count[DIFF_NEW];
	struct measured *old = measuring->runs, *new = old + old_count, mean[DIFF_SIDES];
	size_t filled[DIFF_SIDES] = { 0 };
	struct seen_variance seen;

	for (size_t i = 0; i < diff->runs.count; i++) {
		const struct diff_run *run = &diff->runs.items[i];
		struct measured *of_side = run->side == DIFF_OLD ? old : new;

		of_side[filled[run->side]++] =
			measure_run(run, &diff->events.items[event], event, what, hits[i].weight);
	}
	mean[DIFF_OLD] = change_mean(old, old_count);
	mean[DIFF_NEW] = change_mean(new, new_count);
	seen = measuring->blocks ? diff_blocks_variance(measuring->blocks, what, row)
				 : change_of_runs(old, old_count, new, new_count);
	return change_of(kind, &mean[DIFF_OLD], &mean[DIFF_NEW], &seen);
}

static bool is_paired(const struct diff *diff)
{
	return diff->run_count[DIFF_OLD] == 1 && diff->run_count[DIFF_NEW] == 1 &&
	       diff->runs.items[0].has_cells && diff->runs.items[1].has_cells;
}

static void measure_rows(struct making *making)
{
	struct diff *diff = making->diff;
	struct measuring measuring;

	measuring_init(&measuring, diff);
	if (is_paired(diff))
		measuring.blocks = diff_blocks_new(diff, diff->rows.items, diff->rows.count);
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct diff_row *row = &diff->rows.items[i];
		const struct hits *hits = &making->hits.items[i * diff->runs.count];

		if (!diff->events.items[row->event].is_compared)
			continue;
		for (int what = 0; what < DIFF_MEASURES; what++)
			row->by[what] =
				measure(&measuring, row->event, (enum diff_measure)what, hits, i);
	}
	measuring_done(&measuring);
}

static void measure_events(struct diff *diff)
{
	struct hits *hits = xcalloc(diff->runs.count, sizeof(*hits));
	struct measuring measuring;

	measuring_init(&measuring, diff);
	for (size_t event = 0; event < diff->events.count; event++) {
		struct diff_event *row = &diff->events.items[event];

		for (size_t i = 0; i < diff->runs.count; i++) {
			const struct diff_run *run = &diff->runs.items[i];

			hits[i] =
				(struct hits){ run->sums[event].samples, run->sums[event].weight };
			row->samples[run->side] += hits[i].samples;
		}
		for (int what = DIFF_TIME; row->is_compared && what < DIFF_MEASURES; what++)
			row->by[what] =
				measure(&measuring, event, (enum diff_measure)what, hits, 0);
	}
	measuring_done(&measuring);
	free(hits);
}

/* Rows of events that are not in every run are not compared. */
static void drop_incomparable(struct diff *diff)
{
	size_t kept = 0;

	for (size_t i = 0; i < diff->rows.count; i++) {
		if (diff->events.items[diff->rows.items[i].event].is_compared)
			diff->rows.items[kept++] = diff->rows.items[i];
	}
	diff->rows.count = kept;
}

static void take_probes(struct diff *diff)
{
	size_t count = diff->runs.items[0].probe_count;

	for (size_t i = diff->rows.count - count; i < diff->rows.count; i++) {
		struct diff_row *probe = vec_push(&diff->probes);

		*probe = diff->rows.items[i];
		probe->q = probe->by[diff->measure].p;
	}
	diff->rows.count -= count;
}

static enum diff_verdict verdict_of(const struct diff_row *row, enum diff_measure measure,
				    double limit)
{
	const struct change *change = &row->by[measure];

	if (isnan(row->q) || row->q > limit)
		return DIFF_WITHIN_NOISE;
	if (!row->samples[DIFF_OLD])
		return DIFF_APPEARED;
	if (!row->samples[DIFF_NEW])
		return DIFF_GONE;
	return change->after > change->before ? DIFF_MORE : DIFF_LESS;
}

static double probability(const struct diff *diff, const struct diff_row *row)
{
	const struct change *change = &row->by[diff->measure];
	double samples = (double)(row->samples[DIFF_OLD] + row->samples[DIFF_NEW]);

	if (diff->events.items[row->event].is_exact)
		return change->p;
	return samples / change->unevenness < least_samples && samples < least_samples * 4
		       ? NAN
		       : change->p;
}

/* The rows of one event are judged together. */
static void judge_event(struct diff *diff, uint8_t event, double limit)
{
	struct diff_event *sums = &diff->events.items[event];
	double *q = xcalloc(diff->rows.count, sizeof(*q));

	for (size_t i = 0; i < diff->rows.count; i++) {
		const struct diff_row *row = &diff->rows.items[i];

		q[i] = row->event == event ? probability(diff, row) : NAN;
		sums->tested += !isnan(q[i]);
	}
	discoveries_adjust(q, diff->rows.count, q);
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct diff_row *row = &diff->rows.items[i];

		if (row->event != event)
			continue;
		row->q = q[i];
		row->verdict = verdict_of(row, diff->measure, limit);
		sums->rows++;
		sums->noise += row->verdict == DIFF_WITHIN_NOISE;
	}
	free(q);
}

void diff_finish(struct diff *diff, enum diff_measure what, double false_discoveries)
{
	struct making making = { .diff = diff };

	diff->measure = what;
	for (size_t i = 0; i < diff->keys.count; i++)
		rebuilt_match_settle(&diff->matches[i]);
	find_main_event(diff);
	merge_runs(&making, DIFF_NEW);
	merge_runs(&making, DIFF_OLD);
	add_probes(&making);
	measure_rows(&making);
	measure_events(diff);
	take_probes(diff);
	drop_incomparable(diff);
	for (size_t event = 0; event < diff->events.count; event++)
		judge_event(diff, (uint8_t)event, false_discoveries);
	hashidx_done(&making.index);
	vec_free(&making.hits);
	vec_free(&making.meanings);
}

void diff_text(const struct diff *diff, const struct diff_row *row, size_t key, struct buf *buf)
{
	buf_add_str(buf,
		    strpool_get(&diff->matches[key].texts, diff->texts.items[row->texts + key]));
}
