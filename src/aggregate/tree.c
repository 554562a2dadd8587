/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/xalloc.h"

/* Stands for the part of a stack outside of what is looked at. */
#define OUTSIDE TREE_NO_NODE

struct maker {
	struct tree *tree;
	const struct profile *profile;
	const bool *focus;
	size_t keys;	    /* of the table, the stack among them */
	uint32_t base;	    /* the group all stacks begin at */
	uint32_t *of_stack; /* nodes by stack, within the group; 0: not made */
	VEC(uint32_t) made; /* stacks that have one */
	VEC(uint32_t) path; /* scratch */
};

struct wanted {
	uint32_t parent, place;
};

static bool node_equal(const void *owner, uint32_t id, const void *key)
{
	const struct tree_node *node = &((const struct tree *)owner)->nodes.items[id];
	const struct wanted *wanted = key;

	return node->parent == wanted->parent && node->place == wanted->place;
}

/* The child for this place, made if it is not there. */
static uint32_t child_of(struct tree *tree, uint32_t parent, uint32_t place)
{
	struct wanted wanted = { parent, place };
	uint64_t hash = hash_combine(hash_u64(parent), place);
	uint32_t id = (uint32_t)tree->nodes.count;

	if (hashidx_find(&tree->index, hash, node_equal, tree, &wanted, &id))
		return id;
	if (tree->nodes.count >= TREE_MAX_NODES) {
		tree->is_short = true;
		return parent;
	}
	hashidx_add(&tree->index, hash, id);
	*vec_push(&tree->nodes) = (struct tree_node){ .parent = parent, .place = place };
	return id;
}

static uint32_t place_of(const struct maker *maker, uint32_t stack)
{
	return maker->tree->places->of_frame[maker->profile->stacks.items[stack].frame];
}

/* Where the stack goes on from its caller's node. */
static uint32_t step(struct maker *maker, uint32_t caller, uint32_t stack)
{
	uint32_t place = place_of(maker, stack);

	if (caller != OUTSIDE)
		return child_of(maker->tree, caller, place);
	return maker->focus[place] ? child_of(maker->tree, maker->base, place) : OUTSIDE;
}

static uint32_t node_from_root(struct maker *maker, uint32_t stack)
{
	const struct stack_node *stacks = maker->profile->stacks.items;
	uint32_t node = maker->focus ? OUTSIDE : maker->base;

	maker->path.count = 0;
	for (; stack && !maker->of_stack[stack]; stack = stacks[stack].parent)
		*vec_push(&maker->path) = stack;
	if (stack)
		node = maker->of_stack[stack];
	for (size_t i = maker->path.count; i-- > 0;) {
		uint32_t here = maker->path.items[i];

		node = step(maker, node, here);
		maker->of_stack[here] = node;
		*vec_push(&maker->made) = here;
	}
	return node;
}

/* Where a path from a leaf begins: at the leaf, or at the outermost frame that is looked at; 0:
 * there is none. */
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

/* Begins a group where the row's values before the stack are not those of the one before it. */
static void enter_group(struct maker *maker, const struct table_row *row,
			const struct table_row *before)
{
	const struct table *table = maker->tree->stacks;
	size_t size = (maker->keys - 1) * sizeof(uint64_t);

	if (before && memcmp(values_of(table, row), values_of(table, before), size) == 0)
		return;
	for (size_t i = 0; i < maker->made.count; i++)
		maker->of_stack[maker->made.items[i]] = 0;
	maker->made.count = 0;
	if (size)
		maker->base = child_of(maker->tree, 0,
				       (uint32_t)(maker->tree->places->rows.count +
						  (size_t)(row - table->rows.items)));
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

/* The rows of the event, those of a group together. The caller frees them. */
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
	struct hits *self = &maker->tree->nodes.items[node].self;

	maker->tree->of_row[row - maker->tree->stacks->rows.items] = node;
	self->samples += row->samples;
	self->weight += row->weight;
}

static void add_from_roots(struct maker *maker)
{
	size_t count;
	struct sorted_row *rows = rows_by_group(maker->tree->stacks, maker->tree->event, &count);

	for (size_t i = 0; i < count; i++) {
		const struct table_row *row = rows[i].row;
		uint32_t node;

		enter_group(maker, row, i ? rows[i - 1].row : NULL);
		node = node_from_root(maker, stack_of(maker, row));
		if (node != OUTSIDE)
			add_self(maker, node, row);
	}
	free(rows);
}

/* A row on its way from the leaf to the root. */
struct climber {
	const struct table_row *row;
	uint32_t node;	/* where it is */
	uint32_t stack; /* where it goes next; 0: it has arrived */
};

/* Every row that is looked at, in its group. The caller frees them. */
static struct climber *start_climbing(struct maker *maker, size_t *ret_count)
{
	size_t count, climbing = 0;
	struct sorted_row *rows = rows_by_group(maker->tree->stacks, maker->tree->event, &count);
	struct climber *climbers = xcalloc(count + 1, sizeof(*climbers));

