/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/told_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

void told_lines_done(struct told_lines *lines)
{
	vec_free(&lines->rows);
}

enum {
	FEW = 64, /* up to this many new rows are inserted one by one, more are sorted with the
		     others */
};

static int compare(const struct told_line *line, uint32_t image, uint64_t start)
{
	if (line->image != image)
		return line->image < image ? -1 : 1;
	return line->start < start ? -1 : line->start > start;
}

static int by_place(const void *left, const void *right, void *context)
{
	const struct told_line *rows = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = compare(&rows[a], rows[b].image, rows[b].start);

	return order ? order : a < b ? -1 : a > b;
}

/* Number of lines that begin before that place of the image. */
static size_t count_before(const struct told_lines *lines, const struct profile *profile,
			   uint32_t image, uint64_t place)
{
	const struct told_line *rows = profile->lines.items;

	return search_before(lines->rows.items, lines->rows.count, row,
			     compare(&rows[*row], image, place) < 0);
}

static void insert(struct told_lines *lines, const struct profile *profile, uint32_t row)
{
	const struct told_line *line = &profile->lines.items[row];
	size_t at = count_before(lines, profile, line->image, line->start);

	vec_push(&lines->rows);
	memmove(&lines->rows.items[at + 1], &lines->rows.items[at],
		(lines->rows.count - 1 - at) * sizeof(*lines->rows.items));
	lines->rows.items[at] = row;
}

/* Adds the profile's new lines: often just one between two lookups. */
static void refresh(struct told_lines *lines, const struct profile *profile)
{
	bool few = profile->lines.count - lines->known <= FEW;

	if (lines->known == profile->lines.count)
		return;
	if (lines->known == 0)
		lines->known = 1; /* row 0 is none */
	for (; lines->known < profile->lines.count; lines->known++) {
		if (few)
			insert(lines, profile, (uint32_t)lines->known);
		else
			*vec_push(&lines->rows) = (uint32_t)lines->known;
	}
	if (!few)
		qsort_r(lines->rows.items, lines->rows.count, sizeof(*lines->rows.items), by_place,
			profile->lines.items);
}

static bool is_in(const struct told_line *line, uint32_t image, uint64_t place)
{
	return line->image == image && place - line->start < line->size;
}

const uint32_t *told_lines_within(struct told_lines *lines, const struct profile *profile,
				  uint32_t image, uint64_t start, uint64_t end, size_t *ret_count)
{
	size_t first, behind;

	refresh(lines, profile);
	first = count_before(lines, profile, image, start);
	behind = count_before(lines, profile, image, end);
	/* the previous one may reach into it */
	if (first && end > start &&
	    is_in(&profile->lines.items[lines->rows.items[first - 1]], image, start))
		first--;
	*ret_count = behind > first ? behind - first : 0;
	return *ret_count ? &lines->rows.items[first] : NULL;
}

const struct told_line *told_lines_find(struct told_lines *lines, const struct profile *profile,
					uint32_t image, uint64_t place)
{
	size_t count;
	const uint32_t *rows = told_lines_within(lines, profile, image, place, place + 1, &count);
	const struct told_line *last = count ? &profile->lines.items[rows[count - 1]] : NULL;

	return last && is_in(last, image, place) ? last : NULL;
}
