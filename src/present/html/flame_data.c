/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/html/flame_data.h"

#include <string.h>

#include "base/base64.h"
#include "present/safe.h"

static const char data_mark[] = "@DATA@";

void flame_data_string(struct buf *json, const char *text)
{
	struct buf safe = { 0 };

	safe_text(&safe, text);
	safe_json(json, buf_text(&safe));
	buf_done(&safe);
}

void flame_data_separate(struct buf *json)
{
	if (json->size)
		buf_add_char(json, ',');
}

void flame_data_image(struct buf *json, const char *path, enum image_kind kind)
{
	buf_add_str(json, "{\"path\":");
	flame_data_string(json, path);
	buf_printf(json, ",\"kind\":\"%s\"}", image_kind_name(kind));
}

void flame_data_cuts(struct buf *json)
{
	bool any = false;

	for (int end = 0; end < STACK_END_COUNT; end++) {
		if (end == STACK_COMPLETE)
			continue;
		buf_printf(json, "%s\"[cut:%s]\":", any ? "," : "",
			   stack_end_name((enum stack_end)end));
		flame_data_string(json, stack_end_text((enum stack_end)end));
		any = true;
	}
}

void flame_data_column(struct buf *json, const char *name, const struct buf *column)
{
	buf_printf(json, "\"%s\":\"", name);
	base64_add(json, column->bytes, column->size);
	buf_add_char(json, '"');
}

/* <, > and & occur only in strings, where \u escapes are allowed, so nothing ends the HTML
 * element. */
static void print_within_element(const struct buf *json, FILE *out)
{
	size_t from = 0;

	for (size_t at = 0; at < json->size; at++) {
		if (!strchr("<>&", json->bytes[at]))
			continue;
		fwrite(json->bytes + from, 1, at - from, out);
		fprintf(out, "\\u%04x", (unsigned)json->bytes[at]);
		from = at + 1;
	}
	fwrite(json->bytes + from, 1, json->size - from, out);
}

void flame_data_print_page(const char *page, const struct buf *json, FILE *out)
{
	const char *mark = strstr(page, data_mark);

	fwrite(page, 1, (size_t)(mark - page), out);
	print_within_element(json, out);
	fputs(mark + strlen(data_mark), out);
}
