/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text_stacks.h"

#include <inttypes.h>

#include "present/columns.h"
#include "present/figures.h"
#include "present/text_parts.h"

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
	text_parts_heading(view, "Stacks That Are Not Complete", out);
	columns_print(columns, 0, out);
}
