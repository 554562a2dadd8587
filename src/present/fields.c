/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/fields.h"

#include "base/json_add.h"
#include "present/safe.h"

struct buf *fields_raw(struct fields *fields, const char *name)
{
	struct buf *line = &fields->line;

	if (!fields->json && fields->any_field)
		buf_add_char(line, ',');
	if (fields->json && !fields->any_field)
		buf_add_str(line, fields->any_row ? ",\n{" : "\n{");
	if (fields->json)
		json_add_name(line, name);
	fields->any_field = true;
	return line;
}

void fields_text(struct fields *fields, const char *name, const char *text)
{
	fields_raw(fields, name);
	if (fields->json)
		json_add_string(&fields->line, text);
	else
		safe_csv(&fields->line, text);
}

void fields_number(struct fields *fields, const char *name, uint64_t value)
{
	buf_add_decimal(fields_raw(fields, name), value);
}

void fields_percent(struct fields *fields, const char *name, double value)
{
	buf_add_fixed(fields_raw(fields, name), value, 4);
}

void fields_nothing(struct fields *fields, const char *name)
{
	fields_raw(fields, name);
	if (fields->json)
		buf_add_str(&fields->line, "null");
}

bool fields_is_number(const struct key *key)
{
	return key->kind == KEY_NUMBER && !key->number;
}

void fields_key(struct fields *fields, const struct key *key, const char *text)
{
	if (fields_is_number(key))
		buf_add_str(fields_raw(fields, key->name), text);
	else
		fields_text(fields, key->name, text);
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
	buf_done(&fields->text);
}
