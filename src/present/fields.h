/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of named fields for programs, as CSV or as JSON objects, through one interface. */
#ifndef PRESENT_FIELDS_H
#define PRESENT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "aggregate/keys.h"
#include "base/buf.h"

/* All but the first two and text are private. Initialise them to zero, and call fields_done at the
 * end. */
struct fields {
	bool json;
	FILE *out;
	bool any_row, any_field;
	struct buf line;
	struct buf text; /* for callers, between calls */
};

/* Adds a field to the current row; only JSON uses @name. */
void fields_text(struct fields *fields, const char *name, const char *text);
void fields_number(struct fields *fields, const char *name, uint64_t value);
/* Four decimals. */
void fields_percent(struct fields *fields, const char *name, double value);
/* A value that is unknown or does not apply to this row: null in JSON, empty in CSV. */
void fields_nothing(struct fields *fields, const char *name);
/* Without a value; the caller appends it to the result. */
struct buf *fields_raw(struct fields *fields, const char *name);
/* True if the key's values are numbers written in decimal. */
bool fields_is_number(const struct key *key);
/* Adds the text of a key's value: as a number if it is one. */
void fields_key(struct fields *fields, const struct key *key, const char *text);

/* Prints the row. JSON objects are separated by commas, each on a line of its own. Write errors are
 * left in fields->out for ferror(). */
void fields_end_row(struct fields *fields);
void fields_done(struct fields *fields);

#endif
