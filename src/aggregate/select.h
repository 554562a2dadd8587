/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --select: which samples are looked at. A selection is a list of clauses that must all hold; a
 * clause is key=PATTERN[,PATTERN...] (any of them) or key!=PATTERN[,...] (none of them). Patterns
 * are globs (* ? [..], a backslash takes the next character as it is) for texts, numbers or ranges
 * first-last for numbers (of the time also with decimals: 2.5-3 ends where 4 begins). A text that
 * is equal to the pattern letter by letter matches too, so that image=[kernel] means what it looks
 * like.
 */
#ifndef AGGREGATE_SELECT_H
#define AGGREGATE_SELECT_H

#include <stdbool.h>

#include "aggregate/keys.h"
#include "base/cleanup.h"
#include "base/err.h"

struct select;

struct select *select_new(void);
void select_free(struct select *select); /* NULL is fine */
DEFINE_CLEANUP(struct select *, select_free);

/* Adds the clauses of one --select: "process=nginx mode=kernel". -EINVAL: no clause, an unknown
 * key, an empty value, a word that the key does not have, a number that is none. */
int select_add(struct select *select, const char *text, struct err *err);

/* What of a sample tells whether it belongs: enum sample_field. */
unsigned select_uses(const struct select *select);

/* Must be called before the first match, and may be again; @labels is borrowed for the selection's
 * life. */
void select_bind(struct select *select, const struct labels *labels);
/* Does the sample belong? Counts what each clause let through. */
bool select_match(struct select *select, const struct point *point);

/* When nothing matched: which clause left nothing of what those before it kept. -ENODATA and one
 * line in @err; 0 when something matched or the selection is empty. */
int select_explain(const struct select *select, struct err *err);

#endif
