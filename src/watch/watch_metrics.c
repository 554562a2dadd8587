/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/watch.h"

#include <strings.h>

/* Says what is attached, in the order of probe_measure. */
static void add_attached(const struct metric_set *set, struct buf *text)
{
	buf_add_str(text, "attached: a program at each entry");
	if (set->exits)
		buf_add_str(text, ", one at each exit");
	if (set->virtual_time)
		buf_add_str(text, ", one at each thread switch (tracepoint sched:sched_switch)");
	buf_add_char(text, '\n');
	for (size_t i = 0; i < set->counter_count; i++) {
		const struct metric_counter_row *row = metric_counter(set->counters[i]);

		buf_printf(text, "counted: %s, %s%s\n", row->counter.name, row->help,
			   row->counter.kind == PROBE_COUNT_PMU
				   ? "; a hardware counter on every CPU, shared with other tools: "
				     "at most as many at once as the processor has"
				   : "");
	}
}

static void add_metric(const struct metric *metric, struct buf *text)
{
	struct metric_set set;

	buf_printf(text, "%s\n%s.\nunit: %s while it runs, %s in the totals\n", metric->name,
		   metric->help, metric->unit, metric->total_unit);
	if (metric_set_parse(metric->name, &set, NULL) == 0)
		add_attached(&set, text);
}

static void add_line(const struct metric *metric, struct buf *text)
{
	buf_printf(text, "%-32s %-8s %s\n", metric->name, metric->unit, metric->help);
}

static void add_family(const char *name, struct buf *text)
{
	struct metric_set set;

	if (metric_set_parse(name, &set, NULL) < 0)
		return;
	buf_printf(text,
		   "%s\nA histogram of how long calls took, shown at the end, in buckets 1/16 to "
		   "1/8 of their value wide; it adds the columns\n",
		   name);
	for (size_t i = 0; i < set.count; i++)
		add_line(set.metrics[i], text);
	add_attached(&set, text);
}

int watch_metrics_help(const char *name, struct buf *text, struct err *err)
{
	const struct metric *metric = name ? metric_find(name) : NULL;

	if (name && !metric && strcasecmp(name, "latency") == 0) {
		add_family("latency", text);
		return 0;
	}
	if (name && !metric)
		return metric_unknown(name, err);
	if (metric) {
		add_metric(metric, text);
		return 0;
	}
	for (size_t i = 0; i < metric_count(); i++)
		add_line(metric_at(i), text);
	return 0;
}
