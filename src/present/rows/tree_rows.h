/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees as rows, for programs: part, id, parent, depth, the keys of groups and of places, image,
 * event, samples, weight, percent, low, high, self_samples, self_weight, self_percent. A row
 * follows its parent; the parent of a root is 0. prospect-graph(1) documents the columns.
 */
#ifndef PRESENT_ROWS_TREE_ROWS_H
#define PRESENT_ROWS_TREE_ROWS_H

#include <stdio.h>

#include "aggregate/trees/prune.h"
#include "present/calls_view.h"
#include "present/fields.h"

/* One of several trees that are printed together. */
struct tree_part {
	const char *name; /* "tree", "inverted", "callers", "callees" */
	const struct tree *tree;
	const struct prune *prune; /* hidden nodes are omitted */
};

/* All parts have the same keys. Write errors are left in @out for ferror(). */
void tree_rows_csv(const struct tree_part *parts, size_t count, FILE *out);
/* Only the rows, as an array of objects. */
void tree_rows_json(const struct tree_part *parts, size_t count, FILE *out);

/*
 * A call graph as rows: event, entry, line, index, cycle, the keys of places, image, samples,
 * weight, percent, self_samples, self_weight, self_percent, calls, own_calls. Each function with an
 * entry has rows for its callers, for itself, and for its callees.
 */
void tree_rows_call_titles(const struct places *places, FILE *out);
/* The rows of one event. */
void tree_rows_calls(const struct calls_view *view, struct fields *fields);

#endif
