/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of named fields for programs, as CSV or as JSON objects: one way to write both. */
#ifndef PRESENT_FIELDS_H
#define PRESENT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "aggregate/keys.h"
#include "base/buf.h"

/* All but the first two are private; zeroes at first. fields_done at last. */
struct fields {
	bool json;
	FILE *out;
	bool any_row, any_field;
	struct buf line;
};

/* A field of the row that is being made; @name is looked at for JSON alone. */
void fields_text(struct fields *fields, const char *name, const char *text);
void fields_number(struct fields *fields, const char *name, uint64_t value);
/* Four decimals. */
void fields_percent(struct fields *fields, const char *name, double value);
/* What is not known, or says nothing of this row: null, or empty. */
void fields_nothing(struct fields *fields, const char *name);
/* The text of a value of the key: a number as such, unless it is written in another way than in
 * decimal. */
void fields_key(struct fields *fields, const struct key *key, const char *text);

/* Prints the row. Objects have a comma between them and begin on a line of their own. Write errors
 * are left in fields->out for ferror(). */
void fields_end_row(struct fields *fields);
void fields_done(struct fields *fields);

#endif
