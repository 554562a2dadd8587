/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/trees/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hashidx.h"
#include "base/xalloc.h"

/* Stands for the part of a stack outside the focus. */
#define OUTSIDE TREE_NO_NODE
/* Stand for the node of a stack that does not exist or is about to be created. The root is no
 * stack's node. */
#define NOT_MADE 0
#define COMING	 (TREE_NO_NODE - 1)

/* How many stacks ahead the node of one is prefetched. */
enum { FETCH_AHEAD = 8 };

struct maker {
	struct tree *tree;
	const struct profile *profile;
	const bool *focus;
	size_t keys;	    /* of the table, including the stack */
	uint32_t base;	    /* the group in which all stacks begin */
	uint32_t *of_stack; /* nodes by stack, within the group; or NOT_MADE, COMING */
	VEC(uint32_t) path; /* stacks of the group to get one, callers first */
};

struct wanted {
	uint32_t parent, place;
};

DEFINE_EQUAL(node_equal, struct tree, nodes.items, struct wanted,
	     a->parent == b->parent && a->place == b->place)

static uint64_t child_hash(uint32_t parent, uint32_t place)
{
	return hash_u64((uint64_t)parent << 32 | place);
}

static uint32_t append_node(struct tree *tree, uint32_t parent, uint32_t place)
{
	uint32_t id = (uint32_t)tree->nodes.count;

	*vec_push(&tree->nodes) = (struct tree_node){ .parent = parent, .place = place };
	*vec_push(&tree->first_child) = 0;
	return id;
}

/* The child for this place, created if needed. Most nodes have one child; the index has only
 * children that are not the first of their parent. */
static uint32_t child_of(struct tree *tree, uint32_t parent, uint32_t place)
{
	struct wanted wanted = { parent, place };
	uint32_t first = tree->first_child.items[parent], id;

	if (first && tree->nodes.items[first].place == place)
		return first;
	if (first &&
	    hashidx_find(&tree->index, child_hash(parent, place), node_equal, tree, &wanted, &id))
		return id;
	if (tree->nodes.count >= TREE_MAX_NODES) {
		tree->is_short = true;
		return parent;
	}
	id = append_node(tree, parent, place);
	if (first)
		hashidx_add(&tree->index, child_hash(parent, place), id);
	else
		tree->first_child.items[parent] = id;
	return id;
}

static uint32_t place_of(const struct maker *maker, uint32_t stack)
{
	return maker->tree->places->of_frame[maker->profile->stacks.items[stack].frame];
}

/* The node of a stack below its caller's node. */
static uint32_t step(struct maker *maker, uint32_t caller, uint32_t stack)
{
	uint32_t place = place_of(maker, stack);

	if (caller != OUTSIDE)
		return child_of(maker->tree, caller, place);
	return maker->focus[place] ? child_of(maker->tree, maker->base, place) : OUTSIDE;
}

/* Where a path from a leaf begins: at the leaf, or at the outermost frame in focus; 0: none. */
static uint32_t begin_of_path(const struct maker *maker, uint32_t stack)
{
	uint32_t found = 0;

	if (!maker->focus)
		return stack;
	for (; stack; stack = maker->profile->stacks.items[stack].parent) {
		if (maker->focus[place_of(maker, stack)])
			found = stack;
	}
	return found;
}

static const uint64_t *values_of(const struct table *table, const struct table_row *row)
{
	return &table->values.items[row->values];
}

static uint32_t stack_of(const struct maker *maker, const struct table_row *row)
{
	return (uint32_t)values_of(maker->tree->stacks, row)[maker->keys - 1];
}

/* True if both rows are of one group. */
static bool same_group(const struct maker *maker, const struct table_row *row,
		       const struct table_row *other)
{
	const struct table *table = maker->tree->stacks;

	return memcmp(values_of(table, row), values_of(table, other),
		      (maker->keys - 1) * sizeof(uint64_t)) == 0;
}

/* Enters the group that the row begins; without keys before the stack, all rows are one group. */
static void enter_group(struct maker *maker, const struct table_row *row)
{
	size_t places = maker->tree->places->rows.count;

	if (maker->keys > 1)
		maker->base = child_of(
			maker->tree, 0,
			(uint32_t)(places + (size_t)(row - maker->tree->stacks->rows.items)));
}

struct sorted_row {
	const struct table *table;
	const struct table_row *row;
};

