/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_stacks.h"

#include <inttypes.h>

#include "present/columns.h"
#include "present/figures.h"
#include "present/safe.h"
#include "present/text/text_parts.h"

enum { PATH_CAP = 60 };

static void add_image(const struct view *view, const struct broken_image *row,
		      struct columns *columns)
{
	struct buf path = { 0 };

	if (row->image)
		labels_path(view->labels, row->image, &path);
	else
		buf_add_char(&path, '-');
	columns_printf(columns, "%" PRIu64, row->hits.samples);
	columns_printf(columns, "%.2f",
		       figures_percent(row->hits.samples, view->completeness->whole.samples));
	columns_add(columns, buf_text(&path));
	columns_add(columns, stack_end_name(row->end));
	columns_add(columns, stack_end_text(row->end));
	buf_done(&path);
}

void text_stacks_add_remedy(const struct view *view, const struct remedy *remedy, struct buf *text)
{
	safe_text(text, profile_text(view->labels->profile, remedy->program));
	buf_add_str(text, ": ");
	figures_count(text, remedy->samples);
	buf_add_str(text, " of ");
	figures_count(text, remedy->whole);
	buf_printf(text, " stacks %s", remedy->why);
	if (remedy->fix)
		buf_printf(text, "; fix: %s", remedy->fix);
}

static void print_remedies(const struct view *view, FILE *out)
{
	const struct remedies *remedies = &view->completeness->remedies;
	_cleanup_(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < remedies->list.count; i++) {
		buf_clear(&text);
		text_stacks_add_remedy(view, &remedies->list.items[i], &text);
		fprintf(out, "%s%s\n", i ? "" : "\n", buf_text(&text));
	}
}

void text_stacks_print(const struct view *view, FILE *out)
{
	static const struct column spec[] = {
		{ "Hits", true, 0 }, { "%", true, 0 },	      { "Outermost file", false, PATH_CAP },
		{ "End", false, 0 }, { "Meaning", false, 0 },
	};
	const struct completeness *known = view->completeness;
	_cleanup_(columns_freep) struct columns *columns = NULL;

	if (!known || !known->images.count)
		return;
	columns = columns_new(spec, sizeof(spec) / sizeof(spec[0]));
	for (size_t i = 0; i < known->images.count; i++)
		add_image(view, &known->images.items[i], columns);
	text_parts_heading(view, "Incomplete Stacks", out);
	columns_print(columns, 0, out);
	print_remedies(view, out);
}
