/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/paired_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"

/* The name of the nodes of a place on one side. */
struct called {
	bool known, is_group;
	str_id text, image; /* numbers in the matches */
	enum image_kind kind;
};

/* Meanings: numbers in the matches. */
struct wanted_name {
	str_id text, image;
	bool is_group;
};

struct pairing {
	struct paired_tree *made;
	VEC(struct wanted_name) meant; /* by name of the new tree */
	struct rebuilt_match texts, images;
	struct called *called[DIFF_SIDES]; /* by place, then the groups */
	struct hashidx name_index, node_index;
};

/* The text of a group. @new_name: of the command on the new side, if @old_name is its name here. */
static const char *group_text(const char *text, const char *old_name, const char *new_name)
{
	return old_name && new_name && strcmp(text, file_base(old_name)) == 0 ? file_base(new_name)
									      : text;
}

/* The symbol of a node that is a place and nothing else; 0: none. */
static uint32_t placed_symbol(const struct tree *tree, uint32_t node)
{
	const struct places *places = tree->places;
	const struct key *key = places->keys.items[0];
	uint32_t frame;

	if (!node || tree_is_group(tree, node) || places->keys.count > 1 || !key->placed)
		return 0;
	frame = places->rows.items[tree->nodes.items[node].place].frame;
	return key->placed(places->labels, key->of_frame(places->labels, frame));
}

/* Adds the text of a node, or its place. */
static str_id add_text(struct pairing *pairing, enum diff_side side, const struct tree *tree,
		       uint32_t node, const char *text)
{
	const struct labels *labels = tree->places->labels;
	const struct profile *profile = labels->profile;
	uint32_t symbol = placed_symbol(tree, node);
	const struct image *image = &profile->images.items[profile->symbols.items[symbol].image];
	struct buf between = { 0 }, build = { 0 };
	struct rebuilt_place place = { .text = text };
	str_id id;

	if (!symbol)
		return rebuilt_match_add(&pairing->texts, text, side);
	labels_name(labels, profile->symbols.items[symbol].name, &between);
	text_add_hex(&build, image->build_id, image->build_id_size);
	place.between = buf_text(&between);
	place.build = buf_text(&build);
	id = rebuilt_match_add_place(&pairing->texts, &place, side);
	buf_done(&between);
	buf_done(&build);
	return id;
}

static void call_nodes(struct pairing *pairing, enum diff_side side,
		       const struct paired_side *paired, const char *new_command)
{
	const struct tree *tree = paired->tree;
	const struct profile *profile = tree->places->labels->profile;
	size_t places = tree->places->rows.count + tree->stacks->rows.count;
	struct called *called = xcalloc(places, sizeof(*called));
	struct buf text = { 0 };

	for (uint32_t node = 1; node < tree->nodes.count; node++) {
		struct called *here = &called[tree->nodes.items[node].place];
		uint32_t image = tree_image(tree, node);
		const struct image *row = &profile->images.items[image];
		const char *name;

		if (here->known)
			continue;
		buf_clear(&text);
		tree_text(tree, node, &text);
		name = buf_text(&text);
		if (tree_is_group(tree, node))
			name = group_text(name, paired->command, new_command);
		*here = (struct called){
			.known = true,
			.is_group = tree_is_group(tree, node),
			.text = add_text(pairing, side, tree, node, name),
			.image = rebuilt_match_add(&pairing->images,
						   image ? profile_text(profile, row->path) : "",
						   side),
			.kind = row->kind,
		};
	}
	pairing->called[side] = called;
	buf_done(&text);
}

DEFINE_EQUAL(name_equal, struct pairing, meant.items, struct wanted_name,
	     a->text == b->text && a->image == b->image && a->is_group == b->is_group)

/* A function appears under the name its parts have in common, a file under its path; the new side
 * comes first. */
static uint32_t name_of(struct pairing *pairing, const struct called *called)
{
	struct paired_tree *made = pairing->made;
	struct wanted_name wanted = { rebuilt_match_meaning(&pairing->texts, called->text),
				      rebuilt_match_meaning(&pairing->images, called->image),
				      called->is_group };
	uint64_t hash = hash_combine(hash_u64(wanted.text), wanted.image);
	const char *text = rebuilt_match_shown(&pairing->texts, wanted.text);
	const char *image = strpool_get(&pairing->images.texts, called->image);
	uint32_t id = (uint32_t)made->names.count;

	if (hashidx_find(&pairing->name_index, hash, name_equal, pairing, &wanted, &id))
		return id;
	hashidx_add(&pairing->name_index, hash, id);
	*vec_push(&pairing->meant) = wanted;
	*vec_push(&made->names) = (struct paired_name){ strpool_intern(&made->strings, text),
							strpool_intern(&made->strings, image),
							called->kind, called->is_group };
	return id;
}

