/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/annotate_work.h"

#include <string.h>

#include "present/figures.h"

enum {
	LINES_AROUND = 2,   /* lines around hits outside the function's own lines */
	MAX_LINES = 100000, /* of one function's source */
};

const struct source_file *annotate_source_file(struct annotate *annotate, uint32_t image,
					       const char *file)
{
	if (!*file || !annotate_wants_file(annotate, file))
		return NULL;
	return source_files_get(annotate->sources, lines_readers(annotate->lines.lines, image),
				file);
}

/* The range of the function's own lines in its file, by its instructions. */
struct extent {
	const char *file;
	uint64_t start, end;
	uint32_t first, last;
};

static void extend(void *context, uint64_t start, uint64_t end, const char *file, uint32_t line)
{
	struct extent *extent = context;

	if (end <= extent->start || start >= extent->end || !file || !line ||
	    strcmp(file, extent->file) != 0)
		return;
	if (line > extent->last && line - extent->last < MAX_LINES)
		extent->last = line;
}

static void add_lines(struct annotate_work *work, const annotate_lines *list, size_t begin,
		      size_t end, uint32_t first, uint32_t last)
{
	const struct source_file *source =
		annotate_source_file(work->annotate, work->image, list->items[begin].file);
	size_t at = begin;

	for (uint32_t line = first; line <= last; line++) {
		struct annotation_row *row;
		bool hit = at < end && list->items[at].line == line;

		if (!source && !hit)
			continue;
		if (source && line > source_file_lines(source) && !hit)
			break;
		row = annotation_add(work->annotation, ANNOTATION_SOURCE, line,
				     source ? source_file_line(source, line) : "");
		if (hit)
			row->hits = list->items[at++].hits;
	}
}

/* Lines from the function's first to its last. */
static void add_main_file(struct annotate_work *work, const annotate_lines *list, size_t begin,
			  uint32_t declared)
{
	size_t end = annotate_lines_end_of_file(list, begin);
	struct instructions_range range = annotate_code_range(work);
	struct extent extent;

	if (begin >= end)
		return;
	if (!range.start)
		range.start = annotate_work_frame(work, 0)->address;
	extent = (struct extent){ .file = list->items[begin].file,
				  .start = range.start + work->place_shift,
				  .end = range.end + work->place_shift,
				  .first = list->items[begin].line,
				  .last = list->items[end - 1].line };
	if (declared && declared < extent.first && extent.first - declared < MAX_LINES)
		extent.first = declared;
	lines_each(work->annotate->lines.lines, work->image, extent.start, extent.end, extend,
		   &extent);
	annotation_add(work->annotation, ANNOTATION_PART, 0, extent.file);
	add_lines(work, list, begin, end, extent.first, extent.last);
}

/* Other files: lines with hits, and a few around them. */
static void add_other_file(struct annotate_work *work, const annotate_lines *list, size_t begin,
			   size_t end)
{
	annotation_add(work->annotation, ANNOTATION_PART, 0, list->items[begin].file);
	for (size_t i = begin, next; i < end; i = next) {
		uint32_t first = list->items[i].line, last = first;

		for (next = i + 1; next < end && list->items[next].line - last <= 2 * LINES_AROUND;
		     next++)
			last = list->items[next].line;
		add_lines(work, list, i, next, first > LINES_AROUND ? first - LINES_AROUND : 1,
			  last + LINES_AROUND);
	}
}

/* "12.3 %", or for several events "12.3 % (cpu-clock), 0.0 % (page-faults)" */
static void add_shares(const struct annotate_work *work, hit_set part, struct buf *text)
{
	const struct annotate *annotate = work->annotate;
	const struct profile *profile = annotate->opened.profile;
	const struct hits *hits = hit_sets_get(&annotate->sets, part);
	const struct hits *whole = hit_sets_get(&annotate->sets, work->function->hits);

	for (size_t i = 0; i < annotate->choice.count; i++) {
		buf_printf(text, "%s%.1f %%", i ? ", " : "",
			   figures_percent(hits[i].weight, whole[i].weight));
		if (annotate->choice.count > 1)
			buf_printf(text, " (%s)",
				   profile_text(profile,
						profile->events[annotate->choice.events[i]].name));
	}
}

static void note_inlined(struct annotate_work *work)
{
	struct buf shares = { 0 };

	if (!hit_sets_any(&work->annotate->sets, work->inlined))
		return;
	add_shares(work, work->inlined, &shares);
	annotation_note(work->annotation,
			"%s of this is code inlined from other functions, shown on the lines that "
			"call them. --mixed and --all show it separately.",
			buf_text(&shares));
	buf_done(&shares);
}

void annotate_source_add(struct annotate_work *work, const annotate_lines *list, uint32_t declared)
{
	size_t main_file = annotate_lines_main_file(work, list);

	add_main_file(work, list, main_file, declared);
	for (size_t at = 0, end; at < list->count; at = end) {
		end = annotate_lines_end_of_file(list, at);
		if (at != main_file)
			add_other_file(work, list, at, end);
	}
	note_inlined(work);
}
