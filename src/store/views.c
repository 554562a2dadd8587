/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/views.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "store/sql.h"

static const char create[] = "CREATE VIEW ";

/* Ends of lines that belong to one variant only. */
static const char *const marks[] = {
	[VIEWS_FILE] = " -- file",
	[VIEWS_QUERY] = " -- query",
};

static bool ends_with(const char *line, size_t length, const char *end)
{
	size_t size = strlen(end);

	return length >= size && memcmp(line + length - size, end, size) == 0;
}

/* Appends the line without its mark, unless it belongs to the other variant. */
static void add_line(struct buf *buf, const char *line, size_t length, enum views_place place)
{
	enum views_place other = place == VIEWS_FILE ? VIEWS_QUERY : VIEWS_FILE;

	if (ends_with(line, length, marks[other]))
		return;
	if (ends_with(line, length, marks[place]))
		length -= strlen(marks[place]);
	if (place == VIEWS_QUERY && strncmp(line, create, strlen(create)) == 0) {
		buf_add_str(buf, "CREATE TEMP VIEW ");
		line += strlen(create);
		length -= strlen(create);
	}
	buf_add(buf, line, length);
	buf_add_char(buf, '\n');
}

int views_create(sqlite3 *db, enum views_place place)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	const char *end;

	for (const char *line = views_sql; (end = strchr(line, '\n')); line = end + 1)
		add_line(&text, line, (size_t)(end - line), place);
	return sql_exec(db, buf_text(&text));
}
