/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_add.h"
#include "present/columns.h"
#include "present/figures.h"
#include "present/paragraph.h"
#include "present/safe.h"

enum {
	LINE_WIDTH = 79,	 /* of sentences, beside a blank */
	EVENTS_SIDE_BY_SIDE = 6, /* more do not fit into a line */
	EVENTS_WITH_INTERVALS = 3,
	LOW_PERCENT = 50, /* an estimate from less time than this is not reliable */
	MOST_EXACT_BITS = 62,
};

/* ---- numbers ---- */

static void add_grouped(struct buf *buf, uint64_t value, char separator)
{
	struct buf digits = { 0 };

	figures_count(&digits, value);
	for (size_t i = 0; i < digits.size; i++)
		buf_add_char(buf, digits.bytes[i] == ',' ? separator : digits.bytes[i]);
	buf_done(&digits);
}

static void add_whole(enum count_digits digits, double value, struct buf *buf)
{
	uint64_t whole = value < ldexp(1, MOST_EXACT_BITS) ? (uint64_t)(value + 0.5) : UINT64_MAX;

	if (digits == COUNT_DIGITS_HEX)
		buf_printf(buf, "0x%" PRIx64, whole);
	else
		add_grouped(buf, whole, digits == COUNT_DIGITS_EU ? '.' : ',');
}

/* Appends a count as text, with its unit if the event has one, or the words of its state. */
static void add_figure(const struct count_view *view, size_t event,
		       const struct count_figure *figure, struct buf *buf)
{
	const struct count_event *described = &view->table->events[event];

	if (figure->state != COUNT_GOOD)
		buf_add_str(buf, counts_state_word(figure->state));
	else if (described->scale > 0)
		buf_printf(buf, "%.2f %s", figure->count.value * described->scale, described->unit);
	else
		add_whole(view->digits, figure->count.value, buf);
}

/* A ratio with four digits, without an exponent. */
static void add_ratio(const struct count_view *view, struct buf *buf, double value)
{
	double size = fabs(value);
	int decimals = size < 1e-9 ? 0 : 3 - (int)floor(log10(size));

	if (size >= 1000)
		add_whole(view->digits == COUNT_DIGITS_EU ? COUNT_DIGITS_EU : COUNT_DIGITS_US,
			  value, buf);
	else
		buf_printf(buf, "%.*f", decimals > 6 ? 6 : decimals, value);
}

/* Half the 95 % interval, as a share of the mean. */
static void add_half(struct buf *buf, const struct count_number *number)
{
	if (number->value > 0)
		buf_printf(buf, "+- %.2f%%", 100 * number->half / number->value);
}

/* Appends half the 95 % interval of a mean, as a share of it: "+- 1.23%"; nothing for one run. */
static void add_figure_half(const struct count_view *view, const struct count_figure *figure,
			    struct buf *buf)
{
	if (view->table->repeats > 1 && figure->state == COUNT_GOOD)
		add_half(buf, &figure->count);
}

/* ---- one value with a row for each event ---- */

static void add_event_row(const struct count_view *view, size_t event, struct columns *columns)
{
	const struct count_table *table = view->table;
	const struct count_figure *figure = &table->total.figures[event];
	struct buf count = { 0 }, ratio = { 0 }, half = { 0 }, ratio_half = { 0 };

	if (view->is_interval)
		columns_printf(columns, "%.3f", table->ended_s);
	add_figure(view, event, figure, &count);
	columns_add(columns, buf_text(&count));
	if (table->repeats > 1) {
		add_figure_half(view, figure, &half);
		columns_add(columns, buf_text(&half));
	}
	columns_add(columns, table->events[event].counts_ns ? "ns" : "");
	columns_add(columns, table->events[event].name);
	if (figure->has_ratio)
		add_ratio(view, &ratio, figure->ratio.value);
	columns_add(columns, buf_text(&ratio));
	columns_add(columns, figure->has_ratio ? table->ratios[event].unit : "");
	if (table->repeats > 1) {
		if (figure->has_ratio)
			add_half(&ratio_half, &figure->ratio);
		columns_add(columns, buf_text(&ratio_half));
	}
	columns_printf(columns,
		       figure->state == COUNT_GOOD && figure->percent_counted < 100
			       ? "%.1f%% of the time"
			       : "",
		       figure->percent_counted);
	buf_done(&count);
	buf_done(&ratio);
	buf_done(&half);
	buf_done(&ratio_half);
}

