/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/summary.h"

#include <stdlib.h>

#include "aggregate/account/account.h"
#include "base/compare.h"
#include "base/xalloc.h"

uint8_t summary_main_event(const struct profile *profile, const struct total *totals, size_t count)
{
	bool seen[PROFILE_MAX_EVENTS] = { 0 };
	uint8_t first = PROFILE_MAX_EVENTS;

	for (size_t i = 0; i < count; i++)
		seen[totals[i].event] = true;
	for (uint8_t event = 0; event < profile->event_count; event++) {
		if (seen[event] && account_is_time(profile, event) &&
		    !account_is_of_threads(profile, event))
			return event;
		if (seen[event] && first == PROFILE_MAX_EVENTS)
			first = event;
	}
	return first == PROFILE_MAX_EVENTS ? 0 : first;
}

/* Where the totals of each process begin: counts, then a running sum. The caller frees it. */
static size_t *starts_by_process(const struct profile *profile, const struct total *totals,
				 size_t count, uint8_t event)
{
	size_t *starts = xcalloc(profile->processes.count + 1, sizeof(*starts));

	for (size_t i = 0; i < count; i++) {
		if (totals[i].event == event)
			starts[profile->tasks.items[totals[i].task].process + 1]++;
	}
	for (size_t i = 0; i < profile->processes.count; i++)
		starts[i + 1] += starts[i];
	return starts;
}

static void sort_by_process(const struct profile *profile, const struct total *totals, size_t count,
			    struct summary *summary, size_t *starts)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t process = profile->tasks.items[totals[i].task].process;

		if (totals[i].event != summary->event)
			continue;
		summary->totals[starts[process]++] = totals[i];
		split_add(&summary->sum, &totals[i]);
		summary->weight_squared += totals[i].weight_squared;
	}
	summary->weight = split_sum(&summary->sum).weight;
}

/* After sort_by_process starts[p] is where the totals of p end. */
static void make_rows(const struct profile *profile, struct summary *summary, const size_t *ends)
{
	size_t at = 0;

	for (uint32_t process = 0; process < profile->processes.count; process++) {
		struct process_row row = { .process = process,
					   .first = at,
					   .count = ends[process] - at };

		for (; at < ends[process]; at++)
			split_add(&row.split, &summary->totals[at]);
		if (row.count)
			*vec_push(&summary->rows) = row;
	}
}

static int heavier(const void *left, const void *right)
{
	const struct process_row *a = left, *b = right;
	uint64_t a_weight = split_sum(&a->split).weight, b_weight = split_sum(&b->split).weight;

	return COMPARE(b_weight, a_weight) ?: COMPARE(a->process, b->process);
}

void summary_make(const struct profile *profile, const struct total *totals, size_t count,
		  uint8_t event, struct summary *ret_summary)
{
	struct summary summary = { .event = event };
	size_t *starts = starts_by_process(profile, totals, count, event);

	summary.total_count = starts[profile->processes.count];
	summary.totals = xcalloc(summary.total_count, sizeof(*summary.totals));
	sort_by_process(profile, totals, count, &summary, starts);
	make_rows(profile, &summary, starts);
	if (summary.rows.count)
		qsort(summary.rows.items, summary.rows.count, sizeof(*summary.rows.items), heavier);
	free(starts);
	*ret_summary = summary;
}

void summary_done(struct summary *summary)
{
	free(summary->totals);
	vec_free(&summary->rows);
}

double summary_percent(const struct summary *summary, uint64_t weight)
{
	return summary->weight ? 100.0 * (double)weight / (double)summary->weight : 0;
}
