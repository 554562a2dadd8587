/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotation.h"
#include "base/compare.h"
#include "base/file.h"
#include "present/columns.h"
#include "present/figures.h"
#include "present/safe.h"

enum { MOST = 8 }; /* lines of the list */

static const double least_percent = 1; /* of the function, but for the first line */

/* A line of source, whose rows are added up, or an instruction without one. */
struct hot {
	size_t row;  /* the first one */
	size_t file; /* the row that names its file; SIZE_MAX: none */
	struct hits hits;
};

typedef VEC(struct hot) hot_lines;

static const char *text_of(const struct annotation *annotation, size_t row)
{
	return annotation->texts.bytes + annotation->rows.items[row].text;
}

/* Files are the same if their names are; "util.h, inlined: get" names util.h. */
static bool same_file(const struct annotation *annotation, size_t a, size_t b)
{
	const char *one, *other;
	size_t length;

	if (a == SIZE_MAX || b == SIZE_MAX)
		return a == b;
	one = text_of(annotation, a);
	other = text_of(annotation, b);
	length = strcspn(one, ",");
	return length == strcspn(other, ",") && strncmp(one, other, length) == 0;
}

static void add_hot(const struct annotation *annotation, size_t row, size_t file, hot_lines *list)
{
	const struct annotation_row *here = &annotation->rows.items[row];
	const struct hits *hits = annotation_hits(annotation, here->hits);

	for (size_t i = 0; here->kind == ANNOTATION_SOURCE && i < list->count; i++) {
		struct hot *hot = &list->items[i];
		const struct annotation_row *other = &annotation->rows.items[hot->row];

		if (other->kind != here->kind || other->number != here->number ||
		    !same_file(annotation, hot->file, file))
			continue;
		hits_add(&hot->hits, hits);
		return;
	}
	*vec_push(list) = (struct hot){ row, file, *hits };
}

/* Instructions below a line of source are part of it. */
static void gather(const struct annotation *annotation, hot_lines *list)
{
	size_t file = SIZE_MAX;
	bool in_source = false;

	for (size_t i = 0; i < annotation->rows.count; i++) {
		const struct annotation_row *row = &annotation->rows.items[i];
		bool hit = annotation_hits(annotation, row->hits)->samples > 0;

		if (row->kind == ANNOTATION_PART)
			file = i;
		if (row->kind != ANNOTATION_CODE)
			in_source = row->kind == ANNOTATION_SOURCE;
		if (hit && (row->kind == ANNOTATION_SOURCE || !in_source))
			add_hot(annotation, i, file, list);
	}
}

DEFINE_ORDER(by_weight, struct hot,
	     COMPARE(b->hits.weight, a->hits.weight) ?: COMPARE(a->row, b->row))

/* "a.cc:12", or the address of an instruction. */
static void add_place(const struct annotation *annotation, const struct hot *hot,
		      struct columns *columns)
{
	const struct annotation_row *row = &annotation->rows.items[hot->row];
	struct buf *cell = columns_cell(columns);

	if (row->kind == ANNOTATION_CODE) {
		buf_printf(cell, "%" PRIx64, row->number);
	} else if (hot->file != SIZE_MAX) {
		const char *file = file_base(text_of(annotation, hot->file));

		buf_add(cell, file, strcspn(file, ","));
		buf_printf(cell, ":%" PRIu64, row->number);
	} else {
		buf_printf(cell, "%" PRIu64, row->number);
	}
	columns_end_cell(columns);
}

static void add_text(const struct view *view, const char *text, struct columns *columns)
{
	struct buf plain = { 0 };

	text += strspn(text, " \t");
	for (; *text; text++)
		buf_add_char(&plain, *text == '\t' ? ' ' : *text);
	safe_text_cut(columns_cell(columns), buf_text(&plain),
		      view->screen.columns ? view->screen.columns / 2 : SIZE_MAX);
	columns_end_cell(columns);
	buf_done(&plain);
}

/* @most: percent of the first line. */
static void add_line(const struct view *view, const struct annotation *annotation,
		     const struct hot *hot, double percent, double most, struct columns *columns)
{
	columns_tint(columns, tint_of_share(percent));
	columns_fixed(columns, percent, 2);
	columns_decimal(columns, hot->hits.samples);
	add_place(annotation, hot, columns);
	add_text(view, text_of(annotation, hot->row), columns);
	if (view->screen.columns)
		columns_bar(columns, most > 0 ? percent / most : 0);
}

/* Bars are for terminals. */
static struct columns *hot_columns(const struct view *view, bool source)
{
	const struct column spec[] = { { "%", true, 0 },
				       { "Hits", true, 0 },
				       { source ? "Line" : "Address", false, 0 },
				       { source ? "Source" : "Instruction", false, 0 },
				       { "", false, 0 } };
	const size_t count = sizeof(spec) / sizeof(spec[0]);
	const bool bars = view->screen.columns > 0;
	struct columns *columns = columns_for(&view->screen, spec, count - !bars);

	if (bars)
		columns_spare(columns, count - 1);
	columns_save_line(columns);
	return columns;
}

static void print_title(const struct view *view, const struct annotation *annotation, FILE *out)
{
	const struct profile *profile = view->labels->profile;
	struct buf event = { 0 };

	if (annotation->sets->events > 1) {
		buf_add_str(&event, " by ");
		safe_text(&event,
			  profile_text(profile, profile->events[annotation->events[0]].name));
	}
	fprintf(out, "\nHottest lines%s, in percent of the function\n", buf_text(&event));
	buf_done(&event);
}

void annotation_print_hottest(const struct view *view, const struct annotation *annotation,
			      FILE *out)
{
	uint64_t whole = annotation_hits(annotation, annotation->hits)->weight;
	_cleanup_(columns_freep) struct columns *columns = NULL;
	hot_lines list = { 0 };
	double most;

	gather(annotation, &list);
	if (!list.count)
		return;
	qsort(list.items, list.count, sizeof(*list.items), by_weight);
	columns = hot_columns(view,
			      annotation->rows.items[list.items[0].row].kind == ANNOTATION_SOURCE);
	most = figures_percent(list.items[0].hits.weight, whole);
	for (size_t i = 0; i < list.count && i < MOST; i++) {
		double percent = figures_percent(list.items[i].hits.weight, whole);

		if (i && percent < least_percent)
			break;
		add_line(view, annotation, &list.items[i], percent, most, columns);
	}
	print_title(view, annotation, out);
	columns_print(columns, 0, out);
	fputc('\n', out);
	vec_free(&list);
}