static void print_events(const struct count_view *view, FILE *out)
{
	struct column titles[COLUMNS_MAX];
	_cleanup_(columns_freep) struct columns *columns = NULL;
	bool repeated = view->table->repeats > 1;
	size_t count = 0;

	if (view->is_interval)
		titles[count++] = (struct column){ "time", true, 0 };
	titles[count++] = (struct column){ "count", true, 0 };
	if (repeated)
		titles[count++] = (struct column){ "95%", true, 0 };
	titles[count++] = (struct column){ "", false, 0 };
	titles[count++] = (struct column){ "event", false, 0 };
	titles[count++] = (struct column){ "ratio", true, 0 };
	titles[count++] = (struct column){ "", false, 0 };
	if (repeated)
		titles[count++] = (struct column){ "95%", true, 0 };
	titles[count++] = (struct column){ "counted", false, 0 };
	columns = columns_new(titles, count);
	for (size_t i = 0; i < view->table->event_count; i++)
		add_event_row(view, i, columns);
	columns_print(columns, 1, out);
}

/* ---- a table with a row for each line ---- */

static void add_keys(const struct count_view *view, const struct count_key *key,
		     struct columns *columns)
{
	if (view->is_interval)
		columns_printf(columns, "%.3f", view->table->ended_s);
	if (view->keys.cpu)
		columns_printf(columns, key->cpu >= 0 ? "%d" : "all", key->cpu);
	if (view->keys.pid)
		columns_printf(columns, key->pid >= 0 ? "%d" : "", key->pid);
	if (view->keys.tid)
		columns_printf(columns, key->tid >= 0 ? "%d" : "", key->tid);
}

static void add_counts(const struct count_view *view, const struct count_line *line, size_t first,
		       size_t end, struct columns *columns)
{
	for (size_t i = first; i < end; i++) {
		struct buf text = { 0 };

		add_figure(view, i, &line->figures[i], &text);
		columns_add(columns, buf_text(&text));
		buf_clear(&text);
		add_figure_half(view, &line->figures[i], &text);
		if (view->table->repeats > 1)
			columns_add(columns, buf_text(&text));
		buf_done(&text);
	}
}

/* The line's program or thread name. */
static const char *words_of(const struct count_view *view, const struct count_key *key)
{
	if (!view->keys.tid || (!key->comm[0] && key->tid <= 0))
		return key->program;
	return key->comm[0] ? key->comm : "-";
}

/* The events from @first to @end, side by side. */
static void print_table(const struct count_view *view, size_t first, size_t end, FILE *out)
{
	const struct count_table *table = view->table;
	struct column titles[COLUMNS_MAX];
	_cleanup_(columns_freep) struct columns *columns = NULL;
	bool words = view->keys.program || view->keys.tid;
	size_t count = 0;

	if (view->is_interval)
		titles[count++] = (struct column){ "time", true, 0 };
	if (view->keys.cpu)
		titles[count++] = (struct column){ "cpu", true, 0 };
	if (view->keys.pid)
		titles[count++] = (struct column){ "pid", true, 0 };
	if (view->keys.tid)
		titles[count++] = (struct column){ "tid", true, 0 };
	for (size_t i = first; i < end; i++) {
		titles[count++] = (struct column){ table->events[i].name, true, 0 };
		if (table->repeats > 1)
			titles[count++] = (struct column){ "95%", true, 0 };
	}
	if (words)
		titles[count++] =
			(struct column){ view->keys.tid ? "thread" : "program", false, 0 };
	columns = columns_new(titles, count);
	for (size_t i = 0; i < table->lines.count; i++) {
		const struct count_line *line = &table->lines.items[i];

		add_keys(view, &line->key, columns);
		add_counts(view, line, first, end, columns);
		if (words)
			columns_add(columns, words_of(view, &line->key));
	}
	/* Several rows need a total. So does none: the total is 0 if no task ran. */
	if (table->lines.count != 1) {
		columns_rule(columns);
		add_keys(view, &table->total.key, columns);
		add_counts(view, &table->total, first, end, columns);
		if (words)
			columns_add(columns, "total");
	}
	columns_print(columns, 1, out);
}

/* ---- what is to be known ---- */

static bool is_first_with(const struct count_table *table, size_t event)
{
	for (size_t i = 0; i < event; i++) {
		if (strcmp(table->events[i].why, table->events[event].why) == 0)
			return false;
	}
	return true;
}

