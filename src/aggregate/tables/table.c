/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/table.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/xalloc.h"

/* With up to this many combinations of values, rows are found directly by their values. */
enum { MAX_DIRECT = 1 << 22 };

/* The number of points added at once. */
enum { FEW = 32 };

/* ---- keys about code ---- */

static void init_code(struct table *table)
{
	struct table_code *code = &table->code;

	for (size_t i = 0; i < table->keys.count; i++) {
		if (table->keys.items[i]->of_frame)
			code->keys.items[code->keys.count++] = table->keys.items[i];
	}
	if (code->keys.count)
		code->of_frame =
			xcalloc(table->labels->profile->frames.count, sizeof(*code->of_frame));
}

static void forget_code(struct table_code *code)
{
	free(code->of_frame);
	vec_free(&code->values);
	hashidx_done(&code->index);
	*code = (struct table_code){ 0 };
}

/* The values of a number, one for each key. Borrowed until the next are added. */
static const uint64_t *code_values(const struct table_code *code, uint32_t number)
{
	return &code->values.items[number * code->keys.count];
}

static bool code_equal(const void *owner, uint32_t id, const void *key)
{
	const struct table_code *code = owner;

	return memcmp(code_values(code, id), key, code->keys.count * sizeof(uint64_t)) == 0;
}

/* The number of these values, one for each key; adds them if needed. */
static uint32_t find_values(struct table_code *code, const uint64_t *values)
{
	uint32_t number;
	uint64_t hash = 0;

	for (size_t i = 0; i < code->keys.count; i++)
		hash = hash_combine(hash, values[i]);
	if (hashidx_find(&code->index, hash, code_equal, code, values, &number))
		return number;
	number = code->count++;
	hashidx_add(&code->index, hash, number);
	for (size_t i = 0; i < code->keys.count; i++)
		*vec_push(&code->values) = values[i];
	return number;
}

/* The number of a frame. Below the profile's number of frames, unless find_values added values that
 * no frame has. */
static uint32_t find_frame(struct table *table, uint32_t frame)
{
	struct table_code *code = &table->code;
	uint64_t values[KEYS_MAX];

	if (!code->of_frame[frame]) {
		for (size_t i = 0; i < code->keys.count; i++)
			values[i] = code->keys.items[i]->of_frame(table->labels, frame);
		code->of_frame[frame] = find_values(code, values) + 1;
	}
	return code->of_frame[frame] - 1;
}

/* ---- rows ---- */

/* The values of key number @at are below this; 0: no bound. If the keys about code share one
 * number, the first has its bound and the others have 1. */
static size_t bound_of(const struct table *table, size_t at)
{
	const struct key *key = table->keys.items[at];

	if (table->by_number && key == table->code.keys.items[0])
		return table->labels->profile->frames.count;
	if (table->by_number && key->of_frame)
		return 1;
	return key->bound ? key->bound(table->labels) : 0;
}

/* Finds rows directly by values if all keys together have few of them. */
static void make_direct(struct table *table)
{
	size_t places = table->labels->profile->event_count;

	for (size_t i = 0; i < table->keys.count; i++) {
		size_t bound = bound_of(table, i);

		if (!bound || bound > MAX_DIRECT / places)
			return;
		table->bounds[i] = bound;
		places *= bound;
	}
	table->direct = xcalloc(places, sizeof(*table->direct));
}

struct table *table_new(const struct labels *labels, const struct key_list *keys)
{
	struct table *table = xcalloc(1, sizeof(*table));

	table->labels = labels;
	table->keys = *keys;
	init_code(table);
	table->by_number = table->code.keys.count > 1 ||
			   (table->code.keys.count && !table->code.keys.items[0]->bound);
	if (labels->profile->event_count)
		make_direct(table);
	return table;
}

static void forget_index(struct table *table)
{
	free(table->direct);
	table->direct = NULL;
	free(table->met);
	table->met = NULL;
	forget_code(&table->code);
	hashidx_done(&table->index);
}

void table_free(struct table *table)
{
	if (!table)
		return;
	vec_free(&table->rows);
	vec_free(&table->values);
	forget_index(table);
	free(table);
}

struct wanted {
	const uint64_t *values;
	uint8_t event;
	uint32_t code; /* the number of the values that are about code */
};

