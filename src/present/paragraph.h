/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A label and a text beside it, broken into lines, as in the head of a report. */
#ifndef PRESENT_PARAGRAPH_H
#define PRESENT_PARAGRAPH_H

#include <stddef.h>
#include <stdio.h>

enum {
	PARAGRAPH_LABEL = 13,  /* the width of labels */
	PARAGRAPH_WIDTH = 100, /* of reports that do not fit themselves to a screen */
};

/* Prints lines of @width characters, including the label. The text is printed as it is: the caller
 * has made it safe. Returns the number of lines. */
size_t paragraph_print(const char *label, const char *text, size_t width, FILE *out);

#endif