/* Prints each reason once, with its events. */
static void print_reasons(const struct count_table *table, FILE *out)
{
	for (size_t i = 0; i < table->event_count; i++) {
		struct buf names = { 0 };

		if (!table->events[i].why[0] || !is_first_with(table, i))
			continue;
		for (size_t j = i; j < table->event_count; j++) {
			if (strcmp(table->events[j].why, table->events[i].why) != 0)
				continue;
			if (names.size)
				buf_add_str(&names, ", ");
			safe_text(&names, table->events[j].name);
		}
		buf_printf(&names, ": %s%s%s",
			   table->events[i].state == COUNT_GOOD
				   ? ""
				   : counts_state_word(table->events[i].state),
			   table->events[i].state == COUNT_GOOD ? "" : ": ", table->events[i].why);
		fputc(' ', out);
		paragraph_print_plain(buf_text(&names), LINE_WIDTH, out);
		buf_done(&names);
	}
}

static void print_warnings(const struct count_table *table, FILE *out)
{
	double least = 100;

	for (size_t i = 0; i < table->event_count; i++) {
		const struct count_figure *figure = &table->total.figures[i];

		if (figure->state == COUNT_GOOD && figure->percent_counted < least)
			least = figure->percent_counted;
	}
	if (least < LOW_PERCENT)
		fprintf(out,
			" Events took turns: some were counted only %.0f%% of the time and scaled "
			"up; count fewer at once for exact numbers.\n",
			least);
	if (!table->complete)
		fputs(" There were more programs or threads than the table holds; the rest is in "
		      "[others] or missing.\n",
		      out);
}

/* Why events were not counted, and how far to trust the others: printed below a text. */
static void print_notes(const struct count_view *view, FILE *out)
{
	fputc('\n', out);
	print_reasons(view->table, out);
	print_warnings(view->table, out);
}

static void print_head(const struct count_view *view, FILE *out)
{
	const struct count_table *table = view->table;
	struct buf what = { 0 };

	safe_text(&what, view->command);
	fprintf(out, "\n Counted %s", buf_text(&what));
	if (table->repeats > 1)
		fprintf(out, " %zu times, for %.4f s +- %.2f%% each\n\n", table->repeats,
			table->wall_s.value,
			table->wall_s.value > 0 ? 100 * table->wall_s.half / table->wall_s.value
						: 0);
	else
		fprintf(out, " for %.4f s\n\n", table->wall_s.value);
	buf_done(&what);
}

void count_view_text(const struct count_view *view, FILE *out)
{
	const struct count_table *table = view->table;
	bool keyed = view->keys.cpu || view->keys.program || view->keys.pid || view->keys.tid;

	size_t step = table->repeats > 1 ? EVENTS_WITH_INTERVALS : EVENTS_SIDE_BY_SIDE;

	if (!view->is_interval)
		print_head(view, out);
	if (!keyed)
		print_events(view, out);
	for (size_t i = 0; keyed && i < table->event_count; i += step) {
		size_t end = i + step;

		if (i)
			fputc('\n', out);
		print_table(view, i, end < table->event_count ? end : table->event_count, out);
	}
	if (!view->is_interval)
		print_notes(view, out);
}

/* ---- rows for programs: CSV, JSON, and those of other tools ---- */

enum { REAL_DIGITS = 12 };

typedef void (*each_figure)(const struct count_view *view, const struct count_line *line,
			    size_t event, void *context);

static void visit(const struct count_view *view, each_figure take, void *context)
{
	const struct count_table *table = view->table;

	for (size_t i = 0; i < table->lines.count; i++) {
		for (size_t j = 0; j < table->event_count; j++)
			take(view, &table->lines.items[i], j, context);
	}
}

/* What turns a count into its unit. */
static double scale_of(const struct count_event *event)
{
	return event->scale > 0 ? event->scale : 1;
}

/* ---- as pfmon did ---- */

struct widths {
	size_t count, event;
};

static void measure(const struct count_view *view, const struct count_line *line, size_t event,
		    void *context)
{
	struct widths *widths = context;
	struct buf number = { 0 };
	size_t width = safe_width(view->table->events[event].name);

	add_figure(view, event, &line->figures[event], &number);
	if (number.size > widths->count)
		widths->count = number.size;
	if (width > widths->event)
		widths->event = width;
	buf_done(&number);
}