static int by_values(const void *left, const void *right)
{
	const struct sorted_row *a = left, *b = right;
	const uint64_t *values = values_of(a->table, a->row), *others = values_of(b->table, b->row);

	for (size_t i = 0; i < a->table->keys.count; i++) {
		if (values[i] != others[i])
			return values[i] < others[i] ? -1 : 1;
	}
	return 0;
}

/* The rows of the event, sorted by group. The caller frees them. */
static struct sorted_row *rows_by_group(const struct table *table, uint8_t event, size_t *ret_count)
{
	struct sorted_row *rows = xcalloc(table->rows.count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < table->rows.count; i++) {
		if (table->rows.items[i].event == event)
			rows[count++] = (struct sorted_row){ table, &table->rows.items[i] };
	}
	if (count && table->keys.count > 1)
		qsort(rows, count, sizeof(*rows), by_values);
	*ret_count = count;
	return rows;
}

static void add_self(struct maker *maker, uint32_t node, const struct table_row *row)
{
	maker->tree->of_row[row - maker->tree->stacks->rows.items] = node;
	hits_add(&maker->tree->nodes.items[node].self, &(struct hits){ row->samples, row->weight });
}

/* Adds the frames of the stack that have no node yet, callers first. */
static void add_path(struct maker *maker, uint32_t stack)
{
	const struct stack_node *stacks = maker->profile->stacks.items;
	size_t first = maker->path.count;

	for (; stack && maker->of_stack[stack] == NOT_MADE; stack = stacks[stack].parent) {
		maker->of_stack[stack] = COMING;
		*vec_push(&maker->path) = stack;
	}
	for (size_t last = maker->path.count; first + 1 < last; first++, last--) {
		uint32_t here = maker->path.items[first];

		maker->path.items[first] = maker->path.items[last - 1];
		maker->path.items[last - 1] = here;
	}
}

static uint32_t node_of_caller(const struct maker *maker, uint32_t stack)
{
	uint32_t caller = maker->profile->stacks.items[stack].parent;

	if (caller)
		return maker->of_stack[caller];
	return maker->focus ? OUTSIDE : maker->base;
}

/* Nodes are scattered in memory, so they are prefetched, in two steps. */
static void fetch_slot(const struct maker *maker, uint32_t stack)
{
	uint32_t caller = node_of_caller(maker, stack);

	if (caller == COMING || caller == OUTSIDE)
		return;
	__builtin_prefetch(&maker->tree->first_child.items[caller]);
	hashidx_fetch(&maker->tree->index, child_hash(caller, place_of(maker, stack)));
}

static void fetch_node(const struct maker *maker, uint32_t stack)
{
	uint32_t caller = node_of_caller(maker, stack), id;

	if (caller == COMING || caller == OUTSIDE)
		return;
	__builtin_prefetch(&maker->tree->nodes.items[maker->tree->first_child.items[caller]]);
	if (hashidx_guess(&maker->tree->index, child_hash(caller, place_of(maker, stack)), &id))
		__builtin_prefetch(&maker->tree->nodes.items[id]);
}

static void make_nodes(struct maker *maker)
{
	const uint32_t *path = maker->path.items;
	size_t count = maker->path.count;

	for (size_t i = 0; i < count; i++) {
		if (i + 2 * FETCH_AHEAD < count)
			fetch_slot(maker, path[i + 2 * FETCH_AHEAD]);
		if (i + FETCH_AHEAD < count)
			fetch_node(maker, path[i + FETCH_AHEAD]);
		maker->of_stack[path[i]] = step(maker, node_of_caller(maker, path[i]), path[i]);
	}
}

/* Adds all rows of one group. */
static void add_group(struct maker *maker, const struct sorted_row *rows, size_t count)
{
	enter_group(maker, rows->row);
	for (size_t i = 0; i < count; i++)
		add_path(maker, stack_of(maker, rows[i].row));
	make_nodes(maker);
	for (size_t i = 0; i < count; i++) {
		uint32_t stack = stack_of(maker, rows[i].row);
		uint32_t node =
			stack ? maker->of_stack[stack] : (maker->focus ? OUTSIDE : maker->base);

		if (node != OUTSIDE)
			add_self(maker, node, rows[i].row);
	}
	for (size_t i = 0; i < maker->path.count; i++)
		maker->of_stack[maker->path.items[i]] = NOT_MADE;
	maker->path.count = 0;
}

static size_t group_length(const struct maker *maker, const struct sorted_row *rows, size_t count)
{
	size_t length = 1;

	if (maker->keys == 1)
		return count;
	while (length < count && same_group(maker, rows[0].row, rows[length].row))
		length++;
	return length;
}

