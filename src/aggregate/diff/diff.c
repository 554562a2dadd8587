/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "aggregate/diff/change.h"
#include "aggregate/diff/diff_measure.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"

/* Two sides with fewer samples than this cannot differ reliably: 5 against 0 has a chance of 1 in
 * 16. */
static const double least_samples = 6;
const double diff_found = 0.95;

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

static void run_done(struct diff_run *run)
{
	vec_free(&run->rows);
	vec_free(&run->texts);
	cells_done(&run->cells);
	free(run->probes);
	free(run->row_of);
}

void diff_free(struct diff *diff)
{
	if (!diff)
		return;
	for (size_t i = 0; i < diff->runs.count; i++)
		run_done(&diff->runs.items[i]);
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

/* ---- runs ---- */

/* Cells of probes have the lowest numbers. */
uint32_t diff_probe_cell(size_t probe, uint8_t event)
{
	return (uint32_t)probe * PROFILE_MAX_EVENTS + event;
}

uint32_t diff_row_cell(size_t probe_count, size_t row)
{
	return (uint32_t)(probe_count * PROFILE_MAX_EVENTS + row);
}

/* The diff's event with this name and unit; PROFILE_MAX_EVENTS: there are too many. */
static uint8_t find_event(struct diff *diff, const struct profile *profile, uint8_t number)
{
	const struct event *event = &profile->events[number];
	struct diff_event key = {
		.name = strpool_intern(&diff->strings, profile_text(profile, event->name)),
		.unit = strpool_intern(&diff->strings, profile_text(profile, event->unit)),
		.is_time = account_is_time(profile, number),
		.is_exact = event->clock == CLOCK_EXACT,
		.is_compared = true,
	};

	for (size_t i = 0; i < diff->events.count; i++) {
		const struct diff_event *row = &diff->events.items[i];

		if (row->name == key.name && row->unit == key.unit && row->is_exact == key.is_exact)
			return (uint8_t)i;
	}
	if (diff->events.count == PROFILE_MAX_EVENTS)
		return PROFILE_MAX_EVENTS;
	/* The earlier runs do not have it. */
	key.is_compared = !diff->runs.count;
	*vec_push(&diff->events) = key;
	return (uint8_t)(diff->events.count - 1);
}

/* False: there are too many events. */
static bool add_events(struct diff *diff, struct diff_run *run, const struct table *table)
{
	const struct profile *profile = table->labels->profile;

	for (uint8_t i = 0; i < profile->event_count; i++) {
		uint8_t event = PROFILE_MAX_EVENTS;

		if (table->sums[i].samples) {
			event = find_event(diff, profile, i);
			if (event == PROFILE_MAX_EVENTS)
				return false;
		}
		run->event_of[i] = event;
		if (event < PROFILE_MAX_EVENTS)
			run->sums[event] = table->sums[i];
	}
	for (size_t i = 0; i < diff->events.count; i++) {
		if (!run->sums[i].weight)
			diff->events.items[i].is_compared = false;
	}
	return true;
}

/* Without places in it. */
static void text_between(const struct table *table, const struct table_row *row, size_t key,
			 struct buf *text)
{
	struct labels named = *table->labels;

	named.by_start = false;
	table->keys.items[key]->text(&named, table->values.items[row->values + key], text);
}

static void build_of(const struct profile *profile, uint32_t symbol, struct buf *text)
{
	const struct image *image = &profile->images.items[profile->symbols.items[symbol].image];

	text_add_hex(text, image->build_id, image->build_id_size);
}

/* Scratch, while rows are added. */
struct texts {
	struct buf text, between, build;
};

/* Adds what a row has for a key: a text, or a place. */
static str_id add_text(struct rebuilt_match *match, enum diff_side side, const struct table *table,
		       const struct table_row *row, size_t key, struct texts *texts)
{
	const struct key *by = table->keys.items[key];
	const struct labels *labels = table->labels;
	uint32_t symbol =
		by->placed ? by->placed(labels, table->values.items[row->values + key]) : 0;
	struct rebuilt_place place;

	buf_clear(&texts->text);
	buf_clear(&texts->between);
	buf_clear(&texts->build);
	table_text(table, row, key, &texts->text);
	if (symbol) {
		labels_name(labels, labels->profile->symbols.items[symbol].name, &texts->between);
		build_of(labels->profile, symbol, &texts->build);
	} else if (labels->by_start && by->place && !by->placed) {
		text_between(table, row, key, &texts->between);
	}
	place = (struct rebuilt_place){ buf_text(&texts->text), buf_text(&texts->between),
					buf_text(&texts->build) };
	if (symbol || (texts->between.size && strcmp(place.text, place.between) != 0))
		return rebuilt_match_add_place(match, &place, side);
	return rebuilt_match_add(match, place.text, side);
}

static void add_row(struct diff *diff, struct diff_run *run, const struct table *table,
		    const struct table_row *row, uint64_t kernel, struct texts *texts)
{
	*vec_push(&run->rows) = (struct diff_run_row){ run->event_of[row->event],
						       { row->samples, row->weight },
						       kernel };
	for (size_t key = 0; key < diff->keys.count; key++)
		*vec_push(&run->texts) =
			add_text(&diff->matches[key], run->side, table, row, key, texts);
}

static void add_probe(struct diff_run *run, const struct diff_probe *from, struct diff_probe *to)
{
	for (size_t event = 0; event < PROFILE_MAX_EVENTS; event++) {
		if (run->event_of[event] == PROFILE_MAX_EVENTS)
			continue;
		to->hits[run->event_of[event]] = from->hits[event];
		to->kernel[run->event_of[event]] = from->kernel[event];
	}
}

int diff_add(struct diff *diff, enum diff_side side, const struct table *table,
	     const uint64_t *kernel, const struct diff_probe *probes, size_t probe_count,
	     struct cells *cells, uint64_t wall_ns, struct err *err)
{
	struct diff_run run = { .side = side,
				.wall_s = (double)wall_ns / (double)NS_PER_S,
				.probe_count = probe_count };
	struct texts texts = { 0 };

	memset(run.event_of, PROFILE_MAX_EVENTS, sizeof(run.event_of));
	if (!add_events(diff, &run, table))
		return err_set(err, -E2BIG, "the profiles have more than %d different events",
			       PROFILE_MAX_EVENTS);
	for (size_t i = 0; i < table->rows.count; i++)
		add_row(diff, &run, table, &table->rows.items[i], kernel ? kernel[i] : 0, &texts);
	buf_done(&texts.text);
	buf_done(&texts.between);
	buf_done(&texts.build);
	run.probes = xcalloc(probe_count, sizeof(*run.probes));
	for (size_t i = 0; i < probe_count; i++)
		add_probe(&run, &probes[i], &run.probes[i]);
	if (cells) {
		run.cells = *cells;
		run.has_cells = true;
		*cells = (struct cells){ 0 };
		if (run.rows.count)
			diff_measure_cells(&run);
	}
	diff->run_count[side]++;
	*vec_push(&diff->runs) = run;
	return 0;
}

void diff_command(struct diff *diff, enum diff_side side, const char *name, const char *text)
{
	for (size_t key = 0; key < diff->keys.count; key++) {
		if (strcmp(diff->keys.items[key]->name, name) == 0)
			rebuilt_match_command(&diff->matches[key], text, side);
	}
}

void diff_executable(struct diff *diff, enum diff_side side, const char *program, const char *exe)
{
	for (size_t key = 0; key < diff->keys.count; key++) {
		if (strcmp(diff->keys.items[key]->name, "program") == 0)
			rebuilt_match_executable(&diff->matches[key], program, file_base(exe),
						 side);
	}
}

/* ---- rows ---- */

/* The state while a diff is made. */
struct making {
	struct diff *diff;
	struct hashidx index;  /* of rows, by event and meanings */
	VEC(struct hits) hits; /* by row, then run */
	VEC(str_id) meanings;  /* by row, then key */
	size_t new_rows; /* rows before this are of the new side; those after it only of the old */
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

/* Parts of one thing appear under the name they have in common. */
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
		if (run->side == DIFF_NEW || id >= making->new_rows)
			show_meaning(making, id, texts);
		return id;
	}
	id = append_row(making, &wanted, texts);
	hashidx_add(&making->index, hash, id);
	return id;
}

