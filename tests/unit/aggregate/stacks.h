/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of a fixture by their very stacks, as trees and inclusive tables want them. */
#ifndef UNIT_AGGREGATE_STACKS_H
#define UNIT_AGGREGATE_STACKS_H

#include "aggregate/fixture.h"

#include "aggregate/trees/children.h"
#include "aggregate/trees/tree.h"

static inline struct key_list keys_of(const char *text)
{
	struct key_list keys;

	assert_int_equal(keys_parse(text, &keys, NULL), 0);
	return keys;
}

/* @by: all keys of the view; those of code do not matter here. The labels are made. */
static inline struct table *stacks_table(struct fixture *fixture, const char *by)
{
	struct key_list keys = keys_of(by), stack_keys = children_stack_keys(&keys);
	struct table *table = table_new(fixture_labels(fixture), &stack_keys);

	for (size_t i = 0; i < fixture->totals.rows.count; i++)
		table_add_all(table, &(struct point){ .total = fixture->totals.rows.items[i] }, 1);
	return table;
}

static inline struct places *stacks_places(const struct fixture *fixture, const char *by)
{
	struct key_list keys = keys_of(by);

	return places_new(&fixture->labels, &keys);
}

/* A line for each node but the root, indented by depth: "main 10 3" with total and self samples. */
static inline void stacks_print(const struct tree *tree, const bool *hidden, struct buf *text)
{
	size_t count;
	uint32_t *order = tree_order(tree, hidden, &count);

	for (size_t i = 1; i < count; i++) {
		const struct tree_node *node = &tree->nodes.items[order[i]];

		for (uint32_t up = node->parent; up; up = tree->nodes.items[up].parent)
			buf_add_char(text, ' ');
		tree_text(tree, order[i], text);
		buf_printf(text, " %u %u\n", (unsigned)node->total.samples,
			   (unsigned)node->self.samples);
	}
	free(order);
}

static inline void assert_tree(const struct tree *tree, const char *wanted)
{
	struct buf text = { 0 };

	stacks_print(tree, NULL, &text);
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
}

#endif
