/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/tree_rows.h"

#include <stdlib.h>

#include "aggregate/trees/tree.h"
#include "base/xalloc.h"

static void print_place_titles(const struct places *places, FILE *out)
{
	for (size_t i = 0; i < places->keys.count; i++)
		fprintf(out, "%s,", places->keys.items[i]->name);
	if (!places_tell_image(places))
		fputs("image,", out);
}

static void add_place(struct fields *fields, const struct places *places, uint32_t place)
{
	uint32_t frame = places->rows.items[place].frame, image = places_image(places, place);

	for (size_t i = 0; i < places->keys.count; i++) {
		const struct key *key = places->keys.items[i];

		buf_clear(&fields->text);
		key->text(places->labels, key->of_frame(places->labels, frame), &fields->text);
		fields_key(fields, key, buf_text(&fields->text));
	}
	if (places_tell_image(places))
		return;
	buf_clear(&fields->text);
	if (image) {
		labels_path(places->labels, image, &fields->text);
		fields_text(fields, "image", buf_text(&fields->text));
	} else {
		fields_nothing(fields, "image");
	}
}

/* The fields of a place for what has none. @text: of the first; NULL: nothing. */
static void add_no_place(struct fields *fields, const struct places *places, const char *text)
{
	for (size_t i = 0; i < places->keys.count; i++) {
		if (i || !text)
			fields_nothing(fields, places->keys.items[i]->name);
		else
			fields_text(fields, places->keys.items[i]->name, text);
	}
	if (!places_tell_image(places))
		fields_nothing(fields, "image");
}

static void add_hits(struct fields *fields, const struct tree *tree, const struct hits *total)
{
	fields_number(fields, "samples", total->samples);
	fields_number(fields, "weight", total->weight);
	fields_percent(fields, "percent", tree_percent(tree, total->weight));
}

static void add_self(struct fields *fields, const struct tree *tree, const struct hits *self)
{
	fields_number(fields, "self_samples", self->samples);
	fields_number(fields, "self_weight", self->weight);
	fields_percent(fields, "self_percent", tree_percent(tree, self->weight));
}

static void add_event(struct fields *fields, const struct tree *tree)
{
	const struct profile *profile = tree->places->labels->profile;

	fields_text(fields, "event", profile_text(profile, profile->events[tree->event].name));
}

/* ---- trees ---- */

struct writer {
	struct fields *fields;
	const struct tree_part *part;
	uint32_t *ids;	 /* by node; in order of printing, from 1 on */
	uint32_t *depth; /* by node */
	uint32_t *group; /* by node: its group; 0: none */
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
		buf_clear(&writer->fields->text);
		table_text(tree->stacks, row, i, &writer->fields->text);
		fields_key(writer->fields, tree->stacks->keys.items[i],
			   buf_text(&writer->fields->text));
	}
}

static void add_row(struct writer *writer, uint32_t id)
{
	struct fields *fields = writer->fields;
	const struct tree *tree = writer->part->tree;
	const struct tree_node *node = &tree->nodes.items[id];
	const struct table_sum *sum = &tree->stacks->sums[tree->event];
	struct interval interval = estimate_share((double)node->total.weight, (double)sum->weight,
						  sum->weight_squared);

	fields_text(fields, "part", writer->part->name);
	fields_number(fields, "id", writer->ids[id]);
	fields_number(fields, "parent", writer->ids[node->parent]);
	fields_number(fields, "depth", writer->depth[id]);
	add_group_keys(writer, id);
	if (tree_is_group(tree, id))
		add_no_place(fields, tree->places, NULL);
	else
		add_place(fields, tree->places, node->place);
	add_event(fields, tree);
	add_hits(fields, tree, &node->total);
	fields_percent(fields, "low", 100 * interval.low);
	fields_percent(fields, "high", 100 * interval.high);
	add_self(fields, tree, &node->self);
	fields_end_row(fields);
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
	}
	free(order);
	free(writer.ids);
	free(writer.depth);
	free(writer.group);
	return last;
}

