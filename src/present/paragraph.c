/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/paragraph.h"

#include <string.h>

/* Where a line may end: after the next word, and after a number with its unit. */
static size_t break_after(const char *text, size_t at)
{
	size_t word = at + strspn(text + at, " ");
	size_t end = word + strcspn(text + word, " ");
	size_t unit = end + strspn(text + end, " ");

	if (end == word || word + strspn(text + word, "0123456789.,") != end ||
	    (text[unit] >= '0' && text[unit] <= '9'))
		return end;
	return unit + strcspn(text + unit, " ");
}

/* How many bytes of @text fit into @width characters without splitting a word; at least one
 * word. */
static size_t fitting(const char *text, size_t width)
{
	size_t at = 0, fits = 0, used = 0;

	while (text[at]) {
		size_t end = break_after(text, at);

		for (; at < end; at++)
			used += ((unsigned char)text[at] & 0xc0) != 0x80;
		if (fits && used > width)
			break;
		fits = end;
	}
	return fits;
}

/* Prints one line of at most @width characters, and returns the rest. */
static const char *print_line(const char *text, size_t width, FILE *out)
{
	size_t length = fitting(text, width);

	fprintf(out, "%.*s\n", (int)length, text);
	return text + length + strspn(text + length, " ");
}

size_t paragraph_width(const struct screen *screen)
{
	size_t columns = screen->columns;

	if (!columns || columns > PARAGRAPH_WIDTH)
		return PARAGRAPH_WIDTH;
	return columns > 3 * PARAGRAPH_LABEL ? columns : 3 * PARAGRAPH_LABEL;
}

size_t paragraph_print(const char *label, const char *text, size_t width, FILE *out)
{
	size_t lines = 0;

	do {
		fprintf(out, "%-*s", PARAGRAPH_LABEL, label);
		text = print_line(text, width - PARAGRAPH_LABEL, out);
		label = "";
		lines++;
	} while (*text);
	return lines;
}

size_t paragraph_print_plain(const char *text, size_t width, FILE *out)
{
	text = print_line(text, width, out);
	return 1 + (*text ? paragraph_print("", text, width, out) : 0);
}

void paragraph_text(const char *text, const struct screen *screen, FILE *out)
{
	size_t width = screen_width(screen);

	do {
		size_t length = width ? fitting(text, width) : strlen(text);

		fprintf(out, "%.*s\n", (int)length, text);
		text += length;
		text += strspn(text, " ");
	} while (*text);
}

enum {
	WIDTH = 80,
	INDENT = 8,
};

void paragraph_list(const char *name, const char *summary, const char *const *words, size_t count,
		    FILE *out)
{
	size_t at = INDENT;

	fprintf(out, "%s: %s\n%*s", name, summary, INDENT, "");
	for (size_t i = 0; i < count; i++) {
		size_t width = strlen(words[i]) + 2;

		if (at > INDENT && at + width > WIDTH) {
			fprintf(out, "\n%*s", INDENT, "");
			at = INDENT;
		} else if (i) {
			fputc(' ', out);
		}
		fprintf(out, "%s%s", words[i], i + 1 < count ? "," : "\n");
		at += width;
	}
}
