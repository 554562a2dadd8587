/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/record_losses.h"

/* ---- throttling ---- */

static void end(const struct record_throttle *throttle, uint64_t end_ns, struct profile *profile)
{
	struct loss *loss = &profile->events[throttle->event].loss[LOSS_THROTTLED];

	loss->count++;
	if (throttle->is_time && end_ns > throttle->since_ns)
		loss->weight += end_ns - throttle->since_ns;
}

/* NULL: none. */
static struct record_throttle *find(const struct record_losses *losses,
				    const struct perf_record *record)
{
	for (size_t i = 0; i < losses->throttles.count; i++) {
		struct record_throttle *open = &losses->throttles.items[i];

		if (open->id == record->id && open->cpu == record->cpu)
			return open;
	}
	return NULL;
}

void record_losses_throttle(struct record_losses *losses, const struct perf_record *record,
			    const struct record_origin *origin, struct profile *profile)
{
	struct record_throttle *open = find(losses, record);
	bool begins = record->type == PERF_RECORD_THROTTLE;

	if (origin->event == RECORD_NO_EVENT || origin->idle)
		return;
	if (open && !begins) {
		end(open, record->time_ns, profile);
		*open = losses->throttles.items[--losses->throttles.count];
	} else if (!open && begins && losses->throttles.count < RECORD_LOSSES_MAX_THROTTLES) {
		*vec_push(&losses->throttles) =
			(struct record_throttle){ .id = record->id,
						  .since_ns = record->time_ns,
						  .cpu = record->cpu,
						  .event = origin->event,
						  .is_time = origin->is_time };
	}
}

void record_losses_end(struct record_losses *losses, uint64_t end_ns, struct profile *profile)
{
	for (size_t i = 0; i < losses->throttles.count; i++)
		end(&losses->throttles.items[i], end_ns, profile);
	losses->throttles.count = 0;
}

/* ---- full rings ---- */

void record_losses_take(struct record_losses *losses, const struct perf_record *record,
			const struct record_origin *origin)
{
	bool of_samples = origin->counts_losses && record->type == PERF_RECORD_LOST_SAMPLES;

	if (record->lost.filtered)
		return;
	losses->lost += record->lost.count;
	if (origin->event == RECORD_NO_EVENT)
		return;
	if (!of_samples)
		losses->in_ring[origin->event] += record->lost.count;
	else if (record->time_ns)
		losses->by_processor[origin->event] += record->lost.count;
	else /* perf adds it at the end, without a time */
		losses->at_end[origin->event] += record->lost.count;
}

static uint64_t sum(const uint64_t *counts)
{
	uint64_t all = 0;

	for (size_t i = 0; i < PROFILE_MAX_EVENTS; i++)
		all += counts[i];
	return all;
}

void record_losses_settle(const struct record_losses *losses, struct profile *profile)
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

void record_losses_done(struct record_losses *losses)
{
	vec_free(&losses->throttles);
}