static void print_titles(const struct tree *tree, FILE *out)
{
	const struct key_list *groups = &tree->stacks->keys;

	fputs("part,id,parent,depth,", out);
	for (size_t i = 0; i + 1 < groups->count; i++)
		fprintf(out, "%s,", groups->items[i]->name);
	print_place_titles(tree->places, out);
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

/* ---- call graphs ---- */

struct calls_writer {
	const struct calls *calls;
	struct fields *fields;
};

/* One row: which function it is about, and its numbers. */
struct call_row {
	const char *line;
	uint32_t entry, function;
	struct hits self, total;
	uint64_t calls, own_calls;
	bool calls_known, is_arc;
};

void tree_rows_call_titles(const struct places *places, FILE *out)
{
	fputs("event,entry,line,index,cycle,", out);
	print_place_titles(places, out);
	fputs("samples,weight,percent,self_samples,self_weight,self_percent,calls,own_calls\n",
	      out);
}

static void add_calls(struct fields *fields, const struct call_row *row)
{
	if (row->calls_known)
		fields_number(fields, "calls", row->calls);
	else
		fields_nothing(fields, "calls");
	if (row->calls_known && !row->is_arc)
		fields_number(fields, "own_calls", row->own_calls);
	else
		fields_nothing(fields, "own_calls");
}

static void print_row(struct calls_writer *writer, const struct call_row *row)
{
	struct fields *fields = writer->fields;
	const struct tree *tree = writer->calls->tree;
	bool no_caller = row->function == CALLS_NO_CALLER;
	const struct call_function *function =
		no_caller ? NULL : &writer->calls->functions.items[row->function];

	add_event(fields, tree);
	fields_number(fields, "entry", row->entry);
	fields_text(fields, "line", row->line);
	fields_number(fields, "index", no_caller ? 0 : function->rank);
	fields_number(fields, "cycle", no_caller ? 0 : function->cycle);
	/* For no caller and for a cycle the first key says which. */
	if (no_caller || calls_is_cycle(writer->calls, row->function)) {
		buf_clear(&fields->text);
		calls_text(writer->calls, row->function, &fields->text);
		add_no_place(fields, tree->places, buf_text(&fields->text));
	} else {
		add_place(fields, tree->places, row->function);
	}
	add_hits(fields, tree, &row->total);
	add_self(fields, tree, &row->self);
	add_calls(fields, row);
	fields_end_row(fields);
}

/* For a member of a cycle, self has all of its own samples. */
static void print_arcs(struct calls_writer *writer, uint32_t entry, uint32_t function, bool callers)
{
	bool members = !callers && calls_is_cycle(writer->calls, function);
	struct call_list list = callers ? calls_callers(writer->calls, function)
					: calls_callees(writer->calls, function);

	for (size_t i = 0; i < list.count; i++) {
		const struct call_arc *arc = &writer->calls->arcs.items[list.arcs[i]];
		struct call_row row = {
			.line = callers	  ? "caller"
				: members ? "member"
					  : "callee",
			.entry = entry,
			.function = callers ? arc->from : arc->to,
			.self = callers ? arc->caller_self : arc->callee_self,
			.total = callers ? arc->caller_total : arc->callee_total,
			.calls = arc->count,
			.calls_known = writer->calls->arcs_counted && !members &&
				       !(callers && arc->from == CALLS_NO_CALLER),
			.is_arc = true,
		};

		print_row(writer, &row);
	}
}

static void print_entry(struct calls_writer *writer, uint32_t function)
{
	const struct call_function *row = &writer->calls->functions.items[function];

	print_arcs(writer, row->rank, function, true);
	print_row(writer,
		  &(struct call_row){ .line = "function",
				      .entry = row->rank,
				      .function = function,
				      .self = row->self,
				      .total = row->total,
				      .calls = row->calls,
				      .own_calls = row->own_calls,
				      .calls_known = writer->calls->arcs_counted || row->counted });
	print_arcs(writer, row->rank, function, false);
}

void tree_rows_calls(const struct calls_view *view, struct fields *fields)
{
	struct calls_writer writer = { view->calls, fields };
	size_t count;
	uint32_t *entries = calls_view_entries(view, &count);

	for (size_t i = 0; i < count; i++)
		print_entry(&writer, entries[i]);
	free(entries);
}
