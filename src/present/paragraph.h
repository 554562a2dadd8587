/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text broken into lines: beside a label, as in the head of a report, and lists. */
#ifndef PRESENT_PARAGRAPH_H
#define PRESENT_PARAGRAPH_H

#include <stddef.h>
#include <stdio.h>

#include "present/screen.h"

enum {
	PARAGRAPH_LABEL = 13,  /* the width of labels */
	PARAGRAPH_WIDTH = 100, /* in a file, and the most on a screen */
};

/* The width of paragraphs on a screen. */
size_t paragraph_width(const struct screen *screen);

/* Prints lines of @width characters, including the label. The text is printed as it is: the caller
 * has made it safe. Returns the number of lines. */
size_t paragraph_print(const char *label, const char *text, size_t width, FILE *out);
/* The same without a label; only the lines after the first are indented. */
size_t paragraph_print_plain(const char *text, size_t width, FILE *out);

/* Prints lines without a label, as wide as the screen; in a file it is one line. */
void paragraph_text(const char *text, const struct screen *screen, FILE *out);

/* Prints "NAME: SUMMARY" and below it the words of a list, in lines of 80 characters. */
void paragraph_list(const char *name, const char *summary, const char *const *words, size_t count,
		    FILE *out);

#endif