static bool row_equal(const void *owner, uint32_t id, const void *key)
{
	const struct table *table = owner;
	const struct table_row *row = &table->rows.items[id];
	const struct wanted *wanted = key;

	return row->event == wanted->event &&
	       memcmp(&table->values.items[row->values], wanted->values,
		      table->keys.count * sizeof(uint64_t)) == 0;
}

static struct table_row *append(struct table *table, const struct wanted *wanted)
{
	struct table_row *row = vec_push(&table->rows);

	*row = (struct table_row){ .values = table->values.count, .event = wanted->event };
	for (size_t i = 0; i < table->keys.count; i++)
		*vec_push(&table->values) = wanted->values[i];
	table->sums[wanted->event].rows++;
	return row;
}

/* The value that stands for a key within its bound. */
static uint64_t part_of(const struct table *table, const struct wanted *wanted, size_t key)
{
	if (!table->by_number || !table->keys.items[key]->of_frame)
		return wanted->values[key];
	return table->keys.items[key] == table->code.keys.items[0] ? wanted->code : 0;
}

/* The place of these values; NULL: a value is not below its key's bound, or there are no bounds. */
static uint32_t *direct_place(const struct table *table, const struct wanted *wanted)
{
	size_t at = wanted->event;

	if (!table->direct)
		return NULL;
	for (size_t i = 0; i < table->keys.count; i++) {
		uint64_t value = part_of(table, wanted, i);

		if (value >= table->bounds[i])
			return NULL;
		at = at * table->bounds[i] + value;
	}
	return &table->direct[at];
}

static uint64_t hash_of(const struct table *table, const struct wanted *wanted)
{
	uint64_t hash = hash_u64(wanted->event);

	for (size_t i = 0; i < table->keys.count; i++)
		hash = hash_combine(hash, wanted->values[i]);
	return hash;
}

static struct table_row *indexed_row(struct table *table, const struct wanted *wanted,
				     uint64_t hash)
{
	uint32_t id;

	if (hashidx_find(&table->index, hash, row_equal, table, wanted, &id))
		return &table->rows.items[id];
	hashidx_add(&table->index, hash, (uint32_t)table->rows.count);
	return append(table, wanted);
}

/* @place: from direct_place; if it is NULL, @hash is the hash of the values. */
static struct table_row *row_at(struct table *table, const struct wanted *wanted, uint32_t *place,
				uint64_t hash)
{
	if (!place)
		return indexed_row(table, wanted, hash);
	if (*place)
		return &table->rows.items[*place - 1];
	*place = (uint32_t)table->rows.count + 1;
	return append(table, wanted);
}

/* The number of those of @values that are about code. */
static uint32_t find_code(struct table *table, const uint64_t *values)
{
	uint64_t of_code[KEYS_MAX] = { 0 };
	size_t count = 0;

	if (!table->by_number)
		return 0;
	for (size_t i = 0; i < table->keys.count; i++) {
		if (table->keys.items[i]->of_frame)
			of_code[count++] = values[i];
	}
	return find_values(&table->code, of_code);
}

struct table_row *table_row(struct table *table, uint8_t event, const uint64_t *values)
{
	struct wanted wanted = { values, event, find_code(table, values) };
	uint32_t *place = direct_place(table, &wanted);

	return row_at(table, &wanted, place, place ? 0 : hash_of(table, &wanted));
}

/* A point on its way into the table. */
struct coming {
	uint64_t values[KEYS_MAX];
	uint32_t *place;
	uint64_t hash; /* of the values, if there is no place */
};

static void find_place(struct table *table, const struct point *point, struct coming *coming)
{
	struct wanted wanted = { coming->values, point->total.event, 0 };
	const uint64_t *of_code = NULL;

	if (table->code.keys.count) {
		uint32_t frame = table->labels->profile->stacks.items[point->total.stack].frame;

		wanted.code = find_frame(table, frame);
		of_code = code_values(&table->code, wanted.code);
	}
	for (size_t i = 0; i < table->keys.count; i++) {
		const struct key *key = table->keys.items[i];

		coming->values[i] = of_code && key->of_frame
					    ? *of_code++
					    : keys_value(key, table->labels, point);
	}
	coming->place = direct_place(table, &wanted);
	coming->hash = coming->place ? 0 : hash_of(table, &wanted);
}

