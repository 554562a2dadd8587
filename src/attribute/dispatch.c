/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/dispatch.h"

static struct record_origin origin_of(const struct dispatch *dispatch,
				      const struct perf_record *record)
{
	return dispatch->source.origin(dispatch->source.context, record);
}

/* ---- throttling ---- */

static void end_throttle(const struct dispatch_throttle *throttle, uint64_t end_ns,
			 struct profile *profile)
{
	struct loss *loss = &profile->events[throttle->event].loss[LOSS_THROTTLED];

	loss->count++;
	if (throttle->is_time && end_ns > throttle->since_ns)
		loss->weight += end_ns - throttle->since_ns;
}

/* NULL: none. */
static struct dispatch_throttle *find_throttle(const struct dispatch *dispatch,
					       const struct perf_record *record)
{
	for (size_t i = 0; i < dispatch->throttles.count; i++) {
		struct dispatch_throttle *open = &dispatch->throttles.items[i];

		if (open->id == record->id && open->cpu == record->cpu)
			return open;
	}
	return NULL;
}

/* At its end a throttle becomes a loss of its event; the weight is its duration if the event counts
 * nanoseconds. Of events that sample the idle task almost no samples are kept, so throttling them
 * loses nothing. */
static int take_throttle(struct dispatch *dispatch, const struct perf_record *record)
{
	struct record_origin origin = origin_of(dispatch, record);
	struct dispatch_throttle *open = find_throttle(dispatch, record);
	bool begins = record->type == PERF_RECORD_THROTTLE;

	if (origin.event == RECORD_NO_EVENT || origin.idle)
		return 0;
	if (open && !begins) {
		end_throttle(open, record->time_ns, dispatch->profile);
		*open = dispatch->throttles.items[--dispatch->throttles.count];
	} else if (!open && begins && dispatch->throttles.count < DISPATCH_MAX_THROTTLES) {
		*vec_push(&dispatch->throttles) =
			(struct dispatch_throttle){ .id = record->id,
						    .since_ns = record->time_ns,
						    .cpu = record->cpu,
						    .event = origin.event,
						    .is_time = origin.is_time };
	}
	return 0;
}

void dispatch_end(struct dispatch *dispatch, uint64_t end_ns)
{
	for (size_t i = 0; i < dispatch->throttles.count; i++)
		end_throttle(&dispatch->throttles.items[i], end_ns, dispatch->profile);
	dispatch->throttles.count = 0;
}

/* ---- full rings ---- */

static int take_lost(struct dispatch *dispatch, const struct perf_record *record)
{
	struct record_origin origin = origin_of(dispatch, record);
	bool of_samples = origin.counts_losses && record->type == PERF_RECORD_LOST_SAMPLES;

	if (record->lost.filtered)
		return 0;
	dispatch->lost += record->lost.count;
	if (origin.event == RECORD_NO_EVENT)
		return 0;
	if (!of_samples)
		dispatch->in_ring[origin.event] += record->lost.count;
	else if (record->time_ns)
		dispatch->by_processor[origin.event] += record->lost.count;
	else /* perf adds it at the end, without a time */
		dispatch->at_end[origin.event] += record->lost.count;
	return 0;
}

static uint64_t sum(const uint64_t *counts)
{
	uint64_t all = 0;

	for (size_t i = 0; i < PROFILE_MAX_EVENTS; i++)
		all += counts[i];
	return all;
}

void dispatch_settle_losses(const struct dispatch *dispatch)
{
	struct profile *profile = dispatch->profile;
	bool is_counted = sum(dispatch->at_end) >= sum(dispatch->in_ring);
	const uint64_t *counts = is_counted ? dispatch->at_end : dispatch->in_ring;

	for (size_t i = 0; i < profile->event_count; i++) {
		struct event *event = &profile->events[i];
		struct loss *lost = &event->loss[LOSS_RING_FULL];

		lost->count += counts[i] + dispatch->by_processor[i];
		if (event->samples)
			lost->weight = (uint64_t)((double)event->weight / (double)event->samples *
						  (double)lost->count);
	}
}

/* ---- records by type ---- */

static int take_sample(struct dispatch *dispatch, const struct perf_record *record)
{
	struct record_origin origin = origin_of(dispatch, record);

	if (!dispatch->hooks->sample)
		return 0;
	return dispatch->hooks->sample(dispatch->context, record, &origin);
}

static int take_map(struct dispatch *dispatch, const struct perf_record *record)
{
	return dispatch->hooks->map ? dispatch->hooks->map(dispatch->context, record) : 0;
}

static int take_comm(struct dispatch *dispatch, const struct perf_record *record)
{
	if (dispatch->hooks->comm)
		dispatch->hooks->comm(dispatch->context, record);
	else
		machine_comm(dispatch->machine, record->time_ns, record->pid, record->tid,
			     record->comm.comm, record->comm.exec);
	return 0;
}

static int take_fork(struct dispatch *dispatch, const struct perf_record *record)
{
	if (dispatch->hooks->fork)
		dispatch->hooks->fork(dispatch->context, record);
	else
		machine_fork(dispatch->machine, record->time_ns, record->pid,
			     record->task.parent_pid, record->tid, record->task.parent_tid);
	return 0;
}

static int take_exit(struct dispatch *dispatch, const struct perf_record *record)
{
	if (dispatch->hooks->leave)
		dispatch->hooks->leave(dispatch->context, record);
	machine_exit(dispatch->machine, record->time_ns, record->pid, record->tid);
	return 0;
}

static int take_ksymbol(struct dispatch *dispatch, const struct perf_record *record)
{
	if (dispatch->hooks->ksymbol)
		dispatch->hooks->ksymbol(dispatch->context, record);
	return 0;
}

static int take_cgroup(struct dispatch *dispatch, const struct perf_record *record)
{
	if (dispatch->hooks->cgroup)
		dispatch->hooks->cgroup(dispatch->context, record);
	return 0;
}

static int (*const takers[])(struct dispatch *dispatch, const struct perf_record *record) = {
	[PERF_RECORD_SAMPLE] = take_sample,	[PERF_RECORD_MMAP] = take_map,
	[PERF_RECORD_MMAP2] = take_map,		[PERF_RECORD_COMM] = take_comm,
	[PERF_RECORD_FORK] = take_fork,		[PERF_RECORD_EXIT] = take_exit,
	[PERF_RECORD_LOST] = take_lost,		[PERF_RECORD_LOST_SAMPLES] = take_lost,
	[PERF_RECORD_THROTTLE] = take_throttle, [PERF_RECORD_UNTHROTTLE] = take_throttle,
	[PERF_RECORD_KSYMBOL] = take_ksymbol,	[PERF_RECORD_CGROUP] = take_cgroup,
};

int dispatch_take(struct dispatch *dispatch, const struct perf_record *record)
{
	if (dispatch->hooks->admit && !dispatch->hooks->admit(dispatch->context, record))
		return 0;
	if (record->type >= sizeof(takers) / sizeof(takers[0]) || !takers[record->type])
		return 0;
	return takers[record->type](dispatch, record);
}

void dispatch_done(struct dispatch *dispatch)
{
	vec_free(&dispatch->throttles);
}
