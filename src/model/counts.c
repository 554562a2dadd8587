/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/xalloc.h"

const char *counts_state_word(enum count_state state)
{
#define COUNT_STATE_WORD(name, word) [name] = word,
	static const char *const words[] = { COUNT_STATES(COUNT_STATE_WORD) };
#undef COUNT_STATE_WORD

	return words[state];
}

enum count_state counts_value_state(const struct count_event *event,
				    const struct count_value *value)
{
	if (event->state != COUNT_GOOD)
		return event->state;
	return value->enabled_ns && !value->running_ns ? COUNT_NOT_COUNTED : COUNT_GOOD;
}

double counts_scaled(const struct count_value *value)
{
	if (!value->running_ns || value->running_ns >= value->enabled_ns)
		return (double)value->count;
	return (double)value->count * ((double)value->enabled_ns / (double)value->running_ns);
}

double counts_percent_counted(const struct count_value *value)
{
	if (!value->enabled_ns || value->running_ns >= value->enabled_ns)
		return 100;
	return 100 * (double)value->running_ns / (double)value->enabled_ns;
}

void counts_add_value(struct count_value *sum, const struct count_value *value)
{
	sum->count += value->count;
	sum->enabled_ns += value->enabled_ns;
	sum->running_ns += value->running_ns;
}

struct count_row *counts_add_row(struct counts *counts)
{
	struct count_row *row = vec_push(&counts->rows);

	*row = (struct count_row){ .key = { .cpu = -1, .pid = -1, .tid = -1 } };
	return row;
}

struct count_row counts_total(const struct counts *counts)
{
	struct count_row total = { .key = { .cpu = -1, .pid = -1, .tid = -1 } };

	for (size_t i = 0; i < counts->rows.count; i++) {
		total.runs += counts->rows.items[i].runs;
		for (size_t j = 0; j < counts->event_count; j++)
			counts_add_value(&total.values[j], &counts->rows.items[i].values[j]);
	}
	return total;
}

int counts_compare_keys(const struct count_key *a, const struct count_key *b)
{
	return COMPARE(a->cpu, b->cpu) ?: COMPARE(a->pid, b->pid) ?: COMPARE(a->tid, b->tid) ?:
	       strcmp(a->program, b->program);
}

DEFINE_ORDER(by_key, struct count_row, counts_compare_keys(&a->key, &b->key))

DEFINE_ORDER(by_order, struct count_row, COMPARE(a->order, b->order) ?: by_key(a, b))

static void sort_rows(struct counts *counts, int (*compare)(const void *a, const void *b))
{
	if (counts->rows.count)
		qsort(counts->rows.items, counts->rows.count, sizeof(*counts->rows.items), compare);
}

void counts_sort(struct counts *counts)
{
	sort_rows(counts, by_order);
}

/* The event that rows are sorted by; the first event if none could be counted. */
static size_t first_counted(const struct counts *counts)
{
	for (size_t i = 0; i < counts->event_count; i++) {
		if (counts->events[i].state == COUNT_GOOD)
			return i;
	}
	return 0;
}

void counts_sort_by_count(struct counts *counts)
{
	size_t event = first_counted(counts);

	for (size_t i = 0; i < counts->rows.count; i++) {
		struct count_row *row = &counts->rows.items[i];

		row->order = UINT64_MAX - (uint64_t)counts_scaled(&row->values[event]);
	}
	counts_sort(counts);
}

static bool is_nothing(const struct count_row *row, size_t events)
{
	for (size_t i = 0; i < events; i++) {
		if (row->values[i].count || row->values[i].enabled_ns)
			return false;
	}
	return true;
}

/* Programs, processes and threads come and go; CPUs and the whole stay. */
static bool comes_and_goes(const struct count_key *key)
{
	return key->program[0] || key->pid >= 0 || key->tid >= 0;
}

static void subtract_row(struct count_row *row, const struct count_row *before, size_t events)
{
	row->runs -= before->runs;
	for (size_t i = 0; i < events; i++) {
		row->values[i].count -= before->values[i].count;
		row->values[i].enabled_ns -= before->values[i].enabled_ns;
		row->values[i].running_ns -= before->values[i].running_ns;
	}
}

void counts_subtract(struct counts *counts, const struct counts *before)
{
	_cleanup_(counts_freep) struct counts *earlier = counts_copy(before);
	size_t kept = 0, at = 0;

	sort_rows(counts, by_key);
	sort_rows(earlier, by_key);
	for (size_t i = 0; i < counts->rows.count; i++) {
		struct count_row *row = &counts->rows.items[i];

		while (at < earlier->rows.count && by_key(&earlier->rows.items[at], row) < 0)
			at++;
		if (at < earlier->rows.count && by_key(&earlier->rows.items[at], row) == 0) {
			subtract_row(row, &earlier->rows.items[at], counts->event_count);
			if (comes_and_goes(&row->key) && is_nothing(row, counts->event_count))
				continue;
		}
		counts->rows.items[kept++] = *row;
	}
	counts->rows.count = kept;
	counts_sort(counts);
}

struct counts *counts_copy(const struct counts *counts)
{
	struct counts *copy = xmemdup(counts, sizeof(*counts));

	memset(&copy->rows, 0, sizeof(copy->rows));
	vec_reserve(&copy->rows, counts->rows.count + 1);
	if (counts->rows.count)
		memcpy(copy->rows.items, counts->rows.items,
		       counts->rows.count * sizeof(*counts->rows.items));
	copy->rows.count = counts->rows.count;
	return copy;
}

void counts_done(struct counts *counts)
{
	vec_free(&counts->rows);
}

void counts_free(struct counts *counts)
{
	if (!counts)
		return;
	counts_done(counts);
	free(counts);
}