struct follow {
	struct widths widths;
	FILE *out;
};

static void print_followed(const struct count_view *view, const struct count_line *line,
			   size_t event, void *context)
{
	const struct follow *follow = context;
	struct buf number = { 0 }, half = { 0 }, name = { 0 }, path = { 0 };

	add_figure(view, event, &line->figures[event], &number);
	add_figure_half(view, &line->figures[event], &half);
	safe_text(&name, view->table->events[event].name);
	safe_text(&path, line->key.program);
	if (view->is_interval)
		fprintf(follow->out, "%10.3f ", view->table->ended_s);
	fprintf(follow->out, "%*s %-*s %s", (int)follow->widths.count, buf_text(&number),
		(int)follow->widths.event, buf_text(&name), buf_text(&path));
	if (line->runs > 1)
		fprintf(follow->out, " (%.10g times)", line->runs);
	if (line->figures[event].state == COUNT_GOOD && line->figures[event].percent_counted < 100)
		fprintf(follow->out, " (counted %.1f%% of the time)",
			line->figures[event].percent_counted);
	if (half.size)
		fprintf(follow->out, " (%s)", buf_text(&half));
	fputc('\n', follow->out);
	buf_done(&number);
	buf_done(&half);
	buf_done(&name);
	buf_done(&path);
}

void count_view_follow(const struct count_view *view, FILE *out)
{
	struct follow follow = { .out = out };

	visit(view, measure, &follow.widths);
	visit(view, print_followed, &follow);
	if (!view->is_interval)
		print_notes(view, out);
}

/* ---- CSV ---- */

static void add_key(struct buf *row, bool wanted, int32_t number)
{
	if (wanted && number >= 0)
		buf_printf(row, "%d", number);
	if (wanted)
		buf_add_char(row, ',');
}

static void add_word(struct buf *row, bool wanted, const char *word)
{
	if (!wanted)
		return;
	safe_csv(row, word);
	buf_add_char(row, ',');
}

/* A count is never below 0, however much runs differ. */
static double low_of(const struct count_number *number)
{
	return number->value > number->half ? number->value - number->half : 0;
}

/* VALUE,LOW,HIGH; the interval is empty after one run. */
static void add_number(struct buf *row, const struct count_view *view, bool known,
		       const struct count_number *number, double scale)
{
	if (!known) {
		buf_add_str(row, ",,,");
		return;
	}
	buf_printf(row, "%.15g,", number->value * scale);
	if (view->table->repeats > 1)
		buf_printf(row, "%.15g,%.15g,", low_of(number) * scale,
			   (number->value + number->half) * scale);
	else
		buf_add_str(row, ",,");
}

static void print_csv(const struct count_view *view, const struct count_line *line, size_t event,
		      void *context)
{
	const struct count_event *described = &view->table->events[event];
	const struct count_figure *figure = &line->figures[event];
	bool good = figure->state == COUNT_GOOD;
	struct buf row = { 0 };

	if (view->is_interval)
		buf_printf(&row, "%.6f,", view->table->ended_s);
	add_key(&row, view->keys.cpu, line->key.cpu);
	add_word(&row, view->keys.program, line->key.program);
	add_key(&row, view->keys.pid, line->key.pid);
	add_key(&row, view->keys.tid, line->key.tid);
	add_word(&row, view->keys.tid, line->key.comm);
	add_word(&row, true, described->name);
	add_number(&row, view, good, &figure->count, scale_of(described));
	buf_printf(&row, "%s,", described->counts_ns ? "ns" : described->unit);
	if (good)
		buf_printf(&row, "%.2f", figure->percent_counted);
	buf_printf(&row, ",%s,", counts_state_word(figure->state));
	add_number(&row, view, figure->has_ratio, &figure->ratio, 1);
	if (figure->has_ratio)
		safe_csv(&row, view->table->ratios[event].unit);
	fprintf((FILE *)context, "%s\n", buf_text(&row));
	buf_done(&row);
}

void count_view_csv(const struct count_view *view, bool titles, FILE *out)
{
	if (titles)
		fprintf(out,
			"%s%s%s%s%sevent,count,low,high,unit,percent_counted,state,ratio,ratio_low,"
			"ratio_high,ratio_unit\n",
			view->is_interval ? "time," : "", view->keys.cpu ? "cpu," : "",
			view->keys.program ? "program," : "", view->keys.pid ? "pid," : "",
			view->keys.tid ? "tid,thread," : "");
	visit(view, print_csv, out);
}

