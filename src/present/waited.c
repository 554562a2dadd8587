/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/waited.h"

#include <stdlib.h>

#include "base/compare.h"
#include "model/profile.h"

DEFINE_ORDER(longest_first, struct waited_row, COMPARE(b->ns, a->ns))

/* Returns the part of @ns that fits into the command's time. */
static uint64_t add(struct waited *waited, uint64_t ns)
{
	uint64_t room_ns = waited->elapsed_ns - waited->total_ns;
	uint64_t part_ns = ns < room_ns ? ns : room_ns;

	waited->total_ns += part_ns;
	return part_ns;
}

static void add_reasons(struct waited *waited, const struct run_facts *run)
{
	const struct waited_row rows[WAITED_ROWS] = {
		{ "disk", run->waited_disk_ns },	 { "sleep", run->waited_sleep_ns },
		{ "lock", run->waited_lock_ns },	 { "pipe", run->waited_pipe_ns },
		{ "network", run->waited_network_ns },	 { "poll", run->waited_poll_ns },
		{ "terminal", run->waited_terminal_ns }, { "child", run->waited_child_ns },
		{ "signal", run->waited_signal_ns },	 { "stopped", run->waited_stopped_ns },
		{ "other", run->waited_other_ns },	 { "unknown", run->waited_unknown_ns },
	};

	for (int i = 0; i < WAITED_ROWS; i++)
		waited->rows[i] = (struct waited_row){ rows[i].name, add(waited, rows[i].ns) };
	qsort(waited->rows, WAITED_ROWS, sizeof(waited->rows[0]), longest_first);
	waited->locks_ns = run->lock_wait_ns;
	waited->not_asked = run->waits_not_asked;
}

uint64_t waited_ready_ns(const struct waited *waited, uint64_t cpu_ns)
{
	uint64_t active_ns = waited->elapsed_ns - waited->total_ns;

	return waited->known != WAITED_NOT_KNOWN && active_ns > cpu_ns ? active_ns - cpu_ns : 0;
}

struct waited waited_of(const struct run_facts *run)
{
	struct waited waited = { 0 };

	if (!run->command_begin_ns || run->command_end_ns <= run->command_begin_ns)
		return waited;
	waited.elapsed_ns =
		run->command_ns ? run->command_ns : run->command_end_ns - run->command_begin_ns;
	waited.known = run->waited_known < WAITED_REASONS ? (enum waited_known)run->waited_known
							  : WAITED_REASONS;
	if (waited.known == WAITED_TOTAL)
		add(&waited, run->waited_unknown_ns);
	else if (waited.known == WAITED_REASONS)
		add_reasons(&waited, run);
	return waited;
}
