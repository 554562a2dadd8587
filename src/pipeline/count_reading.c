/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fnmatch.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "collect/thread_facts.h"
#include "pipeline/count_parts.h"

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
	pid_t tid = counters_tid(session->counters, target), pid;

	if (rows == COUNT_ROWS_CPU)
		key.cpu = counters_cpu(session->counters, target);
	if (rows < COUNT_ROWS_PROGRAM)
		return key;
	/* Targets are tid by tid, with the CPUs of each. */
	pid = session->processes
		      .items[target * session->tids.count / counters_targets(session->counters)];
	thread_facts_program(pid, key.program, sizeof(key.program));
	if (rows >= COUNT_ROWS_PROCESS)
		key.pid = pid;
	if (rows == COUNT_ROWS_THREAD)
		key.tid = tid;
	return key;
}

/* The row that a target's counts belong to. */
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
	if (key.tid > 0)
		thread_facts_comm(key.tid, row->key.comm, sizeof(row->key.comm));
	return row;
}

static void read_counters(const struct count_session *session, struct counts *counts)
{
	for (size_t i = 0; i < counters_targets(session->counters); i++) {
		struct count_row *row = row_of_target(session, i, counts);

		for (size_t j = 0; j < session->event_count; j++) {
			const struct count_value value = counters_read(session->counters, i, j);

			counts_add_value(&row->values[j], &value);
		}
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

/* Rows that are not asked for become one, so that the sum stays. */
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
	*ret_counts = counts;
	return 0;
}