static const struct table_row *add(struct table *table, const struct total *total,
				   const struct coming *coming)
{
	struct wanted wanted = { coming->values, total->event, 0 };
	struct table_row *row = row_at(table, &wanted, coming->place, coming->hash);
	struct table_sum *sum = &table->sums[total->event];

	row->samples += total->samples;
	row->weight += total->weight;
	sum->samples += total->samples;
	sum->weight += total->weight;
	sum->weight_squared += total->weight_squared;
	return row;
}

/* Prefetches the row that probably matches. Values are in the order of their rows. */
static void fetch_row(const struct table *table, const struct coming *coming)
{
	uint32_t row;

	if (coming->place && *coming->place) {
		__builtin_prefetch(&table->rows.items[*coming->place - 1]);
	} else if (!coming->place && hashidx_guess(&table->index, coming->hash, &row)) {
		__builtin_prefetch(&table->rows.items[row]);
		__builtin_prefetch(&table->values.items[row * table->keys.count]);
	}
}

/* Finds the rows of a few points. Rows are scattered in memory, so all of them are prefetched
 * first. */
static void find_places(struct table *table, const struct point *points, size_t count,
			struct coming *coming)
{
	for (size_t i = 0; i < count; i++) {
		find_place(table, &points[i], &coming[i]);
		if (coming[i].place)
			__builtin_prefetch(coming[i].place);
		else
			hashidx_fetch(&table->index, coming[i].hash);
	}
	for (size_t i = 0; i < count; i++)
		fetch_row(table, &coming[i]);
}

static void add_few(struct table *table, const struct point *points, size_t count,
		    uint32_t *ret_rows)
{
	struct coming coming[FEW];

	find_places(table, points, count, coming);
	for (size_t i = 0; i < count; i++) {
		const struct table_row *row = add(table, &points[i].total, &coming[i]);

		if (ret_rows)
			ret_rows[i] = (uint32_t)(row - table->rows.items);
	}
}

void table_add_all(struct table *table, const struct point *points, size_t count)
{
	table_add_rows(table, points, count, NULL);
}

void table_add_rows(struct table *table, const struct point *points, size_t count,
		    uint32_t *ret_rows)
{
	for (size_t i = 0; i < count; i += FEW)
		add_few(table, points + i, count - i < FEW ? count - i : FEW,
			ret_rows ? ret_rows + i : NULL);
}

/* What the values of a point's keys depend on, if neither time nor CPU are among them, and its row. */
struct table_met {
	uint32_t task, stack, row;
	uint8_t event, mode, context;
	bool is_set;
};

/* Combinations of these that are remembered. */
enum { MET = 1 << 13 };

static struct table_met *met_at(struct table *table, const struct total *total)
{
	uint64_t hash = hash_u64((uint64_t)total->stack << 32 | total->task);

	return &table->met[hash % MET];
}

static bool is_met(const struct table_met *met, const struct total *total)
{
	return met->is_set && met->stack == total->stack && met->task == total->task &&
	       met->event == total->event && met->mode == total->mode &&
	       met->context == total->context;
}

/* Finds the rows of points that were not met. */
static void find_few(struct table *table, const struct point *points, size_t count,
		     uint32_t *ret_rows)
{
	struct coming coming[FEW];

	find_places(table, points, count, coming);
	for (size_t i = 0; i < count; i++) {
		struct wanted wanted = { coming[i].values, points[i].total.event, 0 };
		const struct table_row *row =
			row_at(table, &wanted, coming[i].place, coming[i].hash);

		ret_rows[i] = (uint32_t)(row - table->rows.items);
	}
}

/* The points that are waiting are adjacent, and end before @end. */
static void find_waiting(struct table *table, const struct point *points, size_t first, size_t end,
			 uint32_t *ret_rows)
{
	if (first == end)
		return;
	find_few(table, points + first, end - first, ret_rows + first);
	for (size_t i = first; table->met && i < end; i++) {
		const struct total *total = &points[i].total;

		*met_at(table, total) = (struct table_met){ .task = total->task,
							    .stack = total->stack,
							    .row = ret_rows[i],
							    .event = total->event,
							    .mode = total->mode,
							    .context = total->context,
							    .is_set = true };
	}
}

