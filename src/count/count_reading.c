/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fnmatch.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "count/count_parts.h"

static void take_events(const struct count_session *session, struct counts *counts)
{
	counts->event_count = session->event_count;
	for (size_t i = 0; i < session->event_count; i++)
		counts->events[i] = session->trace ? *count_trace_event(session->trace, i)
						   : *counters_event(session->counters, i);
}

/* ---- rows of counters ---- */

static struct count_key key_of_target(const struct count_session *session, size_t target)
{
	struct count_key key = { .cpu = -1, .pid = -1, .tid = -1 };
	enum count_rows rows = session->options->rows;
	size_t thread;

	if (rows == COUNT_ROWS_CPU)
		key.cpu = counters_cpu(session->counters, target);
	if (rows < COUNT_ROWS_PROGRAM)
		return key;
	/* Targets are ordered by tid, then by CPU. */
	thread = target * session->tids.count / counters_targets(session->counters);
	snprintf(key.program, sizeof(key.program), "%s",
		 thread_names_program(session->names, thread));
	if (rows >= COUNT_ROWS_PROCESS)
		key.pid = session->processes.items[thread];
	if (rows == COUNT_ROWS_THREAD) {
		key.tid = session->tids.items[thread];
		snprintf(key.comm, sizeof(key.comm), "%s",
			 thread_names_comm(session->names, thread));
	}
	return key;
}

/* The row of a target's counts. */
static struct count_row *row_of_target(const struct count_session *session, size_t target,
				       struct counts *counts)
{
	struct count_key key = key_of_target(session, target);
	struct count_row *row;

	for (size_t i = 0; i < counts->rows.count; i++) {
		if (counts_compare_keys(&counts->rows.items[i].key, &key) == 0)
			return &counts->rows.items[i];
	}
	row = counts_add_row(counts);
	row->order = counts->rows.count;
	row->key = key;
	return row;
}

/* A counter of a thread on one CPU also counts as wanted while the thread runs on another. Taken as
 * a lack of counters, that would scale up exact counts. Only time in which none of the CPUs counted
 * is such a lack. Software events need no PMU counter and lack none. */
static void share_wanted(const struct count_event *event, struct count_value *values, size_t cpus)
{
	uint64_t wanted = 0, running = 0;
	double lack = 1;

	for (size_t i = 0; i < cpus; i++) {
		wanted = values[i].enabled_ns > wanted ? values[i].enabled_ns : wanted;
		running += values[i].running_ns;
	}
	if (event->hardware || event->group) {
		if (!running)
			return;
		if (wanted > running)
			lack = (double)wanted / (double)running;
	}
	for (size_t i = 0; i < cpus; i++)
		values[i].enabled_ns = lack > 1 ? (uint64_t)((double)values[i].running_ns * lack)
						: values[i].running_ns;
}

/* Reads an event of one thread, or of all tasks, on each of the CPUs. */
static void read_event(const struct count_session *session, size_t first, size_t event,
		       struct count_value *values, size_t cpus)
{
	for (size_t i = 0; i < cpus; i++)
		values[i] = counters_read(session->counters, first + i, event);
	if (cpus > 1 && counters_tid(session->counters, first) != -1)
		share_wanted(counters_event(session->counters, event), values, cpus);
}

static void read_counters(const struct count_session *session, struct counts *counts)
{
	size_t targets = counters_targets(session->counters), events = session->event_count;
	bool by_cpu = session->options->rows == COUNT_ROWS_CPU && session->cpu_count;
	size_t step = by_cpu ? session->cpu_count : 1;
	_cleanup_free_ struct count_value *values = xcalloc(targets * events, sizeof(*values));

	for (size_t first = 0; first + step <= targets; first += step) {
		for (size_t i = 0; i < events; i++)
			read_event(session, first, i, &values[i * targets + first], step);
	}
	/* Names after counts: a thread that renames itself and ends in between has no later count
	 * that could show its last name. */
	if (session->names)
		thread_names_refresh(session->names);
	for (size_t target = 0; target < targets; target++) {
		struct count_row *row = row_of_target(session, target, counts);

		for (size_t i = 0; i < events; i++)
			counts_add_value(&row->values[i], &values[i * targets + target]);
	}
}

/* ---- rows of programs ---- */

static bool matches(const char *glob, const char *program)
{
	return fnmatch(glob, program, 0) == 0 || fnmatch(glob, file_base(program), 0) == 0;
}

static bool is_shown(const struct count_options *options, const char *program)
{
	return (!options->only || matches(options->only, program)) &&
	       (!options->except || !matches(options->except, program));
}

/* Merges the rows not asked for into one, so the sum stays the same. */
static void put_together(const struct count_options *options, struct counts *counts)
{
	struct count_row others = {
		.key = { .program = "[other programs]", .cpu = -1, .pid = -1, .tid = -1 }
	};
	size_t kept = 0;

	for (size_t i = 0; i < counts->rows.count; i++) {
		const struct count_row *row = &counts->rows.items[i];

		if (is_shown(options, row->key.program)) {
			counts->rows.items[kept++] = *row;
			continue;
		}
		others.order = row->order;
		others.runs += row->runs;
		for (size_t j = 0; j < counts->event_count; j++)
			counts_add_value(&others.values[j], &row->values[j]);
	}
	if (kept < counts->rows.count)
		counts->rows.items[kept++] = others;
	counts->rows.count = kept;
}

int count_reading_now(struct count_session *session, bool last, struct counts *ret_counts,
		      struct err *err)
{
	struct counts counts = { .complete = true };
	int rc = 0;

	take_events(session, &counts);
	counts.wall_ns = (session->end_ns ? session->end_ns : clock_ns()) - session->start_ns;
	counts.ended_ns = counts.wall_ns;
	if (session->trace && last)
		count_trace_add_births(session->trace, session->counters);
	if (session->trace)
		count_trace_read(session->trace, &counts);
	else if (session->split)
		rc = count_split_read(session->split, &counts, err);
	else
		read_counters(session, &counts);
	if (rc < 0) {
		counts_done(&counts);
		return rc;
	}
	if (session->options->only || session->options->except)
		put_together(session->options, &counts);
	if (session->split)
		counts_sort_by_count(&counts);
	*ret_counts = counts;
	return 0;
}
