/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What functions took with everything they called: a table in which rows overlap. */
#ifndef AGGREGATE_TREES_CHILDREN_H
#define AGGREGATE_TREES_CHILDREN_H

#include "aggregate/tables/table.h"
#include "base/err.h"

/* Can a table by these keys be inclusive? -EINVAL and one line: none of them is about code, or one
 * is about whole stacks. */
int children_check(const struct key_list *keys, struct err *err);

/* The keys by which the samples must be put into a table for children_new: those of @keys that are
 * not about code, then keys_stack_id(). */
struct key_list children_stack_keys(const struct key_list *keys);

/* The other ones. */
struct key_list children_frame_keys(const struct key_list *keys);

/*
 * The inclusive table by @keys of the samples in @stacks, a table by children_stack_keys(@keys)
 * that is not finished. A row has every sample in whose stack its place stands, once, however often
 * that is (recursion); `self` has those of which it is the innermost frame. Sums are those of
 * @stacks.
 */
struct table *children_new(const struct table *stacks, const struct key_list *keys);

#endif
