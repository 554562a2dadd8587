/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/record_scan.h"

#include "base/clock.h"
#include "proc/proc_scan.h"
#include "sampling/sampler.h"

enum { MEND_MS = 1000 };

static struct machine_process told_by_proc(const struct proc_info *info)
{
	return (struct machine_process){
		.pid = info->pid,
		.parent_pid = info->parent_pid,
		.start_ns = info->start_ns,
		.uid = info->uid,
		.comm = info->comm,
		.executable = info->executable[0] ? info->executable : NULL,
		.script = info->script[0] ? info->script : NULL,
		.cgroup = info->cgroup[0] ? info->cgroup : NULL,
		.kernel_thread = info->kernel_thread,
	};
}

static void scan_process(void *context, const struct proc_info *info)
{
	struct record_scan *scan = context;
	struct machine_process process = told_by_proc(info);

	if (scan->filled)
		machine_refresh_process(scan->machine, clock_ns(), &process);
	else
		machine_add_process(scan->machine, &process);
}

static void scan_thread(void *context, int32_t pid, int32_t tid, const char *comm)
{
	machine_add_thread(((struct record_scan *)context)->machine, pid, tid, comm);
}

static void scan_map(void *context, int32_t pid, const struct proc_map *map)
{
	attribution_map(((struct record_scan *)context)->attribution, pid, map);
}

static void scan_late(void *context, int32_t pid)
{
	(void)pid;
	((struct record_scan *)context)->late++;
}

static struct proc_visitor scanner(struct record_scan *scan)
{
	return (struct proc_visitor){ .process = scan_process,
				      .thread = scan_thread,
				      .map = scan_map,
				      .late = scan_late,
				      .context = scan,
				      .foreign = scan->foreign };
}

static int scan_processes(struct record_scan *scan, struct err *err)
{
	const struct proc_visitor visitor = scanner(scan);
	int rc = 0;

	if (sampler_rung(scan->sampler) == RUNG_MACHINE)
		return proc_scan_all(&visitor, err);
	if (scan->command > 0)
		rc = proc_scan_one(scan->command, &visitor, err);
	for (size_t i = 0; rc == 0 && i < scan->pid_count; i++)
		rc = proc_scan_one(scan->pids[i], &visitor, err);
	return rc;
}

int record_scan_fill(struct record_scan *scan, struct err *err)
{
	int rc = scan_processes(scan, err);

	scan->filled = rc == 0;
	scan->looked_up = scan->profile->processes.count;
	return rc;
}

/* Lost records may have been about processes and mappings, so /proc is read again. Not often: on a
 * machine that loses records, reading all of it causes more losses. */
void record_scan_mend(struct record_scan *scan, uint64_t now_ns)
{
	uint64_t ring_lost = attribution_counts(scan->attribution).ring_lost;
	struct sampler_losses losses;
	uint64_t lost;

	if (ring_lost == scan->ring_lost_seen || now_ns < scan->next_mend_ns)
		return;
	scan->ring_lost_seen = ring_lost;
	losses = sampler_losses(scan->sampler);
	lost = losses.known ? losses.streams[STREAM_TRACK] + losses.streams[STREAM_TRACK_ID]
			    : ring_lost;
	if (lost == scan->tracking_lost_seen)
		return;
	scan->tracking_lost_seen = lost;
	scan->next_mend_ns = now_ns + MEND_MS * NS_PER_MS;
	scan_processes(scan, NULL);
}

/* A process born during the recording gets its parent's uid and cgroup. Its own are read once,
 * while it lives. */
static void refresh_process(void *context, const struct proc_info *info)
{
	struct record_scan *scan = context;

	machine_set_uid(scan->machine, info->pid, info->uid);
	if (info->cgroup[0])
		machine_set_cgroup(scan->machine, info->pid, info->cgroup);
}

void record_scan_refresh(struct record_scan *scan)
{
	const struct proc_visitor visitor = { .process = refresh_process,
					      .context = scan,
					      .foreign = scan->foreign };
	const struct profile *profile = scan->profile;

	for (; scan->looked_up < profile->processes.count; scan->looked_up++) {
		const struct process *process = &profile->processes.items[scan->looked_up];

		if (process->end_ns == 0 && process->pid > 0)
			(void)proc_scan_one(process->pid, &visitor, NULL);
	}
}
