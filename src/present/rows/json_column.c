/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/json_column.h"

struct buf *json_column_next(struct buf *column)
{
	if (column->size)
		buf_add_char(column, ',');
	return column;
}

void json_column_number(struct buf *column, uint64_t number)
{
	buf_add_decimal(json_column_next(column), number);
}

void json_column_null(struct buf *column)
{
	buf_add_str(json_column_next(column), "null");
}

void json_column_number_or_null(struct buf *column, uint64_t number)
{
	if (number)
		json_column_number(column, number);
	else
		json_column_null(column);
}

void json_column_print(const char *name, const struct buf *column, FILE *out)
{
	fprintf(out, ",\"%s\":[", name);
	fwrite(buf_text(column), 1, column->size, out);
	fputc(']', out);
}

void json_column_print_same(const char *name, const char *value, size_t count, FILE *out)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(',', out);
		fputs(value, out);
	}
	fputc(']', out);
}
