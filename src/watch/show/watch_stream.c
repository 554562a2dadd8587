/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
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

static struct watch_line line_of(const struct probe_row *row)
{
	return (struct watch_line){ .target = row->target,
				    .known = row->place,
				    .row = row,
				    .counts = row->counts,
				    .latency = row->latency,
				    .values = row->values };
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
	const struct watch_line line = line_of(row);
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

static void add_member(struct buf *text, const char *name)
{
	buf_add_char(text, ',');
	safe_json(text, name);
	buf_add_char(text, ':');
}

static void add_histogram(struct buf *text, const char *name, const uint64_t *histogram,
			  const struct probe_scale *scale)
{
	bool any = false;

	if (!histogram)
		return;
	add_member(text, name);
	buf_add_char(text, '[');
	for (size_t i = 0; i < scale->count; i++) {
		if (!histogram[i])
			continue;
		buf_printf(text, "%s[%" PRId64 ",", any ? "," : "", scale->lowest[i]);
		if (i + 1 < scale->count)
			buf_printf(text, "%" PRId64, scale->lowest[i + 1] - 1);
		else
			buf_add_str(text, "null");
		buf_printf(text, ",%" PRIu64 "]", histogram[i]);
		any = true;
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
	if (key.comm) {
		add_member(text, "comm");
		safe_json(text, row->comm);
	}
}

static void add_json_row(const struct streaming *streaming, const struct probe_row *row)
{
	struct watch_show *show = streaming->show;
	const struct watch_line line = line_of(row);
	struct buf *text = &show->text;

	buf_printf(text, "{\"kind\":\"%s\",\"start\":%.6f,\"end\":%.6f,\"target\":",
		   streaming->totals ? "total" : "interval",
		   since_began(streaming->tick, streaming->tick->from_ns),
		   since_began(streaming->tick, streaming->tick->to_ns));
	safe_json(text, show->setting.targets[line.target].label);
	add_json_key(streaming, row);
	for (size_t i = 0; i < show->options.metrics->count; i++) {
		double value = value_of(streaming, &line, i);

		add_member(text, show->options.metrics->metrics[i]->name);
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

	buf_add_str(text, "{\"kind\":\"begin\",\"metrics\":[");
	for (size_t i = 0; i < set->count; i++) {
		buf_add_str(text, i ? ",{\"name\":" : "{\"name\":");
		safe_json(text, set->metrics[i]->name);
		add_member(text, "unit");
		safe_json(text, set->metrics[i]->unit);
		add_member(text, "total_unit");
		safe_json(text, set->metrics[i]->total_unit);
		buf_add_char(text, '}');
	}
	buf_add_str(text, "],\"targets\":[");
	for (size_t i = 0; i < show->setting.target_count; i++) {
		const struct probe_outcome *outcome = &show->setting.outcomes[i];

		buf_add_str(text, i ? ",{\"target\":" : "{\"target\":");
		safe_json(text, show->setting.targets[i].label);
		add_member(text, "mechanism");
		safe_json(text, probe_mechanism_name(outcome->mechanism));
		add_member(text, "why");
		safe_json(text, outcome->why);
		buf_add_char(text, '}');
	}
	buf_add_str(text, "]}\n");
}

void watch_stream_add_json_end(struct watch_show *show, const struct watch_totals *totals)
{
	const struct probe_cost *cost = &totals->all.cost;

	buf_printf(&show->text,
		   "{\"kind\":\"end\",\"reason\":\"%s\",\"seconds\":%.6f,\"hits\":%" PRIu64
		   ",\"program_ns\":%" PRIu64 ",\"trap_ns\":%" PRIu64 ",\"missed\":%" PRIu64
		   ",\"keys_lost\":%" PRIu64 ",\"threads_lost\":%" PRIu64 ",\"attach_ns\":%" PRIu64
		   ",\"detach_ns\":%" PRIu64 "}\n",
		   watch_account_reason(totals->all.end),
		   since_began(&totals->all, totals->all.to_ns), cost->hits, cost->program_ns,
		   cost->trap_ns, cost->missed, cost->keys_lost, cost->threads_lost,
		   show->setting.attach_ns, totals->detach_ns);
}
