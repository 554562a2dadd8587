/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/json_add.h"
#include "present/safe.h"
#include "watch/show/watch_parts.h"

/* The context of one CSV or JSON row. */
struct streaming {
	struct watch_show *show;
	const struct watch_tick *tick;
	bool totals;
	double seconds; /* for rates; 0 for totals */
};

static double since_began(const struct watch_tick *tick, uint64_t ns)
{
	return (double)(ns - tick->began_ns) / (double)NS_PER_S;
}

static struct streaming stream_of(struct watch_show *show, const struct watch_tick *tick,
				  bool totals)
{
	return (struct streaming){
		.show = show,
		.tick = tick,
		.totals = totals,
		.seconds = totals ? 0 : (double)(tick->to_ns - tick->from_ns) / (double)NS_PER_S,
	};
}

static double value_of(const struct streaming *streaming, const struct watch_line *line,
		       size_t column)
{
	const struct watch_show *show = streaming->show;

	return watch_line_value(&show->setting, show->options.metrics,
				show->options.metrics->metrics[column], line, streaming->seconds);
}

/* Names of the key columns; NULL: no such column. */
struct key_columns {
	const char *id, *pid;
	bool comm;
};

static struct key_columns key_columns(enum probe_key key)
{
	static const struct key_columns columns[] = {
		[PROBE_BY_SUM] = { NULL, NULL, false }, [PROBE_BY_CPU] = { "cpu", NULL, false },
		[PROBE_BY_PID] = { "pid", NULL, true }, [PROBE_BY_THREAD] = { "tid", "pid", true },
		[PROBE_BY_COMM] = { NULL, NULL, true },
	};

	return columns[key];
}

/* ---- CSV ---- */

void watch_stream_add_csv_head(struct watch_show *show)
{
	const struct key_columns key = key_columns(show->setting.key);
	struct buf *text = &show->text;

	buf_add_str(text, "kind,start,end,target");
	if (key.pid)
		buf_printf(text, ",%s", key.pid);
	if (key.id)
		buf_printf(text, ",%s", key.id);
	buf_add_str(text, key.comm ? ",comm" : "");
	for (size_t i = 0; i < show->options.metrics->count; i++) {
		buf_add_char(text, ',');
		safe_csv(text, show->options.metrics->metrics[i]->name);
	}
	buf_add_char(text, '\n');
}

/* Totals are partial if the watch gave up early. */
static const char *csv_kind(const struct streaming *streaming)
{
	if (!streaming->totals)
		return "interval";
	return streaming->tick->end == WATCH_BUDGET ? "partial" : "total";
}

static void add_csv_row(const struct streaming *streaming, const struct probe_row *row)
{
	const struct watch_show *show = streaming->show;
	const struct key_columns key = key_columns(show->setting.key);
	const struct watch_line line = watch_line_of(row);
	struct buf *text = &streaming->show->text;

	buf_printf(text, "%s,%.6f,%.6f,", csv_kind(streaming),
		   since_began(streaming->tick, streaming->tick->from_ns),
		   since_began(streaming->tick, streaming->tick->to_ns));
	safe_csv(text, show->setting.targets[line.target].label);
	if (key.pid)
		buf_printf(text, ",%" PRId32, row->pid);
	if (key.id)
		buf_printf(text, ",%" PRId32, row->id);
	if (key.comm) {
		buf_add_char(text, ',');
		safe_csv(text, row->comm);
	}
	for (size_t i = 0; i < show->options.metrics->count; i++) {
		double value = value_of(streaming, &line, i);

		buf_add_char(text, ',');
		if (!isnan(value))
			buf_printf(text, "%.12g", value);
	}
	buf_add_char(text, '\n');
}

void watch_stream_add_csv(struct watch_show *show, const struct watch_tick *tick, bool totals)
{
	const struct streaming streaming = stream_of(show, tick, totals);

	for (size_t i = 0; i < tick->row_count; i++)
		add_csv_row(&streaming, &tick->rows[i]);
}

/* ---- JSON Lines ---- */

static void add_histogram(struct buf *text, const char *name, const uint64_t *histogram,
			  const struct probe_scale *scale)
{
	if (!histogram)
		return;
	json_add_begin(text, name, '[');
	for (size_t i = 0; i < scale->count; i++) {
		if (!histogram[i])
			continue;
		json_add_begin(text, NULL, '[');
		buf_printf(text, "%" PRId64 ",", scale->lowest[i]);
		if (i + 1 < scale->count)
			buf_printf(text, "%" PRId64, scale->lowest[i + 1] - 1);
		else
			buf_add_str(text, "null");
		buf_printf(text, ",%" PRIu64 "]", histogram[i]);
	}
	buf_add_char(text, ']');
}

