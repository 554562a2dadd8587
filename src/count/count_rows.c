/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms of count.h that have one line per row and event. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "count/count.h"
#include "present/safe.h"

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

static double in_unit(const struct count_event *event, double value)
{
	return event->scale > 0 ? value * event->scale : value;
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

	count_view_number(view, event, &line->figures[event], &number);
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

	count_view_number(view, event, &line->figures[event], &number);
	count_view_half(view, &line->figures[event], &half);
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
		count_view_notes(view, out);
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
	add_number(&row, view, good, &figure->count, in_unit(described, 1));
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

static json_t *text_of(const char *text)
{
	struct buf safe = { 0 };
	json_t *made;

	safe_utf8(&safe, text);
	made = json_string(buf_text(&safe));
	buf_done(&safe);
	return made;
}

static void set_number(json_t *row, const char *name, const char *low, const char *high,
		       const struct count_view *view, const struct count_number *number,
		       double scale)
{
	json_object_set_new(row, name, json_real(number->value * scale));
	if (view->table->repeats < 2)
		return;
	json_object_set_new(row, low, json_real(low_of(number) * scale));
	json_object_set_new(row, high, json_real((number->value + number->half) * scale));
}

static void set_keys(json_t *row, const struct count_view *view, const struct count_key *key)
{
	if (view->keys.cpu)
		json_object_set_new(row, "cpu", json_integer(key->cpu));
	if (view->keys.program)
		json_object_set_new(row, "program", text_of(key->program));
	if (view->keys.pid && key->pid >= 0)
		json_object_set_new(row, "pid", json_integer(key->pid));
	if (!view->keys.tid)
		return;
	if (key->tid >= 0)
		json_object_set_new(row, "tid", json_integer(key->tid));
	json_object_set_new(row, "thread", text_of(key->comm));
}

static void append_row(const struct count_view *view, const struct count_line *line, size_t event,
		       void *context)
{
	const struct count_event *described = &view->table->events[event];
	const struct count_figure *figure = &line->figures[event];
	json_t *row = json_object();

	set_keys(row, view, &line->key);
	json_object_set_new(row, "event", text_of(described->name));
	json_object_set_new(row, "state", json_string(counts_state_word(figure->state)));
	if (figure->state == COUNT_GOOD) {
		set_number(row, "count", "low", "high", view, &figure->count,
			   in_unit(described, 1));
		json_object_set_new(row, "unit",
				    text_of(described->counts_ns ? "ns" : described->unit));
		json_object_set_new(row, "percent_counted", json_real(figure->percent_counted));
	} else {
		json_object_set_new(row, "count", json_null());
		json_object_set_new(row, "why", text_of(described->why));
	}
	if (figure->has_ratio) {
		set_number(row, "ratio", "ratio_low", "ratio_high", view, &figure->ratio, 1);
		json_object_set_new(row, "ratio_unit", text_of(view->table->ratios[event].unit));
	}
	json_array_append_new(context, row);
}

void count_view_json(const struct count_view *view, FILE *out)
{
	json_t *object = json_object(), *header = json_object(), *rows = json_array();
	size_t flags = JSON_REAL_PRECISION(REAL_DIGITS) |
		       (view->is_interval ? JSON_COMPACT : JSON_INDENT(1));

	json_object_set_new(header, "counted", text_of(view->command));
	json_object_set_new(header, "repeats", json_integer((json_int_t)view->table->repeats));
	set_number(header, "seconds", "seconds_low", "seconds_high", view, &view->table->wall_s, 1);
	if (view->is_interval)
		json_object_set_new(header, "time", json_real(view->table->ended_s));
	json_object_set_new(header, "complete", json_boolean(view->table->complete));
	visit(view, append_row, rows);
	json_object_set_new(object, "header", header);
	json_object_set_new(object, "rows", rows);
	json_dumpf(object, out, flags);
	fputc('\n', out);
	json_decref(object);
}
