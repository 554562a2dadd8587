/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_waited.h"

#include <stdbool.h>

#include "base/clock.h"
#include "model/profile.h"
#include "present/figures.h"
#include "present/waited.h"

/* Starting and stopping take some of the time: what is below says nothing of the machine. */
enum { LEAST_READY = 5, LEAST_READY_NS = 10 * NS_PER_MS }; /* percent; a tick of the kernel's */

void text_waited_time(struct buf *text, const struct waited *waited, const struct run_facts *run)
{
	uint64_t cpu_ns = run->command_user_ns + run->command_system_ns;
	int decimals = cpu_ns >= NS_PER_S ? 2 : 3;

	figures_seconds(text, waited->elapsed_ns);
	if (cpu_ns)
		buf_printf(text, ", CPU %.*f s (user %.*f, system %.*f)", decimals,
			   (double)cpu_ns / NS_PER_S, decimals,
			   (double)run->command_user_ns / NS_PER_S, decimals,
			   (double)run->command_system_ns / NS_PER_S);
}

/* Whole percents are enough, and what rounds to none is not told. */
static bool is_told(const struct waited *waited, uint64_t ns)
{
	return figures_percent(ns, waited->elapsed_ns) > 0.5;
}

static void add_reasons(struct buf *text, const struct waited *waited)
{
	for (int i = 0; i < WAITED_ROWS && is_told(waited, waited->rows[i].ns); i++)
		buf_printf(text, "%s %s %.0f %%", i ? "," : ":", waited->rows[i].name,
			   figures_percent(waited->rows[i].ns, waited->elapsed_ns));
}

static void add_locks(struct buf *text, const struct waited *waited)
{
	if (!is_told(waited, waited->locks_ns))
		return;
	buf_printf(text, "; threads blocked on locks %s", waited->not_asked ? "at least " : "");
	figures_seconds(text, waited->locks_ns);
}

static void add_not_asked(struct buf *text, const struct waited *waited)
{
	if (!waited->not_asked)
		return;
	buf_add_str(text, "; too many waits a second to ask why: ");
	figures_count(text, waited->not_asked);
	buf_add_str(text, " were not asked");
}

void text_waited_reasons(struct buf *text, const struct waited *waited)
{
	double percent = figures_percent(waited->total_ns, waited->elapsed_ns);

	if (waited->known == WAITED_NOT_KNOWN) {
		buf_add_str(text, "whether it waited is not known");
		return;
	}
	buf_add_str(text, "waited ");
	if (is_told(waited, waited->total_ns)) {
		figures_seconds(text, waited->total_ns);
		buf_printf(text, " (%.0f %%)", percent);
	} else {
		buf_add_str(text, "0 %");
	}
	if (waited->known == WAITED_REASONS)
		add_reasons(text, waited);
	else if (is_told(waited, waited->total_ns))
		buf_add_str(text, ", reason not known");
	add_locks(text, waited);
	add_not_asked(text, waited);
}

void text_waited_ready(struct buf *text, const struct waited *waited, uint64_t cpu_ns)
{
	uint64_t ready_ns = waited_ready_ns(waited, cpu_ns);
	double percent = figures_percent(ready_ns, waited->elapsed_ns);

	if (percent < LEAST_READY || ready_ns < LEAST_READY_NS)
		return;
	buf_add_str(text, "; ready but without a CPU for at least ");
	figures_seconds(text, ready_ns);
	buf_printf(text, " (%.0f %%)", percent);
}
