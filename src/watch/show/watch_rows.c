/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/show/watch_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/xalloc.h"
#include "present/figures.h"

/* ---- lines ---- */

static void add_histogram(uint64_t *sum, const uint64_t *part, size_t count)
{
	for (size_t i = 0; part && i < count; i++)
		sum[i] += part[i];
}

static void add_counts(struct probe_counts *sum, const struct probe_counts *part)
{
	uint64_t longest_ns =
		sum->longest_ns > part->longest_ns ? sum->longest_ns : part->longest_ns;

	_Static_assert(sizeof(*sum) % sizeof(uint64_t) == 0, "nothing but numbers");
	add_histogram((uint64_t *)sum, (const uint64_t *)part, sizeof(*sum) / sizeof(uint64_t));
	sum->longest_ns = longest_ns;
}

static uint64_t *new_histogram(struct watch_lines *lines, size_t count)
{
	uint64_t *made = count ? xcalloc(count, sizeof(*made)) : NULL;

	if (made)
		*vec_push(&lines->histograms) = made;
	return made;
}

/* Adds a line with the sum of rows [first, end) of a tick, all of one target. */
static void push_sum(const struct watch_setting *setting, const struct watch_tick *tick,
		     size_t target, size_t first, size_t end, struct watch_lines *lines)
{
	struct watch_line line = { .target = target, .known = SIZE_MAX - target };
	uint64_t *latency = NULL, *values = NULL;

	for (size_t i = first; i < end; i++) {
		const struct probe_row *row = &tick->rows[i];

		if (row->latency && !latency)
			latency = new_histogram(lines, setting->latency.count);
		if (row->values && !values)
			values = new_histogram(lines, setting->values.count);
		add_counts(&line.counts, &row->counts);
		if (latency)
			add_histogram(latency, row->latency, setting->latency.count);
		if (values)
			add_histogram(values, row->values, setting->values.count);
	}
	line.latency = latency;
	line.values = values;
	*vec_push(&lines->list) = line;
}

struct watch_line watch_line_of(const struct probe_row *row)
{
	return (struct watch_line){ .target = row->target,
				    .known = row->place,
				    .row = row,
				    .counts = row->counts,
				    .latency = row->latency,
				    .values = row->values };
}

/* The end of the rows with the same target as row @first. */
static size_t end_of_target(const struct watch_tick *tick, size_t first)
{
	size_t end = first;

	while (end < tick->row_count && tick->rows[end].target == tick->rows[first].target)
		end++;
	return end;
}

void watch_lines_make(const struct watch_setting *setting, const struct watch_tick *tick,
		      struct watch_lines *ret_lines)
{
	size_t end;

	*ret_lines = (struct watch_lines){ .list = { 0 } };
	for (size_t first = 0; first < tick->row_count; first = end) {
		end = end_of_target(tick, first);
		for (size_t i = first; i < end; i++)
			*vec_push(&ret_lines->list) = watch_line_of(&tick->rows[i]);
		if (setting->key == PROBE_BY_CPU && end - first > 1)
			push_sum(setting, tick, tick->rows[first].target, first, end, ret_lines);
	}
}

void watch_lines_sum(const struct watch_setting *setting, const struct watch_tick *tick,
		     struct watch_lines *ret_lines)
{
	size_t first = 0;

	*ret_lines = (struct watch_lines){ .list = { 0 } };
	for (size_t target = 0; target < setting->target_count; target++) {
		size_t end = first;

		while (end < tick->row_count && tick->rows[end].target == target)
			end++;
		push_sum(setting, tick, target, first, end, ret_lines);
		first = end;
	}
}

void watch_lines_done(struct watch_lines *lines)
{
	for (size_t i = 0; i < lines->histograms.count; i++)
		free(lines->histograms.items[i]);
	vec_free(&lines->histograms);
	vec_free(&lines->list);
}

/* ---- words ---- */

const char *watch_line_key_title(enum probe_key key)
{
	static const char *const titles[] = { [PROBE_BY_SUM] = "",
					      [PROBE_BY_CPU] = "cpu",
					      [PROBE_BY_PID] = "pid",
					      [PROBE_BY_THREAD] = "thread",
					      [PROBE_BY_COMM] = "comm" };

	return titles[key];
}

void watch_line_key(const struct watch_setting *setting, const struct watch_line *line,
		    struct buf *text)
{
	if (setting->key == PROBE_BY_SUM)
		return;
	if (!line->row) {
		buf_add_str(text, "sum");
		return;
	}
	if (line->row->id >= 0)
		buf_printf(text, "%" PRId32, line->row->id);
	if (*line->row->comm)
		buf_printf(text, "%s%s", line->row->id >= 0 ? " " : "", line->row->comm);
}

/* ---- values ---- */

/* False for functions that return nothing, or only values that are no errors: they get no number,
 * not 0. */
static bool has_errors(const struct watch_setting *setting, size_t target)
{
	enum probe_return_kind kind = setting->targets[target].returns.kind;

	return kind != PROBE_RETURN_NOTHING &&
	       (setting->errors_told || kind != PROBE_RETURN_UNSIGNED);
}

bool watch_line_is_unknown(const struct watch_setting *setting, const struct metric *metric,
			   const struct watch_line *line)
{
	return setting->targets[line->target].go && metric_needs_thread(metric);
}

double watch_line_value(const struct watch_setting *setting, const struct metric_set *set,
			const struct metric *metric, const struct watch_line *line, double seconds)
{
	const struct metric_counts counts = { .counts = &line->counts,
					      .latency = line->latency,
					      .scale = setting->latency,
					      .seconds = seconds };

	if (metric_needs_exits(metric) && (setting->targets[line->target].instruction ||
					   setting->outcomes[line->target].exits_missing))
		return NAN;
	if (watch_line_is_unknown(setting, metric, line))
		return NAN;
	if (metric_needs_errors(metric) && !has_errors(setting, line->target))
		return NAN;
	return metric_value(metric, set, &counts);
}

/* Three digits: "0.0123", "12.3", "1.2e-07". */
static void add_few_digits(struct buf *text, double value)
{
	if (value < 0.0001)
		buf_printf(text, "%.2g", value);
	else if (value < 0.9995)
		buf_printf(text, "%.3g", value);
	else
		buf_printf(text, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
}

/* True for times summed over threads or CPUs. */
static bool is_sum_of_time(const struct metric *metric)
{
	return strcmp(metric->total_unit, "thread-s") == 0 ||
	       strcmp(metric->total_unit, "cpu-s") == 0;
}

void watch_value_text(struct buf *text, const struct metric *metric, double value, bool total)
{
	bool is_time = strcmp(metric->unit, "s") == 0 ||
		       (total && value < 0.9995 && is_sum_of_time(metric));

	if (isnan(value)) {
		buf_add_char(text, '-');
	} else if (value == 0) {
		buf_add_char(text, '0');
	} else if (is_time) {
		figures_si(text, value);
		buf_add_char(text, 's');
	} else if (value >= 999.5 || (total && value == floor(value))) {
		figures_count(text, (uint64_t)(value + 0.5));
	} else {
		add_few_digits(text, value);
	}
}

void watch_percent_text(struct buf *text, double percent)
{
	if (percent >= 10)
		buf_printf(text, "%.0f", percent);
	else
		buf_printf(text, "%.2g", percent);
}
