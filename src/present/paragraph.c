/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/paragraph.h"

#include <string.h>

/* How many bytes of @text fit into @width characters without splitting a word; at least one
 * word. */
static size_t fitting(const char *text, size_t width)
{
	size_t at = 0, fits = 0, used = 0;

	while (text[at]) {
		size_t word = at + strspn(text + at, " ");
		size_t end = word + strcspn(text + word, " ");

		for (; at < end; at++)
			used += ((unsigned char)text[at] & 0xc0) != 0x80;
		if (fits && used > width)
			break;
		fits = end;
	}
	return fits;
}

size_t paragraph_print(const char *label, const char *text, size_t width, FILE *out)
{
	size_t lines = 0;

	do {
		size_t length = fitting(text, width - PARAGRAPH_LABEL);

		fprintf(out, "%-*s%.*s\n", PARAGRAPH_LABEL, label, (int)length, text);
		text += length;
		text += strspn(text, " ");
		label = "";
		lines++;
	} while (*text);
	return lines;
}
