/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/told_lines.h"

#include <stdlib.h>

#include "base/search.h"

void told_lines_done(struct told_lines *lines)
{
	vec_free(&lines->rows);
}

static int by_place(const void *left, const void *right)
{
	const struct told_line *a = left, *b = right;

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* Takes in what the profile got since the last time. */
static void refresh(struct told_lines *lines, const struct profile *profile)
{
	if (lines->known == profile->lines.count)
		return;
	for (; lines->known < profile->lines.count; lines->known++) {
		if (lines->known > 0) /* row 0 is none */
			*vec_push(&lines->rows) = profile->lines.items[lines->known];
	}
	if (lines->rows.count)
		qsort(lines->rows.items, lines->rows.count, sizeof(*lines->rows.items), by_place);
}

const struct told_line *told_lines_of(struct told_lines *lines, const struct profile *profile,
				      uint32_t image, size_t *ret_count)
{
	size_t begin, end;

	refresh(lines, profile);
	begin = search_before(lines->rows.items, lines->rows.count, row, row->image < image);
	end = search_before(lines->rows.items, lines->rows.count, row, row->image <= image);
	*ret_count = end - begin;
	return end > begin ? &lines->rows.items[begin] : NULL;
}

const struct told_line *told_lines_find(struct told_lines *lines, const struct profile *profile,
					uint32_t image, uint64_t place)
{
	size_t count, before;
	const struct told_line *rows = told_lines_of(lines, profile, image, &count);

	before = search_before(rows, count, row, row->start <= place);
	return before && place - rows[before - 1].start < rows[before - 1].size ? &rows[before - 1]
										: NULL;
}