static void add_from_roots(struct maker *maker)
{
	size_t count;
	struct sorted_row *rows = rows_by_group(maker->tree->stacks, maker->tree->event, &count);

	for (size_t i = 0, length; i < count; i += length) {
		length = group_length(maker, rows + i, count - i);
		add_group(maker, rows + i, length);
	}
	free(rows);
}

/* A row on its way from the leaf to the root. */
struct climber {
	const struct table_row *row;
	uint32_t node;	/* where it is */
	uint32_t stack; /* where it goes next; 0: it has arrived */
};

/* All rows in focus, each in its group. The caller frees them. */
static struct climber *start_climbing(struct maker *maker, size_t *ret_count)
{
	size_t count, climbing = 0;
	struct sorted_row *rows = rows_by_group(maker->tree->stacks, maker->tree->event, &count);
	struct climber *climbers = xcalloc(count + 1, sizeof(*climbers));

	for (size_t i = 0; i < count; i++) {
		const struct table_row *row = rows[i].row;
		uint32_t stack = begin_of_path(maker, stack_of(maker, row));

		if (!i || !same_group(maker, row, rows[i - 1].row))
			enter_group(maker, row);
		if (stack)
			climbers[climbing++] = (struct climber){ row, maker->base, stack };
	}
	free(rows);
	*ret_count = climbing;
	return climbers;
}

/* Moves one level outwards; `total` counts what got there so far. */
static void climb(struct maker *maker, struct climber *climbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct climber *climber = &climbers[i];

		climber->node =
			child_of(maker->tree, climber->node, place_of(maker, climber->stack));
		climber->stack = maker->profile->stacks.items[climber->stack].parent;
		hits_add(&maker->tree->nodes.items[climber->node].total,
			 &(struct hits){ climber->row->samples, climber->row->weight });
	}
}

/* Works level by level, so that rows too light to be shown stop there. */
static void add_from_leaves(struct maker *maker, uint64_t least)
{
	size_t count;
	struct climber *climbers = start_climbing(maker, &count);

	while (count) {
		size_t left = 0;

		climb(maker, climbers, count);
		for (size_t i = 0; i < count; i++) {
			const struct climber *climber = &climbers[i];

			if (climber->stack &&
			    maker->tree->nodes.items[climber->node].total.weight >= least)
				climbers[left++] = *climber;
			else
				add_self(maker, climber->node, climber->row);
		}
		count = left;
	}
	free(climbers);
}

static void add_up(struct tree *tree)
{
	struct tree_node *nodes = tree->nodes.items;

	for (size_t id = 0; id < tree->nodes.count; id++)
		nodes[id].total = (struct hits){ 0 };
	for (size_t id = tree->nodes.count; id-- > 0;) {
		struct tree_node *node = &nodes[id];

		hits_add(&node->total, &node->self);
		if (id)
			hits_add(&nodes[node->parent].total, &node->total);
	}
}

static uint64_t weight_of_percent(const struct table *stacks, uint8_t event, double percent)
{
	return (uint64_t)(percent / 100 * (double)stacks->sums[event].weight);
}

struct tree *tree_new(const struct table *stacks, const struct places *places, uint8_t event,
		      enum tree_direction direction, const bool *focus)
{
	return tree_new_above(stacks, places, event, direction, focus, 0);
}

struct tree *tree_new_above(const struct table *stacks, const struct places *places, uint8_t event,
			    enum tree_direction direction, const bool *focus, double least)
{
	struct tree *tree = xcalloc(1, sizeof(*tree));
	struct maker maker = { .tree = tree,
			       .profile = places->labels->profile,
			       .focus = focus,
			       .keys = stacks->keys.count };

	*tree = (struct tree){ .stacks = stacks, .places = places, .event = event };
	append_node(tree, 0, 0);
	tree->of_row = xcalloc(stacks->rows.count + 1, sizeof(*tree->of_row));
	memset(tree->of_row, 0xff, stacks->rows.count * sizeof(*tree->of_row));
	maker.of_stack = xcalloc(maker.profile->stacks.count, sizeof(*maker.of_stack));
	if (direction == TREE_FROM_ROOTS)
		add_from_roots(&maker);
	else
		add_from_leaves(&maker, weight_of_percent(stacks, event, least));
	add_up(tree);
	hashidx_done(&tree->index);
	vec_free(&tree->first_child);
	free(maker.of_stack);
	vec_free(&maker.path);
	return tree;
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	vec_free(&tree->nodes);
	free(tree->of_row);
	free(tree);
}