/* ---- as ocount did ---- */

static void print_brief(const struct count_view *view, const struct count_line *line, size_t event,
			void *context)
{
	const struct count_figure *figure = &line->figures[event];
	struct buf row = { 0 };

	add_key(&row, view->keys.cpu, line->key.cpu);
	add_word(&row, view->keys.program, line->key.program);
	add_key(&row, view->keys.pid, line->key.pid);
	add_key(&row, view->keys.tid, line->key.tid);
	add_word(&row, true, view->table->events[event].name);
	if (figure->state == COUNT_GOOD)
		buf_printf(&row, "%.0f,%.2f", figure->count.value, figure->percent_counted);
	else
		buf_printf(&row, "%s,0.00", counts_state_word(figure->state));
	fprintf((FILE *)context, "%s\n", buf_text(&row));
	buf_done(&row);
}

void count_view_brief(const struct count_view *view, FILE *out)
{
	if (view->is_interval)
		fprintf(out, "timestamp,%.3f\n", view->table->ended_s);
	visit(view, print_brief, out);
}

/* ---- JSON ---- */

static void add_real(struct buf *json, const char *name, double value)
{
	json_add_real(json, name, value, REAL_DIGITS);
}

static void add_json_number(struct buf *json, const char *name, const char *low, const char *high,
			    const struct count_view *view, const struct count_number *number,
			    double scale)
{
	add_real(json, name, number->value * scale);
	if (view->table->repeats < 2)
		return;
	add_real(json, low, low_of(number) * scale);
	add_real(json, high, (number->value + number->half) * scale);
}

static void add_id(struct buf *json, const char *name, int32_t id)
{
	json_add_name(json, name);
	buf_printf(json, "%d", id);
}

static void add_json_keys(struct buf *json, const struct count_view *view,
			  const struct count_key *key)
{
	if (view->keys.cpu)
		add_id(json, "cpu", key->cpu);
	if (view->keys.program)
		json_add_text(json, "program", key->program);
	if (view->keys.pid && key->pid >= 0)
		add_id(json, "pid", key->pid);
	if (!view->keys.tid)
		return;
	if (key->tid >= 0)
		add_id(json, "tid", key->tid);
	json_add_text(json, "thread", key->comm);
}

static void add_json_row(const struct count_view *view, const struct count_line *line, size_t event,
			 void *context)
{
	const struct count_event *described = &view->table->events[event];
	const struct count_figure *figure = &line->figures[event];
	struct buf *json = context;

	json_add_begin(json, NULL, '{');
	add_json_keys(json, view, &line->key);
	json_add_text(json, "event", described->name);
	json_add_text(json, "state", counts_state_word(figure->state));
	if (figure->state == COUNT_GOOD) {
		add_json_number(json, "count", "low", "high", view, &figure->count,
				scale_of(described));
		json_add_text(json, "unit", described->counts_ns ? "ns" : described->unit);
		add_real(json, "percent_counted", figure->percent_counted);
	} else {
		json_add_null(json, "count");
		json_add_text(json, "why", described->why);
	}
	if (figure->has_ratio) {
		add_json_number(json, "ratio", "ratio_low", "ratio_high", view, &figure->ratio, 1);
		json_add_text(json, "ratio_unit", view->table->ratios[event].unit);
	}
	json_add_end(json, '}');
}

void count_view_json(const struct count_view *view, FILE *out)
{
	struct buf json = { 0 };

	json_add_begin(&json, NULL, '{');
	json_add_begin(&json, "header", '{');
	json_add_text(&json, "counted", view->command);
	json_add_number(&json, "repeats", view->table->repeats);
	add_json_number(&json, "seconds", "seconds_low", "seconds_high", view, &view->table->wall_s,
			1);
	if (view->is_interval)
		add_real(&json, "time", view->table->ended_s);
	json_add_bool(&json, "complete", view->table->complete);
	json_add_end(&json, '}');
	json_add_begin(&json, "rows", '[');
	visit(view, add_json_row, &json);
	json_add_end(&json, ']');
	json_add_end(&json, '}');
	if (!view->is_interval) {
		json_add_print(&json, 1, out);
		return;
	}
	fprintf(out, "%s\n", buf_text(&json));
	buf_done(&json);
}
