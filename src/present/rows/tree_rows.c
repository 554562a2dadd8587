/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/tree_rows.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate/trees/tree_order.h"
#include "base/xalloc.h"
#include "present/fields.h"

struct writer {
	struct fields *fields;
	const struct tree_part *part;
	uint32_t *ids;	 /* by node; in order of printing, from 1 on */
	uint32_t *depth; /* by node */
	uint32_t *group; /* by node: its group; 0: none */
	struct buf text;
};

static void add_group_keys(struct writer *writer, uint32_t node)
{
	const struct tree *tree = writer->part->tree;
	uint32_t group = writer->group[node];
	const struct table_row *row;

	if (!group)
		return;
	row = &tree->stacks->rows.items[tree->nodes.items[group].place - tree->places->rows.count];
	for (size_t i = 0; i + 1 < tree->stacks->keys.count; i++) {
		buf_clear(&writer->text);
		table_text(tree->stacks, row, i, &writer->text);
		fields_key(writer->fields, tree->stacks->keys.items[i], buf_text(&writer->text));
	}
}

static void add_place_keys(struct writer *writer, uint32_t node)
{
	const struct places *places = writer->part->tree->places;
	uint32_t frame = places->rows.items[writer->part->tree->nodes.items[node].place].frame;

	for (size_t i = 0; i < places->keys.count; i++) {
		const struct key *key = places->keys.items[i];

		buf_clear(&writer->text);
		key->text(places->labels, key->of_frame(places->labels, frame), &writer->text);
		fields_key(writer->fields, key, buf_text(&writer->text));
	}
}

static bool has_image_key(const struct places *places)
{
	for (size_t i = 0; i < places->keys.count; i++) {
		if (strcmp(places->keys.items[i]->name, "image") == 0)
			return true;
	}
	return false;
}

static void add_image(struct writer *writer, uint32_t node)
{
	const struct tree *tree = writer->part->tree;
	uint32_t image = places_image(tree->places, tree->nodes.items[node].place);

	buf_clear(&writer->text);
	if (!image) {
		fields_nothing(writer->fields, "image");
		return;
	}
	labels_path(tree->places->labels, image, &writer->text);
	fields_text(writer->fields, "image", buf_text(&writer->text));
}

static void add_keys(struct writer *writer, uint32_t node)
{
	const struct tree *tree = writer->part->tree;
	bool own_image = !has_image_key(tree->places);

	add_group_keys(writer, node);
	if (!tree_is_group(tree, node)) {
		add_place_keys(writer, node);
		if (own_image)
			add_image(writer, node);
		return;
	}
	for (size_t i = 0; i < tree->places->keys.count; i++)
		fields_nothing(writer->fields, tree->places->keys.items[i]->name);
	if (own_image)
		fields_nothing(writer->fields, "image");
}

static void add_figures(struct writer *writer, uint32_t id)
{
	const struct tree *tree = writer->part->tree;
	const struct tree_node *node = &tree->nodes.items[id];
	const struct profile *profile = tree->places->labels->profile;
	const struct table_sum *sum = &tree->stacks->sums[tree->event];
	struct interval interval = estimate_share((double)node->total.weight, (double)sum->weight,
						  sum->weight_squared);

	fields_text(writer->fields, "event",
		    profile_text(profile, profile->events[tree->event].name));
	fields_number(writer->fields, "samples", node->total.samples);
	fields_number(writer->fields, "weight", node->total.weight);
	fields_percent(writer->fields, "percent", tree_percent(tree, node->total.weight));
	fields_percent(writer->fields, "low", 100 * interval.low);
	fields_percent(writer->fields, "high", 100 * interval.high);
	fields_number(writer->fields, "self_samples", node->self.samples);
	fields_number(writer->fields, "self_weight", node->self.weight);
	fields_percent(writer->fields, "self_percent", tree_percent(tree, node->self.weight));
}

static void add_row(struct writer *writer, uint32_t node)
{
	uint32_t parent = writer->part->tree->nodes.items[node].parent;

	fields_text(writer->fields, "part", writer->part->name);
	fields_number(writer->fields, "id", writer->ids[node]);
	fields_number(writer->fields, "parent", writer->ids[parent]);
	fields_number(writer->fields, "depth", writer->depth[node]);
	add_keys(writer, node);
	add_figures(writer, node);
}

/* Nodes come after their parents. */
static void place_node(struct writer *writer, uint32_t node)
{
	const struct tree *tree = writer->part->tree;
	uint32_t parent = tree->nodes.items[node].parent;

	writer->depth[node] = writer->depth[parent] + 1;
	writer->group[node] = tree_is_group(tree, node) ? node : writer->group[parent];
}

/* Returns the number of the last row. */
static uint32_t print_part(const struct tree_part *part, struct fields *fields, uint32_t last)
{
	size_t nodes = part->tree->nodes.count, count;
	uint32_t *order = tree_order(part->tree, part->prune->hidden, &count);
	struct writer writer = { .fields = fields,
				 .part = part,
				 .ids = xcalloc(nodes, sizeof(uint32_t)),
				 .depth = xcalloc(nodes, sizeof(uint32_t)),
				 .group = xcalloc(nodes, sizeof(uint32_t)) };

	for (size_t i = 1; i < count; i++) {
		writer.ids[order[i]] = ++last;
		place_node(&writer, order[i]);
		add_row(&writer, order[i]);
		fields_end_row(fields);
	}
	free(order);
	free(writer.ids);
	free(writer.depth);
	free(writer.group);
	buf_done(&writer.text);
	return last;
}

static void print_titles(const struct tree *tree, FILE *out)
{
	const struct key_list *groups = &tree->stacks->keys, *places = &tree->places->keys;

	fputs("part,id,parent,depth,", out);
	for (size_t i = 0; i + 1 < groups->count; i++)
		fprintf(out, "%s,", groups->items[i]->name);
	for (size_t i = 0; i < places->count; i++)
		fprintf(out, "%s,", places->items[i]->name);
	if (!has_image_key(tree->places))
		fputs("image,", out);
	fputs("event,samples,weight,percent,low,high,self_samples,self_weight,self_percent\n", out);
}

void tree_rows_csv(const struct tree_part *parts, size_t count, FILE *out)
{
	struct fields fields = { .out = out };
	uint32_t last = 0;

	if (count)
		print_titles(parts[0].tree, out);
	for (size_t i = 0; i < count; i++)
		last = print_part(&parts[i], &fields, last);
	fields_done(&fields);
}

void tree_rows_json(const struct tree_part *parts, size_t count, FILE *out)
{
	struct fields fields = { .json = true, .out = out };
	uint32_t last = 0;

	fputc('[', out);
	for (size_t i = 0; i < count; i++)
		last = print_part(&parts[i], &fields, last);
	fputs("\n]", out);
	fields_done(&fields);
}