void table_find_all(struct table *table, const struct point *points, size_t count,
		    uint32_t *ret_rows)
{
	size_t first = 0;

	if (!table->met && !(keys_use(&table->keys) & SAMPLE_NOT_IN_TOTALS))
		table->met = xcalloc(MET, sizeof(*table->met));
	for (size_t i = 0; i < count; i++) {
		const struct table_met *met = table->met ? met_at(table, &points[i].total) : NULL;

		if (met && is_met(met, &points[i].total)) {
			ret_rows[i] = met->row; /* before others take its place */
			find_waiting(table, points, first, i, ret_rows);
			first = i + 1;
		} else if (i + 1 - first == FEW) {
			find_waiting(table, points, first, i + 1, ret_rows);
			first = i + 1;
		}
	}
	find_waiting(table, points, first, count, ret_rows);
}

void table_copy_sums(struct table *table, const struct table *from)
{
	for (int event = 0; event < PROFILE_MAX_EVENTS; event++) {
		size_t rows = table->sums[event].rows;

		table->sums[event] = from->sums[event];
		table->sums[event].rows = rows;
	}
}

static void accumulate(struct table *table)
{
	double sum[PROFILE_MAX_EVENTS] = { 0 };

	for (size_t i = 0; i < table->rows.count; i++) {
		struct table_row *row = &table->rows.items[i];

		sum[row->event] += table_percent(table, row);
		row->accumulated = sum[row->event];
	}
}

/* True if the kept rows, of this weight together, reach the percent to cover. The tolerance is for
 * rounding: three rows of 2.3 % would sum up to less than 6.9 %. Nothing covers an event without
 * weight. */
static bool covers(const struct table *table, uint8_t event, uint64_t weight)
{
	const double rounding = 1 - 1e-9;

	return table->cover > 0 && table->sums[event].weight &&
	       100.0 * (double)weight >=
		       table->cover * (double)table->sums[event].weight * rounding;
}

void table_finish(struct table *table, double threshold, size_t limit)
{
	size_t of_event[PROFILE_MAX_EVENTS] = { 0 };
	uint64_t come_to[PROFILE_MAX_EVENTS] = { 0 };
	size_t kept = 0;

	/* Frees memory that sorting needs. */
	forget_index(table);
	order_sort(&table->order, table);
	for (size_t i = 0; i < table->rows.count; i++) {
		struct table_row *row = &table->rows.items[i];

		if ((table->by_self ? table_self_percent(table, row) : table_percent(table, row)) <
		    threshold)
			continue;
		if (limit && of_event[row->event]++ >= limit)
			continue;
		if (covers(table, row->event, come_to[row->event]))
			continue;
		come_to[row->event] += row->weight;
		table->rows.items[kept++] = *row;
	}
	table->rows.count = kept;
	accumulate(table);
}

static double percent_of_event(const struct table *table, uint8_t event, uint64_t weight)
{
	uint64_t whole = table->sums[event].weight;

	return whole ? 100.0 * (double)weight / (double)whole : 0;
}

double table_percent(const struct table *table, const struct table_row *row)
{
	return percent_of_event(table, row->event, row->weight);
}

double table_self_percent(const struct table *table, const struct table_row *row)
{
	return percent_of_event(table, row->event, row->self.weight);
}

struct interval table_interval(const struct table *table, const struct table_row *row)
{
	const struct table_sum *sum = &table->sums[row->event];
	double share = table_percent(table, row) / 100;

	if (table->labels->profile->events[row->event].clock == CLOCK_EXACT)
		return (struct interval){ share, share };
	return estimate_share((double)row->weight, (double)sum->weight, sum->weight_squared);
}

uint8_t table_main_event(const struct table *table)
{
	bool wanted[PROFILE_MAX_EVENTS];

	for (size_t event = 0; event < PROFILE_MAX_EVENTS; event++)
		wanted[event] = table->sums[event].samples;
	return account_one_event(table->labels->profile, wanted);
}

bool table_frame(const struct table *table, const struct table_row *row, uint32_t *ret_frame)
{
	for (size_t i = 0; i < table->keys.count; i++) {
		if (!keys_is_frame(table->keys.items[i]))
			continue;
		*ret_frame = (uint32_t)table->values.items[row->values + i];
		return true;
	}
	return false;
}

void table_text(const struct table *table, const struct table_row *row, size_t key, struct buf *buf)
{
	table->keys.items[key]->text(table->labels, table->values.items[row->values + key], buf);
}
