/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/event_rows.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "present/columns.h"
#include "present/safe.h"

enum { NAME_CAP = 34, TEXT_CAP = 30 };

struct event_rows {
	struct event_rows_form form;
	FILE *out;
	size_t count;
	struct columns *columns; /* text */
	json_t *array;		 /* json */
};

struct event_rows *event_rows_new(const struct event_rows_form *form, FILE *out)
{
	const struct column titles[] = {
		{ "event", false, NAME_CAP },
		{ form->tried ? "state" : "kind", false, 0 },
		{ "type", true, 0 },
		{ "config", true, 0 },
		{ "description", false, TEXT_CAP },
	};
	struct event_rows *rows = xcalloc(1, sizeof(*rows));

	rows->form = *form;
	rows->out = out;
	if (form->bare_names)
		return rows;
	if (form->format[0] == 't')
		rows->columns = columns_new(titles, sizeof(titles) / sizeof(titles[0]));
	else if (form->format[0] == 'j')
		rows->array = json_array();
	else
		fprintf(out, "event,%s,type,config,text,masks\n", form->tried ? "state" : "kind");
	return rows;
}

static void add_text(struct event_rows *rows, const struct event_row *row)
{
	struct buf text = { 0 };

	columns_add(rows->columns, row->name);
	columns_add(rows->columns, row->kind);
	columns_printf(rows->columns, row->coded ? "%" PRIu32 : "", row->type);
	columns_printf(rows->columns, row->coded ? "%#" PRIx64 : "", row->config);
	columns_add(rows->columns, row->text);
	if (row->masks[0]) {
		buf_add_str(&text, "    :");
		safe_text(&text, row->masks);
		columns_line(rows->columns, buf_text(&text));
	}
	buf_done(&text);
}

static void print_csv(const struct event_rows *rows, const struct event_row *row)
{
	struct buf line = { 0 };

	safe_csv(&line, row->name);
	buf_add_char(&line, ',');
	safe_csv(&line, row->kind);
	if (row->coded)
		buf_printf(&line, ",%" PRIu32 ",%#" PRIx64 ",", row->type, row->config);
	else
		buf_add_str(&line, ",,,");
	safe_csv(&line, row->text);
	buf_add_char(&line, ',');
	safe_csv(&line, row->masks);
	fprintf(rows->out, "%s\n", buf_text(&line));
	buf_done(&line);
}

static void set_text(json_t *object, const char *name, const char *text)
{
	struct buf safe = { 0 };

	safe_utf8(&safe, text);
	json_object_set_new(object, name, json_string(buf_text(&safe)));
	buf_done(&safe);
}

static void append_json(const struct event_rows *rows, const struct event_row *row)
{
	json_t *object = json_object();
	char config[32];

	set_text(object, "event", row->name);
	set_text(object, rows->form.tried ? "state" : "kind", row->kind);
	snprintf(config, sizeof(config), "%#" PRIx64, row->config);
	json_object_set_new(object, "type",
			    row->coded ? json_integer((json_int_t)row->type) : json_null());
	json_object_set_new(object, "config", row->coded ? json_string(config) : json_null());
	set_text(object, "text", row->text);
	set_text(object, "masks", row->masks);
	json_array_append_new(rows->array, object);
}

void event_rows_add(struct event_rows *rows, const struct event_row *row)
{
	struct buf name = { 0 };

	rows->count++;
	if (rows->form.bare_names) {
		safe_text(&name, row->name);
		fprintf(rows->out, "%s\n", buf_text(&name));
		buf_done(&name);
	} else if (rows->columns) {
		add_text(rows, row);
	} else if (rows->array) {
		append_json(rows, row);
	} else {
		print_csv(rows, row);
	}
}

size_t event_rows_count(const struct event_rows *rows)
{
	return rows->count;
}

void event_rows_finish(struct event_rows *rows)
{
	if (rows->columns && rows->count)
		columns_print(rows->columns, 0, rows->out);
	if (rows->array) {
		json_dumpf(rows->array, rows->out, JSON_INDENT(1));
		fputc('\n', rows->out);
		json_decref(rows->array);
	}
	columns_free(rows->columns);
	free(rows);
}