static void add_json_key(const struct streaming *streaming, const struct probe_row *row)
{
	const struct key_columns key = key_columns(streaming->show->setting.key);
	struct buf *text = &streaming->show->text;

	if (key.pid)
		buf_printf(text, ",\"%s\":%" PRId32, key.pid, row->pid);
	if (key.id)
		buf_printf(text, ",\"%s\":%" PRId32, key.id, row->id);
	if (key.comm)
		json_add_text(text, "comm", row->comm);
}

static void add_json_row(const struct streaming *streaming, const struct probe_row *row)
{
	struct watch_show *show = streaming->show;
	const struct watch_line line = watch_line_of(row);
	struct buf *text = &show->text;

	json_add_begin(text, NULL, '{');
	json_add_text(text, "kind", streaming->totals ? "total" : "interval");
	json_add_fixed(text, "start", since_began(streaming->tick, streaming->tick->from_ns), 6);
	json_add_fixed(text, "end", since_began(streaming->tick, streaming->tick->to_ns), 6);
	json_add_text(text, "target", show->setting.targets[line.target].label);
	add_json_key(streaming, row);
	for (size_t i = 0; i < show->options.metrics->count; i++) {
		double value = value_of(streaming, &line, i);

		json_add_name(text, show->options.metrics->metrics[i]->name);
		if (isnan(value))
			buf_add_str(text, "null");
		else
			buf_printf(text, "%.12g", value);
	}
	add_histogram(text, "latency_ns", line.latency, &show->setting.latency);
	add_histogram(text, "returned", line.values, &show->setting.values);
	buf_add_str(text, "}\n");
}

void watch_stream_add_json(struct watch_show *show, const struct watch_tick *tick, bool totals)
{
	const struct streaming streaming = stream_of(show, tick, totals);

	for (size_t i = 0; i < tick->row_count; i++)
		add_json_row(&streaming, &tick->rows[i]);
}

/* Units of each metric, and how each target is watched. */
void watch_stream_add_json_begin(struct watch_show *show)
{
	const struct metric_set *set = show->options.metrics;
	struct buf *text = &show->text;

	json_add_begin(text, NULL, '{');
	json_add_text(text, "kind", "begin");
	json_add_begin(text, "metrics", '[');
	for (size_t i = 0; i < set->count; i++) {
		json_add_begin(text, NULL, '{');
		json_add_text(text, "name", set->metrics[i]->name);
		json_add_text(text, "unit", set->metrics[i]->unit);
		json_add_text(text, "total_unit", set->metrics[i]->total_unit);
		json_add_end(text, '}');
	}
	json_add_end(text, ']');
	json_add_begin(text, "targets", '[');
	for (size_t i = 0; i < show->setting.target_count; i++) {
		const struct probe_outcome *outcome = &show->setting.outcomes[i];

		json_add_begin(text, NULL, '{');
		json_add_text(text, "target", show->setting.targets[i].label);
		json_add_text(text, "mechanism", probe_mechanism_name(outcome->mechanism));
		json_add_text(text, "why", outcome->why);
		json_add_end(text, '}');
	}
	buf_add_str(text, "]}\n");
}

void watch_stream_add_json_end(struct watch_show *show, const struct watch_totals *totals)
{
	const struct probe_cost *cost = &totals->all.cost;
	struct buf *text = &show->text;

	json_add_begin(text, NULL, '{');
	json_add_text(text, "kind", "end");
	json_add_text(text, "reason", watch_account_reason(totals->all.end));
	json_add_fixed(text, "seconds", since_began(&totals->all, totals->all.to_ns), 6);
	json_add_number(text, "hits", cost->hits);
	json_add_number(text, "program_ns", cost->program_ns);
	json_add_number(text, "trap_ns", cost->trap_ns);
	json_add_number(text, "missed", cost->missed);
	json_add_number(text, "keys_lost", cost->keys_lost);
	json_add_number(text, "threads_lost", cost->threads_lost);
	json_add_number(text, "attach_ns", show->setting.attach_ns);
	json_add_number(text, "detach_ns", totals->detach_ns);
	buf_add_str(text, "}\n");
}
