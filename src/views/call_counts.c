/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/call_counts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/scan.h"
#include "base/search.h"
#include "base/xalloc.h"

enum { MAX_COLUMNS = 256, NO_COLUMN = MAX_COLUMNS };

/* A line, split into cells. */
struct row {
	struct buf cells[MAX_COLUMNS];
	size_t count;
	bool whole; /* no quote is open, a newline ends it, not too many cells */
};

/* Indices of the columns we need, and the number of columns. */
struct columns {
	size_t kind, target, entries, nested, count;
};

static void row_done(struct row *row)
{
	for (size_t i = 0; i < MAX_COLUMNS; i++)
		buf_done(&row->cells[i]);
}

static const char *cell(struct row *row, size_t column)
{
	return column < row->count ? buf_text(&row->cells[column]) : "";
}

/* Takes one cell (RFC 4180) at *at, up to the comma or the end of the line. False: an unclosed
 * quote. */
static bool take_cell(const char **at, const char *end, struct buf *cell)
{
	bool quoted = *at < end && **at == '"';
	const char *p = *at + quoted;

	for (; p < end; p++) {
		if (quoted && *p == '"') {
			if (p + 1 < end && p[1] == '"')
				p++;
			else
				quoted = false;
			if (!quoted)
				continue;
		} else if (!quoted && (*p == ',' || *p == '\n' || *p == '\r')) {
			break;
		}
		buf_add_char(cell, *p);
	}
	*at = p;
	return !quoted;
}

/* Takes a line, of a bad one what can be split. False: no line is left. */
static bool take_row(const char **at, const char *end, struct row *row)
{
	bool closed = true, more = true;

	row->count = 0;
	row->whole = false;
	if (*at >= end)
		return false;
	while (more && row->count < MAX_COLUMNS) {
		buf_clear(&row->cells[row->count]);
		closed = take_cell(at, end, &row->cells[row->count++]);
		more = *at < end && **at == ',';
		*at += more;
	}
	row->whole = closed && !more && *at < end;
	while (*at < end && (**at == '\r' || **at == '\n'))
		(*at)++;
	return true;
}

static size_t column_of(struct row *row, const char *name)
{
	for (size_t i = 0; i < row->count; i++) {
		if (strcmp(cell(row, i), name) == 0)
			return i;
	}
	return NO_COLUMN;
}

/* The colon of "FILE:FUNCTION"; C++ names have pairs of colons. NULL: no file. */
static const char *colon_of(const char *target)
{
	for (const char *p = strchr(target, ':'); p; p = strchr(p + 1, ':')) {
		if (p[1] != ':')
			return p;
		p++;
	}
	return NULL;
}

/* Lines of one target follow each other. */
static struct call_count *last_or_new(struct call_counts *counts, const char *target)
{
	const char *colon = colon_of(target), *function = colon ? colon + 1 : target;
	_cleanup_free_ char *path = xasprintf("%.*s", (int)(colon ? colon - target : 0), target);
	const char *file = strcmp(path, "kernel") == 0 ? "" : file_base(path);
	struct call_count *count;

	if (counts->list.count) {
		count = &counts->list.items[counts->list.count - 1];
		if (strcmp(count->file, file) == 0 && strcmp(count->function, function) == 0)
			return count;
	}
	count = vec_push(&counts->list);
	*count = (struct call_count){ .file = xstrdup(file), .function = xstrdup(function) };
	return count;
}

static int take_total(struct row *row, const struct columns *columns, const char *path,
		      struct call_counts *counts, struct err *err)
{
	uint64_t entries, nested = 0;
	struct call_count *count;

	if (strcmp(cell(row, columns->kind), "total") != 0)
		return 0;
	if (!scan_whole_number(cell(row, columns->entries), 10, &entries))
		return err_set(
			err, -EINVAL,
			"%s: invalid entries of %.100s: expected a whole number, not '%.40s'", path,
			cell(row, columns->target), cell(row, columns->entries));
	(void)scan_whole_number(cell(row, columns->nested), 10, &nested);
	count = last_or_new(counts, cell(row, columns->target));
	count->entries += entries;
	count->nested += nested < entries ? nested : entries;
	return 0;
}

