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
	const char *kind; /* or whether it can be counted */
	const char *text;
	const char *masks; /* by blanks */
	uint32_t type;
	uint64_t config;
	bool coded;
};

struct event_rows_form {
	const char *format; /* "text", "csv", "json"; borrowed for the whole */
	bool bare_names;    /* names and nothing else */
	bool tried;	    /* kinds are states */
};

struct event_rows;

struct event_rows *event_rows_new(const struct event_rows_form *form, FILE *out);
/* Text is printed at the end, where the widths are known; the others at once. */
void event_rows_add(struct event_rows *rows, const struct event_row *row);
size_t event_rows_count(const struct event_rows *rows);
/* Prints what is left, and frees. */
void event_rows_finish(struct event_rows *rows);

#endif
