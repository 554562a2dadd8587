/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/program_shares.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/xalloc.h"

static bool belongs(const struct process *process, enum program_part part)
{
	return part == PROGRAMS_ALL || process->in_command == (part == PROGRAMS_OF_COMMAND);
}

/* True if the row is of a process that executed another program in the middle of its life. */
static bool came_by_exec(const struct profile *profile, const struct process *process)
{
	return process->parent && profile->processes.items[process->parent].pid == process->pid;
}

/* By process: whether exec replaced it. The caller frees it. */
static bool *find_replaced(const struct profile *profile)
{
	bool *replaced = xcalloc(profile->processes.count, sizeof(*replaced));

	for (size_t i = 1; i < profile->processes.count; i++) {
		const struct process *process = &profile->processes.items[i];

		if (came_by_exec(profile, process))
			replaced[process->parent] = true;
	}
	return replaced;
}

/* Rows by the text of the program's name. */
struct by_program {
	struct program_shares *shares;
	uint64_t from_ns, to_ns; /* of the runs that count */
	uint32_t *row_of;	 /* by str_id: number of the row + 1; 0: none yet */
};

static struct program_share *share_of(struct by_program *by, str_id program)
{
	uint32_t *row = &by->row_of[program];

	if (!*row) {
		*vec_push(&by->shares->rows) = (struct program_share){ .program = program };
		*row = (uint32_t)by->shares->rows.count;
	}
	return &by->shares->rows.items[*row - 1];
}

static bool was_there(const struct by_program *by, const struct process *process)
{
	return process->start_ns < by->to_ns &&
	       (!process->end_ns || process->end_ns >= by->from_ns);
}

/* A child that executes another program at once did not run its parent's. */
static void count_runs(const struct profile *profile, enum program_part part, struct by_program *by)
{
	bool *replaced = find_replaced(profile);

	for (size_t i = 1; i < profile->processes.count; i++) {
		const struct process *process = &profile->processes.items[i];

		if (!process->pid || !belongs(process, part) || !was_there(by, process))
			continue;
		by->shares->processes += !replaced[i];
		if (replaced[i] && !came_by_exec(profile, process))
			continue;
		share_of(by, process->program)->runs++;
		by->shares->runs++;
	}
	free(replaced);
}

static void add_total(const struct profile *profile, const struct total *total,
		      enum program_part part, struct by_program *by)
{
	const struct hits hits = { total->samples, total->weight };
	const struct process *process =
		&profile->processes.items[profile->tasks.items[total->task].process];

	if (!belongs(process, part))
		return;
	hits_add(&share_of(by, process->program)->hits, &hits);
	hits_add(&by->shares->sum, &hits);
}

static int heavier(const void *left, const void *right)
{
	const struct program_share *a = left, *b = right;

	return COMPARE(b->hits.weight, a->hits.weight) ?: COMPARE(a->program, b->program);
}

void program_shares_make(const struct profile *profile, const struct total *totals, size_t count,
			 uint8_t event, enum program_part part, uint64_t from_ns, uint64_t to_ns,
			 struct program_shares *ret_shares)
{
	struct program_shares shares = { 0 };
	struct by_program by = { &shares, from_ns, to_ns, NULL };

	by.row_of = xcalloc(strpool_count(&profile->strings), sizeof(*by.row_of));
	count_runs(profile, part, &by);
	for (size_t i = 0; i < count; i++) {
		if (totals[i].event == event)
			add_total(profile, &totals[i], part, &by);
	}
	free(by.row_of);
	if (shares.rows.count)
		qsort(shares.rows.items, shares.rows.count, sizeof(*shares.rows.items), heavier);
	*ret_shares = shares;
}

void program_shares_done(struct program_shares *shares)
{
	vec_free(&shares->rows);
}
