/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forgets ended processes. Otherwise 60,000 executed programs would take 20 MB for the rest of the
 * recording. A row is needed as long as something can lead to it: a living process, a descendant of
 * it that lives, a thread that has just exited. Modules that hold row numbers look at them in each
 * flush and must have seen the end before, so a row stays for one more flush.
 */
#include <stdlib.h>

#include "base/compare.h"
#include "model/machine_parts.h"

enum {
	BATCH = 1024, /* rows at a time, since finding the needed ones walks all living processes */
	MOST_ANCESTORS = 64, /* of a living process, which may have their code and name */
};

struct needed {
	VEC(uint32_t) rows; /* sorted */
};

DEFINE_ORDER(by_number, uint32_t, COMPARE(*a, *b))

static void add_line(const struct machine *machine, uint32_t row, struct needed *needed)
{
	for (int i = 0; row && i <= MOST_ANCESTORS; i++) {
		*vec_push(&needed->rows) = row;
		row = machine->profile->processes.items[row].parent;
	}
}

static void find_needed(const struct machine *machine, struct needed *needed)
{
	const struct living *living = &machine->living;
	const struct live_process *process;
	size_t cursor = 0;

	while ((process = pid_table_next(&living->processes, &cursor)))
		add_line(machine, process->row, needed);
	for (size_t i = 0; i < LIVING_DEAD_KEPT && i < living->dead_count; i++)
		*vec_push(&needed->rows) = living->dead[i].row;
	for (size_t i = 0; i < machine->orphans.count; i++)
		*vec_push(&needed->rows) = machine->orphans.items[i].row;
	if (needed->rows.count)
		qsort(needed->rows.items, needed->rows.count, sizeof(uint32_t), by_number);
}

static bool is_needed(const struct needed *needed, uint32_t row)
{
	return needed->rows.count &&
	       bsearch(&row, needed->rows.items, needed->rows.count, sizeof(uint32_t), by_number);
}

void machine_forget(struct machine *machine)
{
	struct needed needed = { 0 };
	VEC(uint32_t) forgotten = { 0 };
	size_t kept = 0;

	if (machine->ended_before < BATCH) {
		machine->ended_before = machine->ended.count;
		return;
	}
	find_needed(machine, &needed);
	for (size_t i = 0; i < machine->ended.count; i++) {
		uint32_t row = machine->ended.items[i];

		if (i < machine->ended_before && !is_needed(&needed, row))
			*vec_push(&forgotten) = row;
		else
			machine->ended.items[kept++] = row;
	}
	machine->ended.count = machine->ended_before = kept;
	profile_forget_processes(machine->profile, forgotten.items, forgotten.count);
	vec_free(&forgotten);
	vec_free(&needed.rows);
}
