/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/event_line.h"

#include "aggregate/account/account.h"
#include "present/figures.h"
#include "present/safe.h"

void event_line_of(const struct profile *profile, uint8_t event, const struct hits *sum, FILE *out)
{
	struct buf text = { 0 };

	safe_text(&text, profile_text(profile, profile->events[event].name));
	buf_add_str(&text, ": ");
	figures_count(&text, sum->samples);
	buf_add_str(&text, " samples, ");
	if (account_is_time(profile, event))
		figures_seconds(&text, sum->weight);
	else
		figures_count(&text, sum->weight);
	fprintf(out, "\nEvent %s\n", buf_text(&text));
	buf_done(&text);
}

void event_line_print(const struct table *table, uint8_t event, FILE *out)
{
	const struct hits sum = { table->sums[event].samples, table->sums[event].weight };

	event_line_of(table->labels->profile, event, &sum, out);
}