/* A truncated or damaged line may still hold a number, but a wrong one. */
static int check_row(const struct row *row, const struct columns *columns, size_t line,
		     const char *path, struct err *err)
{
	if (!row->whole)
		return err_set(
			err, -EINVAL,
			"%s: row %zu is truncated or has an unclosed quote: repeat the watch", path,
			line);
	if (row->count != columns->count)
		return err_set(err, -EINVAL,
			       "%s: row %zu has %zu cells, expected %zu: repeat the watch", path,
			       line, row->count, columns->count);
	return 0;
}

/* Rows of a function that are not adjacent come from more than one watch, which may have counted
 * the same calls. The list is sorted. */
static int check_repeats(const struct call_counts *counts, const char *path, struct err *err)
{
	for (size_t i = 1; i < counts->list.count; i++) {
		const struct call_count *a = &counts->list.items[i - 1], *b = a + 1;

		if (strcmp(a->function, b->function) == 0 && strcmp(a->file, b->file) == 0)
			return err_set(err, -EINVAL,
				       "%s has the totals of %.100s twice: it must hold the output "
				       "of one watch, and of one file of each name",
				       path, a->function);
	}
	return 0;
}

DEFINE_ORDER(by_function, struct call_count,
	     strcmp(a->function, b->function) ?: strcmp(a->file, b->file))

static int take_rows(const char *path, const char *text, size_t size, struct row *row,
		     struct call_counts *counts, struct err *err)
{
	const char *at = text, *end = text + size;
	struct columns columns;
	int rc = 0;

	(void)take_row(&at, end, row);
	columns = (struct columns){ .kind = column_of(row, "kind"),
				    .target = column_of(row, "target"),
				    .entries = column_of(row, "entries"),
				    .nested = column_of(row, "nested"),
				    .count = row->count };
	if (columns.kind == NO_COLUMN || columns.target == NO_COLUMN ||
	    columns.entries == NO_COLUMN)
		return err_set(
			err, -EINVAL,
			"%s is not the output of 'prospect watch --metric entries --format csv': "
			"its first line must name kind, target and entries",
			path);
	for (size_t line = 2; rc == 0 && take_row(&at, end, row); line++) {
		rc = check_row(row, &columns, line, path, err);
		if (rc == 0)
			rc = take_total(row, &columns, path, counts, err);
	}
	if (counts->list.count)
		qsort(counts->list.items, counts->list.count, sizeof(*counts->list.items),
		      by_function);
	if (rc == 0)
		rc = check_repeats(counts, path, err);
	if (rc == 0 && !counts->list.count)
		rc = err_set(err, -EINVAL,
			     "%s has no totals: the watch exceeded its budget or was killed: "
			     "repeat it with a higher --budget",
			     path);
	return rc;
}

int call_counts_read(const char *path, struct call_counts *ret_counts, struct err *err)
{
	struct row *row = xcalloc(1, sizeof(*row));
	struct buf text = { 0 };
	int rc = file_read(path, CALL_COUNTS_MAX_BYTES, &text);

	*ret_counts = (struct call_counts){ 0 };
	if (rc < 0)
		err_set(err, rc, "cannot read %s: %s", path, strerror(-rc));
	else
		rc = take_rows(path, buf_text(&text), text.size, row, ret_counts, err);
	if (rc < 0)
		call_counts_done(ret_counts);
	row_done(row);
	free(row);
	buf_done(&text);
	return rc;
}

void call_counts_done(struct call_counts *counts)
{
	for (size_t i = 0; i < counts->list.count; i++) {
		free(counts->list.items[i].file);
		free(counts->list.items[i].function);
	}
	vec_free(&counts->list);
}

bool call_counts_find(const struct call_counts *counts, const char *file, const char *function,
		      uint64_t *ret_entries, uint64_t *ret_nested)
{
	size_t low = search_before(counts->list.items, counts->list.count, item,
				   strcmp(item->function, function) < 0);
	bool found = false;

	*ret_entries = *ret_nested = 0;
	for (; low < counts->list.count && strcmp(counts->list.items[low].function, function) == 0;
	     low++) {
		if (strcmp(counts->list.items[low].file, file) != 0)
			continue;
		*ret_entries += counts->list.items[low].entries;
		*ret_nested += counts->list.items[low].nested;
		found = true;
	}
	return found;
}
