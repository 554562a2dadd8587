/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What functions took with everything they called: a table whose rows overlap. */
#ifndef AGGREGATE_TREES_CHILDREN_H
#define AGGREGATE_TREES_CHILDREN_H

#include "aggregate/tables/table.h"
#include "base/err.h"

/* Checks that a table by these keys can be inclusive. -EINVAL and one line: no key is about code,
 * or one is about whole stacks. */
int children_check(const struct key_list *keys, struct err *err);

/* The keys of the table that children_new needs: those of @keys that are not about code, then
 * keys_stack_id(). */
struct key_list children_stack_keys(const struct key_list *keys);

/* Those of @keys that are about code. */
struct key_list children_frame_keys(const struct key_list *keys);

/*
 * The inclusive table by @keys of the samples in @stacks, a table by children_stack_keys(@keys)
 * that is not finished. A row has every sample whose stack contains its place, once, even if it is
 * there several times (recursion); `self` has those whose innermost frame it is. The sums are those
 * of @stacks.
 */
struct table *children_new(const struct table *stacks, const struct key_list *keys);

#endif
