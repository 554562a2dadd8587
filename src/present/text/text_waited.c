/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_waited.h"

#include <stdbool.h>

#include "base/clock.h"
#include "model/profile.h"
#include "present/figures.h"
#include "present/waited.h"

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
	buf_add_str(text, "; threads blocked on locks ");
	figures_seconds(text, waited->locks_ns);
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
}