	for (size_t i = 0; i < count; i++) {
		const struct table_row *row = rows[i].row;
		uint32_t stack = begin_of_path(maker, stack_of(maker, row));

		enter_group(maker, row, i ? rows[i - 1].row : NULL);
		if (stack)
			climbers[climbing++] = (struct climber){ row, maker->base, stack };
	}
	free(rows);
	*ret_count = climbing;
	return climbers;
}

/* One level further out; `total` is of what got there so far. */
static void climb(struct maker *maker, struct climber *climbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct climber *climber = &climbers[i];
		struct hits *total;

		climber->node =
			child_of(maker->tree, climber->node, place_of(maker, climber->stack));
		climber->stack = maker->profile->stacks.items[climber->stack].parent;
		total = &maker->tree->nodes.items[climber->node].total;
		total->samples += climber->row->samples;
		total->weight += climber->row->weight;
	}
}

/* Level by level, so that what has become too light to be shown need not climb on. */
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
		struct hits *parent = &nodes[node->parent].total;

		node->total.samples += node->self.samples;
		node->total.weight += node->self.weight;
		if (id) {
			parent->samples += node->total.samples;
			parent->weight += node->total.weight;
		}
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
	*vec_push(&tree->nodes) = (struct tree_node){ 0 };
	tree->of_row = xcalloc(stacks->rows.count + 1, sizeof(*tree->of_row));
	memset(tree->of_row, 0xff, stacks->rows.count * sizeof(*tree->of_row));
	maker.of_stack = xcalloc(maker.profile->stacks.count, sizeof(*maker.of_stack));
	if (direction == TREE_FROM_ROOTS)
		add_from_roots(&maker);
	else
		add_from_leaves(&maker, weight_of_percent(stacks, event, least));
	add_up(tree);
	hashidx_done(&tree->index);
	free(maker.of_stack);
	vec_free(&maker.made);
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

/* The lightest first, and of those alike the last. */
static int lighter(const void *left, const void *right)
{
	const struct weighed *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? -1 : 1;
	return a->node > b->node ? -1 : a->node < b->node;
}

/* The nodes that are not hidden, without the root, the lightest first. The caller frees them. */
static struct weighed *weigh(const struct tree *tree, const bool *hidden, size_t *ret_count)
{
	struct weighed *weighed = xcalloc(tree->nodes.count, sizeof(*weighed));
	size_t count = 0;

	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		if (!hidden || !hidden[id])
			weighed[count++] =
				(struct weighed){ tree->nodes.items[id].total.weight, id };
	}
	if (count)
		qsort(weighed, count, sizeof(*weighed), lighter);
	*ret_count = count;
	return weighed;
}

struct links {
	uint32_t *first, *next; /* by node; 0: none */
};

static void add_first(const struct tree *tree, struct links *links, uint32_t node)
{
	uint32_t *first = &links->first[tree->nodes.items[node].parent];

	links->next[node] = *first;
	*first = node;
}

static void link_by_weight(const struct tree *tree, const bool *hidden, struct links *links)
{
	size_t count;
	struct weighed *weighed = weigh(tree, hidden, &count);

	for (size_t i = 0; i < count; i++)
		add_first(tree, links, weighed[i].node);
	free(weighed);
}

static uint32_t *order_of_links(const struct tree *tree, const struct links *links,
				size_t *ret_count)
{
	uint32_t *order = xcalloc(tree->nodes.count, sizeof(*order));
	uint32_t node = 0;
	size_t count = 0;

	for (;;) {
		order[count++] = node;
		if (links->first[node]) {
			node = links->first[node];
			continue;
		}
		while (node && !links->next[node])
			node = tree->nodes.items[node].parent;
		if (!node)
			break;
		node = links->next[node];
	}
	*ret_count = count;
	return order;
}

static void links_init(struct links *links, const struct tree *tree)
{
	links->first = xcalloc(tree->nodes.count, sizeof(*links->first));
	links->next = xcalloc(tree->nodes.count, sizeof(*links->next));
}

static void links_done(struct links *links)
{
	free(links->first);
	free(links->next);
}

uint32_t *tree_order(const struct tree *tree, const bool *hidden, size_t *ret_count)
{
	struct links links;
	uint32_t *order;

	links_init(&links, tree);
	link_by_weight(tree, hidden, &links);
	order = order_of_links(tree, &links, ret_count);
	links_done(&links);
	return order;
}

uint32_t *tree_any_order(const struct tree *tree)
{
	struct links links;
	uint32_t *order;
	size_t count;

	links_init(&links, tree);
	for (size_t id = tree->nodes.count; id-- > 1;)
		add_first(tree, &links, (uint32_t)id);
	order = order_of_links(tree, &links, &count);
	links_done(&links);
	return order;
}
