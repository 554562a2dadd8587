/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --select: which samples a view uses. A selection is a list of clauses that must all hold; a
 * clause is key=PATTERN[,PATTERN...] (any of them) or key!=PATTERN[,...] (none of them). Patterns
 * are globs (* ? [..], a backslash quotes the next character) for texts, and numbers or ranges
 * first-last for numbers; for times also with decimals: 2.5-3 ends where 4 begins. A text that
 * equals the pattern character by character matches too, so image=[kernel] works.
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
 * key, an empty value, a word that the key does not have, or an invalid number. */
int select_add(struct select *select, const char *text, struct err *err);

/* Which parts of a sample the selection needs: enum sample_field. */
unsigned select_uses(const struct select *select);

/* Call this before the first match; it may be called again. @labels is borrowed for the selection's
 * life. */
void select_bind(struct select *select, const struct labels *labels);
/* True if the sample is selected. Counts what each clause lets through. */
bool select_match(struct select *select, const struct point *point);

/* If nothing matched: call it for each sample again, and for those outside the scope (@viewed
 * false), so that select_explain can say what would match. */
void select_look_again(struct select *select, const struct point *point, bool viewed);
/* If nothing matched: -ENODATA, and in @err which clause rejected everything that the clauses
 * before it accepted, and what would match. 0 if something matched or the selection is empty. */
int select_explain(const struct select *select, struct err *err);

#endif
