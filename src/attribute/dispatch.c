/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/dispatch.h"

static int take_sample(struct dispatch *dispatch, const struct perf_record *record)
{
	struct record_origin origin = record_origin(&dispatch->source, record);

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

static int take_lost(struct dispatch *dispatch, const struct perf_record *record)
{
	struct record_origin origin = record_origin(&dispatch->source, record);

	record_losses_take(&dispatch->losses, record, &origin);
	return 0;
}

static int take_throttle(struct dispatch *dispatch, const struct perf_record *record)
{
	struct record_origin origin = record_origin(&dispatch->source, record);

	record_losses_throttle(&dispatch->losses, record, &origin, dispatch->profile);
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
	record_losses_done(&dispatch->losses);
}
