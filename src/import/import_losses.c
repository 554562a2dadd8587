/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_losses.h"

static void end(struct event *event, const struct import_throttle *throttle, uint64_t end_ns,
		bool is_time)
{
	event->loss[LOSS_THROTTLED].count++;
	if (is_time && end_ns > throttle->since_ns)
		event->loss[LOSS_THROTTLED].weight += end_ns - throttle->since_ns;
}

void import_losses_throttle(struct import_losses *losses, const struct perf_record *record,
			    bool is_time, struct event *event)
{
	for (size_t i = 0; i < losses->throttles.count; i++) {
		struct import_throttle *open = &losses->throttles.items[i];

		if (open->id != record->id || open->cpu != record->cpu)
			continue;
		if (record->type == PERF_RECORD_UNTHROTTLE) {
			end(event, open, record->time_ns, is_time);
			*open = losses->throttles.items[--losses->throttles.count];
		}
		return;
	}
	if (record->type == PERF_RECORD_THROTTLE &&
	    losses->throttles.count < IMPORT_LOSSES_MAX_THROTTLES)
		*vec_push(&losses->throttles) =
			(struct import_throttle){ record->id, record->time_ns, record->cpu };
}

void import_losses_take(struct import_losses *losses, const struct perf_record *record,
			bool counted, size_t event)
{
	bool of_samples = counted && record->type == PERF_RECORD_LOST_SAMPLES;

	if (record->lost.filtered)
		return;
	if (!of_samples)
		losses->in_ring[event] += record->lost.count;
	else if (record->time_ns)
		losses->by_processor[event] += record->lost.count;
	else /* perf made it up at the end, and gave it no time */
		losses->at_end[event] += record->lost.count;
}

static uint64_t sum(const uint64_t *counts)
{
	uint64_t all = 0;

	for (size_t i = 0; i < PROFILE_MAX_EVENTS; i++)
		all += counts[i];
	return all;
}

void import_losses_settle(const struct import_losses *losses, struct profile *profile)
{
	bool is_counted = sum(losses->at_end) >= sum(losses->in_ring);
	const uint64_t *counts = is_counted ? losses->at_end : losses->in_ring;

	for (size_t i = 0; i < profile->event_count; i++) {
		struct event *event = &profile->events[i];
		struct loss *lost = &event->loss[LOSS_RING_FULL];

		lost->count += counts[i] + losses->by_processor[i];
		if (event->samples)
			lost->weight = (uint64_t)((double)event->weight / (double)event->samples *
						  (double)lost->count);
	}
}

void import_losses_done(struct import_losses *losses)
{
	vec_free(&losses->throttles);
}