static void add_hits(struct making *making, uint32_t id, size_t run, const struct hits *hits,
		     uint64_t kernel)
{
	struct diff *diff = making->diff;
	struct hits *here = &making->hits.items[id * diff->runs.count + run];

	here->samples += hits->samples;
	here->weight += hits->weight;
	diff->rows.items[id].samples[diff->runs.items[run].side] += hits->samples;
	diff->rows.items[id].weight += (double)hits->weight;
	diff->rows.items[id].kernel += (double)kernel;
}

/* Call this for the new side first: its texts are shown. */
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
			add_hits(making, run->row_of[row], i, &run->rows.items[row].hits,
				 run->rows.items[row].kernel);
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

/* Probes are rows like others until they have been measured. */
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
			add_hits(making, id, i, &run->probes[probe].hits[diff->main_event],
				 run->probes[probe].kernel[diff->main_event]);
		}
	}
}

/* Drops rows of events that are not in every run. */
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
		for (int what = 0; what < DIFF_MEASURES; what++)
			probe->q_by[what] = probe->by[what].p;
		probe->q = probe->q_by[diff->measure];
		probe->detectable =
			change_detectable(&probe->by[diff->measure], diff->limit, diff_found);
	}
	diff->rows.count -= count;
}

static enum diff_verdict verdict_of(const struct diff_row *row, const struct diff *diff)
{
	const struct change *change = &row->by[diff->measure];