struct wanted_node {
	uint32_t parent, name;
};

DEFINE_EQUAL(node_equal, struct paired_tree, nodes.items, struct wanted_node,
	     a->parent == b->parent && a->name == b->name)

static uint32_t node_of(struct pairing *pairing, uint32_t parent, uint32_t name)
{
	struct paired_tree *made = pairing->made;
	struct wanted_node wanted = { parent, name };
	uint64_t hash = hash_combine(hash_u64(parent), name);
	uint32_t id = (uint32_t)made->nodes.count;

	if (hashidx_find(&pairing->node_index, hash, node_equal, made, &wanted, &id))
		return id;
	hashidx_add(&pairing->node_index, hash, id);
	*vec_push(&made->nodes) = (struct paired_node){ .parent = parent, .name = name };
	return id;
}

static void add_side(struct pairing *pairing, enum diff_side side, const struct tree *tree)
{
	uint32_t *made_of = xcalloc(tree->nodes.count, sizeof(*made_of));

	for (uint32_t node = 0; node < tree->nodes.count; node++) {
		const struct tree_node *from = &tree->nodes.items[node];

		if (node)
			made_of[node] =
				node_of(pairing, made_of[from->parent],
					name_of(pairing, &pairing->called[side][from->place]));
		hits_add(&pairing->made->nodes.items[made_of[node]].self[side], &from->self);
	}
	free(made_of);
}

static void add_up(struct paired_tree *tree)
{
	for (size_t id = tree->nodes.count; id-- > 0;) {
		struct paired_node *node = &tree->nodes.items[id];

		for (int side = 0; side < DIFF_SIDES; side++) {
			hits_add(&node->total[side], &node->self[side]);
			if (id)
				hits_add(&tree->nodes.items[node->parent].total[side],
					 &node->total[side]);
		}
	}
}

/* The first key about code decides how names are rebuilt. */
static const struct key *frame_key(const struct tree *tree)
{
	return tree->places->keys.items[0];
}

static void settle(struct pairing *pairing, const struct paired_side *old,
		   const struct paired_side *new)
{
	struct err err;

	pairing->texts.key = frame_key(new->tree);
	pairing->images.key = keys_find("image", strlen("image"), &err);
	call_nodes(pairing, DIFF_NEW, new, new->command);
	call_nodes(pairing, DIFF_OLD, old, new->command);
	if (old->command && new->command) {
		rebuilt_match_command(&pairing->images, old->command, DIFF_OLD);
		rebuilt_match_command(&pairing->images, new->command, DIFF_NEW);
	}
	rebuilt_match_settle(&pairing->texts);
	rebuilt_match_settle(&pairing->images);
}

struct paired_tree *paired_tree_new(const struct paired_side *old, const struct paired_side *new)
{
	struct pairing pairing = { .made = xcalloc(1, sizeof(*pairing.made)) };

	*vec_push(&pairing.made->nodes) = (struct paired_node){ 0 };
	settle(&pairing, old, new);
	add_side(&pairing, DIFF_NEW, new->tree);
	add_side(&pairing, DIFF_OLD, old->tree);
	add_up(pairing.made);
	rebuilt_match_done(&pairing.texts);
	rebuilt_match_done(&pairing.images);
	free(pairing.called[DIFF_OLD]);
	free(pairing.called[DIFF_NEW]);
	hashidx_done(&pairing.name_index);
	hashidx_done(&pairing.node_index);
	vec_free(&pairing.meant);
	return pairing.made;
}

void paired_tree_free(struct paired_tree *tree)
{
	if (!tree)
		return;
	strpool_done(&tree->strings);
	vec_free(&tree->names);
	vec_free(&tree->nodes);
	free(tree);
}

uint32_t *paired_tree_order(const struct paired_tree *tree)
{
	_cleanup_free_ uint32_t *parents = xcalloc(tree->nodes.count, sizeof(*parents));

	for (size_t i = 0; i < tree->nodes.count; i++)
		parents[i] = tree->nodes.items[i].parent;
	return tree_depth_first(parents, tree->nodes.count);
}
