/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events as a list: name, kind, code, text. */
#ifndef COUNT_EVENT_ROWS_H
#define COUNT_EVENT_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Texts are borrowed for the call. */
struct event_row {
	const char *name;
	const char *kind; /* or its state, if tried */
	const char *text;
	const char *masks; /* separated by blanks */
	uint32_t type;
	uint64_t config;
	bool coded;
};

struct event_rows_form {
	const char *format; /* "text", "csv", "json"; borrowed until the end */
	bool bare_names;    /* only names */
	bool tried;	    /* kinds are states */
};

struct event_rows;

struct event_rows *event_rows_new(const struct event_rows_form *form, FILE *out);
/* Text is printed at the end, when the widths are known; other formats at once. */
void event_rows_add(struct event_rows *rows, const struct event_row *row);
size_t event_rows_count(const struct event_rows *rows);
/* Prints the rest, and frees. */
void event_rows_finish(struct event_rows *rows);

#endif
