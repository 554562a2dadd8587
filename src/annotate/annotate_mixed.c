/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/annotate_work.h"

#include <stdlib.h>
#include <string.h>

/* The place that the last source row shows. */
struct position {
	char *file, *function;
	uint32_t line;
	size_t row; /* the row with the sum of the code after it; SIZE_MAX: none */
};

static void position_done(struct position *position)
{
	free(position->file);
	free(position->function);
}

static bool same(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

/* "util.h, inlined: get" */
static void add_part(struct annotate_work *work, const struct line_place *place, bool inlined)
{
	struct buf text = { 0 };

	buf_add_str(&text, *place->file ? place->file : "(no source line)");
	if (inlined && *place->function) {
		buf_add_str(&text, ", inlined: ");
		buf_add_str(&text, work->annotate->opened.labels.demangle(
					   work->annotate->opened.labels.demangle_context,
					   place->function));
	}
	annotation_add(work->annotation, ANNOTATION_PART, 0, buf_text(&text));
	buf_done(&text);
}

static void move_to(struct annotate_work *work, struct position *position,
		    const struct line_place *place, bool inlined)
{
	const struct source_file *source =
		annotate_source_file(work->annotate, work->image, place->file);
	bool same_file = same(position->file, place->file);

	if (same_file && same(position->function, place->function) && position->line == place->line)
		return;
	if (!same_file || !same(position->function, place->function))
		add_part(work, place, inlined);
	position_done(position);
	*position = (struct position){ strdup(place->file), strdup(place->function), place->line,
				       SIZE_MAX };
	if (!place->line)
		return;
	position->row = work->annotation->rows.count;
	annotation_add(work->annotation, ANNOTATION_SOURCE, place->line,
		       source ? source_file_line(source, place->line) : "");
}

void annotate_mixed_add(struct annotate_work *work)
{
	static const struct line_place nowhere = { .function = "", .file = "" };
	struct position position = { .row = SIZE_MAX };

	for (size_t i = 0; i < work->code.count; i++) {
		const struct annotate_code *code = &work->code.items[i];
		size_t count;
		const struct line_place *places = annotate_lines_at(work, code->address, &count);

		move_to(work, &position, places ? &places[0] : &nowhere, places && count > 1);
		annotate_code_add(work, code);
		if (position.row != SIZE_MAX)
			annotate_work_add(work, &work->annotation->rows.items[position.row].hits,
					  code->hits);
	}
	position_done(&position);
}
