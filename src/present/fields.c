/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/fields.h"

#include "present/safe.h"

static void begin_field(struct fields *fields, const char *name)
{
	if (fields->any_field)
		buf_add_char(&fields->line, ',');
	else if (fields->json)
		buf_add_str(&fields->line, fields->any_row ? ",\n{" : "\n{");
	fields->any_field = true;
	if (fields->json) {
		safe_json(&fields->line, name);
		buf_add_char(&fields->line, ':');
	}
}

void fields_text(struct fields *fields, const char *name, const char *text)
{
	begin_field(fields, name);
	if (fields->json)
		safe_json(&fields->line, text);
	else
		safe_csv(&fields->line, text);
}

void fields_number(struct fields *fields, const char *name, uint64_t value)
{
	begin_field(fields, name);
	buf_add_decimal(&fields->line, value);
}

void fields_percent(struct fields *fields, const char *name, double value)
{
	begin_field(fields, name);
	buf_add_fixed(&fields->line, value, 4);
}

void fields_nothing(struct fields *fields, const char *name)
{
	begin_field(fields, name);
	if (fields->json)
		buf_add_str(&fields->line, "null");
}

void fields_key(struct fields *fields, const struct key *key, const char *text)
{
	if (key->kind != KEY_NUMBER || key->number) {
		fields_text(fields, key->name, text);
		return;
	}
	begin_field(fields, key->name);
	buf_add_str(&fields->line, text);
}

void fields_end_row(struct fields *fields)
{
	buf_add_char(&fields->line, fields->json ? '}' : '\n');
	fwrite(fields->line.bytes, 1, fields->line.size, fields->out);
	buf_clear(&fields->line);
	fields->any_field = false;
	fields->any_row = true;
}

void fields_done(struct fields *fields)
{
	buf_done(&fields->line);
}
