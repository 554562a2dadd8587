/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <stddef.h>
#include <string.h>

enum { MAX_LETTERS = 63 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned text_distance(const char *a, const char *b, unsigned limit)
{
	unsigned rows[3][MAX_LETTERS + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	size_t a_length = strlen(a), b_length = strlen(b);

	if (a_length > MAX_LETTERS || b_length > MAX_LETTERS)
		return strcmp(a, b) == 0 ? 0 : limit + 1;
	for (size_t j = 0; j <= b_length; j++)
		row[j] = before[j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned *free_row = before;

		before = above;
		above = row;
		row = free_row;
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return least(row[b_length], limit + 1);
}