	if (isnan(row->q) || row->q > diff->limit)
		return DIFF_WITHIN_NOISE;
	if (!row->samples[DIFF_OLD])
		return DIFF_APPEARED;
	if (!row->samples[DIFF_NEW])
		return DIFF_GONE;
	return change->after > change->before ? DIFF_MORE : DIFF_LESS;
}

static double probability(const struct diff *diff, const struct diff_row *row,
			  enum diff_measure what)
{
	const struct change *change = &row->by[what];
	double samples = (double)(row->samples[DIFF_OLD] + row->samples[DIFF_NEW]);

	if (diff->events.items[row->event].is_exact)
		return change->p;
	return samples / change->unevenness < least_samples && samples < least_samples * 4
		       ? NAN
		       : change->p;
}

/* Adjusts the rows of one event together; returns how many were tested. @q: scratch, one for each
 * row of the diff. */
static size_t adjust_event(struct diff *diff, uint8_t event, enum diff_measure what, double *q)
{
	size_t tested = 0;

	for (size_t i = 0; i < diff->rows.count; i++) {
		const struct diff_row *row = &diff->rows.items[i];

		q[i] = row->event == event ? probability(diff, row, what) : NAN;
		tested += !isnan(q[i]);
	}
	change_discoveries(q, diff->rows.count, q);
	for (size_t i = 0; i < diff->rows.count; i++) {
		if (diff->rows.items[i].event == event)
			diff->rows.items[i].q_by[what] = q[i];
	}
	return tested;
}

/* If this row alone changed, its probability must be below the limit divided by the number of
 * tested rows. */
static void find_detectable(const struct diff *diff, const struct diff_event *sums,
			    struct diff_row *row)
{
	row->detectable =
		isnan(row->q) ? NAN
			      : change_detectable(&row->by[diff->measure],
						  diff->limit / (double)sums->tested, diff_found);
}

static void judge_event(struct diff *diff, uint8_t event)
{
	struct diff_event *sums = &diff->events.items[event];
	double *q = xcalloc(diff->rows.count, sizeof(*q));

	sums->detectable = NAN;
	for (int what = 0; what < DIFF_MEASURES; what++) {
		size_t tested = adjust_event(diff, event, (enum diff_measure)what, q);

		if (what == (int)diff->measure)
			sums->tested = tested;
	}
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct diff_row *row = &diff->rows.items[i];

		if (row->event != event)
			continue;
		row->q = row->q_by[diff->measure];
		row->verdict = verdict_of(row, diff);
		find_detectable(diff, sums, row);
		sums->detectable = fmax(sums->detectable, row->detectable);
		sums->rows++;
		sums->noise += row->verdict == DIFF_WITHIN_NOISE;
	}
	free(q);
}

void diff_finish(struct diff *diff, enum diff_measure what, double false_discoveries)
{
	struct making making = { .diff = diff };

	diff->measure = what;
	diff->limit = false_discoveries;
	for (size_t i = 0; i < diff->keys.count; i++)
		rebuilt_match_settle(&diff->matches[i]);
	find_main_event(diff);
	merge_runs(&making, DIFF_NEW);
	making.new_rows = diff->rows.count;
	merge_runs(&making, DIFF_OLD);
	add_probes(&making);
	diff_measure_rows(diff, making.hits.items);
	diff_measure_events(diff);
	take_probes(diff);
	drop_incomparable(diff);
	for (size_t event = 0; event < diff->events.count; event++)
		judge_event(diff, (uint8_t)event);
	hashidx_done(&making.index);
	vec_free(&making.hits);
	vec_free(&making.meanings);
}

void diff_text(const struct diff *diff, const struct diff_row *row, size_t key, struct buf *buf)
{
	buf_add_str(buf,
		    rebuilt_match_shown(&diff->matches[key], diff->texts.items[row->texts + key]));
}

const char *diff_symbol(const struct diff *diff, const struct diff_row *row, size_t key)
{
	return rebuilt_match_between(&diff->matches[key], diff->texts.items[row->texts + key]);
}
