/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/annotate_work.h"

#include <stdlib.h>
#include <string.h>

const struct line_place *annotate_lines_at(struct annotate_work *work, uint64_t address,
					   size_t *ret_count)
{
	const struct line_place *places = lines_of(work->annotate->lines.lines, work->image,
						   address + work->place_shift, ret_count);

	return *ret_count ? places : NULL;
}

static int by_line(const void *left, const void *right)
{
	const struct annotate_line *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	if (order)
		return order;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void merge_lines(const struct annotate_work *work, annotate_lines *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_line);
	for (size_t i = 0; i < list->count; i++) {
		if (kept && by_line(&list->items[kept - 1], &list->items[i]) == 0)
			annotate_work_add(work, &list->items[kept - 1].hits, list->items[i].hits);
		else
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

void annotate_lines_find(struct annotate_work *work, annotate_lines *list, uint32_t *ret_declared)
{
	struct strpool *strings = &work->annotate->files;
	struct lines *lines = work->annotate->lines.lines;

	for (size_t i = 0; i < work->function->frames.count; i++) {
		hit_set hits = work->function->frames.items[i].hits;
		const struct frame *frame = annotate_work_frame(work, i);
		size_t count;
		/* JIT code that was replaced at the same address has lines of its own. */
		const struct line_place *places =
			lines_of(lines, work->image, lines_place(lines, frame), &count);
		const struct line_place *own = count ? &places[count - 1] : NULL;
		struct annotate_line line = { 0 };

		if (!own || !*own->file || !own->line)
			continue;
		line.file = strpool_get(strings, strpool_intern(strings, own->file));
		line.line = own->line;
		annotate_work_add(work, &line.hits, hits);
		*vec_push(list) = line;
		if (count > 1)
			annotate_work_add(work, &work->inlined, hits);
		if (own->declared)
			*ret_declared = own->declared;
	}
	merge_lines(work, list);
}

static hit_set sum_of(const struct annotate_work *work, const annotate_lines *list, size_t begin,
		      size_t end)
{
	hit_set sum = 0;

	for (size_t i = begin; i < end; i++)
		annotate_work_add(work, &sum, list->items[i].hits);
	return sum;
}

size_t annotate_lines_end_of_file(const annotate_lines *list, size_t begin)
{
	size_t end = begin;

	while (end < list->count && strcmp(list->items[end].file, list->items[begin].file) == 0)
		end++;
	return end;
}

size_t annotate_lines_main_file(const struct annotate_work *work, const annotate_lines *list)
{
	size_t best = 0;
	hit_set most = 0;

	for (size_t at = 0, end; at < list->count; at = end) {
		hit_set sum;

		end = annotate_lines_end_of_file(list, at);
		sum = sum_of(work, list, at, end);
		if (hit_sets_compare(&work->annotate->sets, sum, most) < 0) {
			most = sum;
			best = at;
		}
	}
	return best;
}