bool tree_is_group(const struct tree *tree, uint32_t node)
{
	return node && tree->nodes.items[node].place >= tree->places->rows.count;
}

uint32_t tree_image(const struct tree *tree, uint32_t node)
{
	if (!node || tree_is_group(tree, node))
		return 0;
	return places_image(tree->places, tree->nodes.items[node].place);
}

void tree_text(const struct tree *tree, uint32_t node, struct buf *buf)
{
	uint32_t place = tree->nodes.items[node].place;
	const struct table_row *row;

	if (!node) {
		buf_add_str(buf, "all");
		return;
	}
	if (!tree_is_group(tree, node)) {
		places_text(tree->places, place, buf);
		return;
	}
	row = &tree->stacks->rows.items[place - tree->places->rows.count];
	for (size_t key = 0; key + 1 < tree->stacks->keys.count; key++) {
		buf_add_str(buf, key ? ", " : "");
		table_text(tree->stacks, row, key, buf);
	}
}

double tree_percent(const struct tree *tree, uint64_t weight)
{
	uint64_t whole = tree->stacks->sums[tree->event].weight;

	return whole ? 100.0 * (double)weight / (double)whole : 0;
}

struct weighed {
	uint64_t weight;
	uint32_t node;
};

/* Lightest first, and among equals the last. */
DEFINE_ORDER(lighter, struct weighed, COMPARE(a->weight, b->weight) ?: COMPARE(b->node, a->node))

/* The visible nodes without the root, lightest first. The caller frees them. */
static uint32_t *by_weight(const struct tree *tree, const bool *hidden, size_t *ret_count)
{
	_cleanup_free_ struct weighed *weighed = xcalloc(tree->nodes.count, sizeof(*weighed));
	uint32_t *nodes = xcalloc(tree->nodes.count, sizeof(*nodes));
	size_t count = 0;

	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		if (!hidden || !hidden[id])
			weighed[count++] =
				(struct weighed){ tree->nodes.items[id].total.weight, id };
	}
	if (count)
		qsort(weighed, count, sizeof(*weighed), lighter);
	for (size_t i = 0; i < count; i++)
		nodes[i] = weighed[i].node;
	*ret_count = count;
	return nodes;
}

/* The root and what of the @count nodes in @added can be reached from it; in @added later siblings
 * come first. */
static uint32_t *depth_first(const uint32_t *parents, size_t nodes, const uint32_t *added,
			     size_t count, size_t *ret_count)
{
	uint32_t *first = xcalloc(nodes, sizeof(*first)); /* child; 0: none */
	uint32_t *next = xcalloc(nodes, sizeof(*next));	  /* sibling; 0: none */
	uint32_t *order = xcalloc(nodes, sizeof(*order));
	uint32_t node = 0;
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		next[added[i]] = first[parents[added[i]]];
		first[parents[added[i]]] = added[i];
	}
	do {
		order[at++] = node;
		if (first[node]) {
			node = first[node];
			continue;
		}
		while (node && !next[node])
			node = parents[node];
		node = next[node];
	} while (node);
	*ret_count = at;
	free(first);
	free(next);
	return order;
}

static uint32_t *parents_of(const struct tree *tree)
{
	uint32_t *parents = xcalloc(tree->nodes.count, sizeof(*parents));

	for (size_t i = 0; i < tree->nodes.count; i++)
		parents[i] = tree->nodes.items[i].parent;
	return parents;
}

uint32_t *tree_order(const struct tree *tree, const bool *hidden, size_t *ret_count)
{
	size_t count;
	_cleanup_free_ uint32_t *nodes = by_weight(tree, hidden, &count);
	_cleanup_free_ uint32_t *parents = parents_of(tree);

	return depth_first(parents, tree->nodes.count, nodes, count, ret_count);
}

uint32_t *tree_order_any(const struct tree *tree)
{
	_cleanup_free_ uint32_t *parents = parents_of(tree);

	return tree_depth_first(parents, tree->nodes.count);
}

uint32_t *tree_depth_first(const uint32_t *parents, size_t count)
{
	_cleanup_free_ uint32_t *nodes = xcalloc(count, sizeof(*nodes));

	for (size_t i = 1; i < count; i++)
		nodes[i - 1] = (uint32_t)(count - i);
	return depth_first(parents, count, nodes, count - 1, &count);
}
