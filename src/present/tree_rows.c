/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/tree_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "present/safe.h"

/* How a row is written: what stands before, between and behind its fields. */
struct form {
	bool json;
	FILE *out;
	bool any; /* a row was printed */
};

struct writer {
	const struct form *form;
	const struct tree_part *part;
	uint32_t *ids;	 /* by node; in the order of printing, from 1 on */
	uint32_t *depth; /* by node */
	uint32_t *group; /* by node: the group it is in, 0: none */
	struct buf line, text;
	bool first; /* the next field is the first of its row */
};

static void begin_field(struct writer *writer, const char *name)
{
	if (!writer->first)
		buf_add_char(&writer->line, ',');
	writer->first = false;
	if (writer->form->json) {
		safe_json(&writer->line, name);
		buf_add_char(&writer->line, ':');
	}
}

static void add_text(struct writer *writer, const char *name, const char *text)
{
	begin_field(writer, name);
	if (writer->form->json)
		safe_json(&writer->line, text);
	else
		safe_csv(&writer->line, text);
}

static void add_number(struct writer *writer, const char *name, uint64_t value)
{
	begin_field(writer, name);
	buf_printf(&writer->line, "%" PRIu64, value);
}

static void add_percent(struct writer *writer, const char *name, double value)
{
	begin_field(writer, name);
	buf_printf(&writer->line, "%.4f", value);
}

/* A key that says nothing of this node: null, or an empty field. */
static void add_nothing(struct writer *writer, const char *name)
{
	begin_field(writer, name);
	if (writer->form->json)
		buf_add_str(&writer->line, "null");
}

/* As in tables: a number that is written in another way than in decimal is a text. */
static void add_value(struct writer *writer, const struct key *key, const char *text)
{
	if (key->kind != KEY_NUMBER || key->number) {
		add_text(writer, key->name, text);
		return;
	}
	begin_field(writer, key->name);
	buf_add_str(&writer->line, text);
}

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
		add_value(writer, tree->stacks->keys.items[i], buf_text(&writer->text));
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
		add_value(writer, key, buf_text(&writer->text));
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
		add_nothing(writer, "image");
		return;
	}
	labels_path(tree->places->labels, image, &writer->text);
	add_text(writer, "image", buf_text(&writer->text));
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
		add_nothing(writer, tree->places->keys.items[i]->name);
	if (own_image)
		add_nothing(writer, "image");
}

static void add_figures(struct writer *writer, uint32_t id)
{
	const struct tree *tree = writer->part->tree;
	const struct tree_node *node = &tree->nodes.items[id];
	const struct profile *profile = tree->places->labels->profile;
	const struct table_sum *sum = &tree->stacks->sums[tree->event];
	struct interval interval = estimate_share((double)node->total.weight, (double)sum->weight,
						  sum->weight_squared);

	add_text(writer, "event", profile_text(profile, profile->events[tree->event].name));
	add_number(writer, "samples", node->total.samples);
	add_number(writer, "weight", node->total.weight);
	add_percent(writer, "percent", tree_percent(tree, node->total.weight));
	add_percent(writer, "low", 100 * interval.low);
	add_percent(writer, "high", 100 * interval.high);
	add_number(writer, "self_samples", node->self.samples);
	add_number(writer, "self_weight", node->self.weight);
	add_percent(writer, "self_percent", tree_percent(tree, node->self.weight));
}

static void add_row(struct writer *writer, uint32_t node)
{
	uint32_t parent = writer->part->tree->nodes.items[node].parent;

	writer->first = true;
	add_text(writer, "part", writer->part->name);
	add_number(writer, "id", writer->ids[node]);
	add_number(writer, "parent", writer->ids[parent]);
	add_number(writer, "depth", writer->depth[node]);
	add_keys(writer, node);
	add_figures(writer, node);
}

static void print_row(struct writer *writer, struct form *form, uint32_t node)
{
	buf_clear(&writer->line);
	if (form->json)
		buf_add_str(&writer->line, form->any ? ",\n{" : "\n{");
	add_row(writer, node);
	buf_add_char(&writer->line, form->json ? '}' : '\n');
	fwrite(writer->line.bytes, 1, writer->line.size, form->out);
	form->any = true;
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
static uint32_t print_part(const struct tree_part *part, struct form *form, uint32_t last)
{
	size_t nodes = part->tree->nodes.count, count;
	uint32_t *order = tree_order(part->tree, part->prune->hidden, &count);
	struct writer writer = { .form = form,
				 .part = part,
				 .ids = xcalloc(nodes, sizeof(uint32_t)),
				 .depth = xcalloc(nodes, sizeof(uint32_t)),
				 .group = xcalloc(nodes, sizeof(uint32_t)) };

	for (size_t i = 1; i < count; i++) {
		writer.ids[order[i]] = ++last;
		place_node(&writer, order[i]);
		print_row(&writer, form, order[i]);
	}
	free(order);
	free(writer.ids);
	free(writer.depth);
	free(writer.group);
	buf_done(&writer.line);
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
	struct form form = { .out = out };
	uint32_t last = 0;

	if (count)
		print_titles(parts[0].tree, out);
	for (size_t i = 0; i < count; i++)
		last = print_part(&parts[i], &form, last);
}

void tree_rows_json(const struct tree_part *parts, size_t count, FILE *out)
{
	struct form form = { .json = true, .out = out };
	uint32_t last = 0;

	fputc('[', out);
	for (size_t i = 0; i < count; i++)
		last = print_part(&parts[i], &form, last);
	fputs("\n]", out);
}
