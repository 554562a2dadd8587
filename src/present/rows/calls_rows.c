/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/calls_rows.h"

#include <stdlib.h>
#include <string.h>

struct writer {
	const struct calls_view *view;
	const struct calls *calls;
	struct fields *fields;
	struct buf text;
};

/* One row: which function it is about, and its numbers. */
struct call_row {
	const char *line;
	uint32_t entry, function;
	struct hits self, total;
	uint64_t calls, own_calls;
	bool calls_known, is_arc;
};

static bool has_image_key(const struct places *places)
{
	for (size_t i = 0; i < places->keys.count; i++) {
		if (strcmp(places->keys.items[i]->name, "image") == 0)
			return true;
	}
	return false;
}

void calls_rows_titles(const struct places *places, FILE *out)
{
	fputs("event,entry,line,index,cycle,", out);
	for (size_t i = 0; i < places->keys.count; i++)
		fprintf(out, "%s,", places->keys.items[i]->name);
	if (!has_image_key(places))
		fputs("image,", out);
	fputs("samples,weight,percent,self_samples,self_weight,self_percent,calls,own_calls\n",
	      out);
}

/* For no caller and for a cycle: the first key says which. */
static void add_no_place(struct writer *writer, uint32_t function)
{
	const struct key_list *keys = &writer->calls->tree->places->keys;

	calls_text(writer->calls, function, &writer->text);
	for (size_t i = 0; i < keys->count; i++) {
		if (i)
			fields_nothing(writer->fields, keys->items[i]->name);
		else
			fields_text(writer->fields, keys->items[i]->name, buf_text(&writer->text));
	}
	buf_clear(&writer->text);
	if (!has_image_key(writer->calls->tree->places))
		fields_nothing(writer->fields, "image");
}

static void add_image(struct writer *writer, uint32_t place)
{
	const struct places *places = writer->calls->tree->places;
	uint32_t image = places_image(places, place);

	if (!image) {
		fields_nothing(writer->fields, "image");
		return;
	}
	labels_path(places->labels, image, &writer->text);
	fields_text(writer->fields, "image", buf_text(&writer->text));
	buf_clear(&writer->text);
}

static void add_place(struct writer *writer, uint32_t place)
{
	const struct places *places = writer->calls->tree->places;
	uint32_t frame = places->rows.items[place].frame;

	for (size_t i = 0; i < places->keys.count; i++) {
		const struct key *key = places->keys.items[i];

		key->text(places->labels, key->of_frame(places->labels, frame), &writer->text);
		fields_key(writer->fields, key, buf_text(&writer->text));
		buf_clear(&writer->text);
	}
	if (!has_image_key(places))
		add_image(writer, place);
}

static void add_hits(struct writer *writer, const struct call_row *row)
{
	const struct tree *tree = writer->calls->tree;

	fields_number(writer->fields, "samples", row->total.samples);
	fields_number(writer->fields, "weight", row->total.weight);
	fields_percent(writer->fields, "percent", tree_percent(tree, row->total.weight));
	fields_number(writer->fields, "self_samples", row->self.samples);
	fields_number(writer->fields, "self_weight", row->self.weight);
	fields_percent(writer->fields, "self_percent", tree_percent(tree, row->self.weight));
}

static void add_calls(struct writer *writer, const struct call_row *row)
{
	if (row->calls_known)
		fields_number(writer->fields, "calls", row->calls);
	else
		fields_nothing(writer->fields, "calls");
	if (row->calls_known && !row->is_arc)
		fields_number(writer->fields, "own_calls", row->own_calls);
	else
		fields_nothing(writer->fields, "own_calls");
}

static void print_row(struct writer *writer, const struct call_row *row)
{
	const struct profile *profile = writer->view->view->labels->profile;
	const struct event *event = &profile->events[writer->calls->tree->event];
	bool nobody = row->function == CALLS_NOBODY;
	const struct call_function *function =
		nobody ? NULL : &writer->calls->functions.items[row->function];

	fields_text(writer->fields, "event", profile_text(profile, event->name));
	fields_number(writer->fields, "entry", row->entry);
	fields_text(writer->fields, "line", row->line);
	fields_number(writer->fields, "index", nobody ? 0 : function->rank);
	fields_number(writer->fields, "cycle", nobody ? 0 : function->cycle);
	if (nobody || calls_is_cycle(writer->calls, row->function))
		add_no_place(writer, row->function);
	else
		add_place(writer, row->function);
	add_hits(writer, row);
	add_calls(writer, row);
	fields_end_row(writer->fields);
}

static void print_callers(struct writer *writer, uint32_t entry, uint32_t function)
{
	struct call_list list = calls_callers(writer->calls, function);

	for (size_t i = 0; i < list.count; i++) {
		const struct call_arc *arc = &writer->calls->arcs.items[list.arcs[i]];

		print_row(writer, &(struct call_row){ .line = "caller",
						      .entry = entry,
						      .function = arc->from,
						      .self = arc->caller_self,
						      .total = arc->caller_total,
						      .calls = arc->count,
						      .calls_known = writer->calls->arcs_counted &&
								     arc->from != CALLS_NOBODY,
						      .is_arc = true });
	}
}

/* For a member of a cycle, self has all of its own samples. */
static void print_callees(struct writer *writer, uint32_t entry, uint32_t function)
{
	struct call_list list = calls_callees(writer->calls, function);
	bool members = calls_is_cycle(writer->calls, function);

	for (size_t i = 0; i < list.count; i++) {
		const struct call_arc *arc = &writer->calls->arcs.items[list.arcs[i]];

		print_row(writer, &(struct call_row){ .line = members ? "member" : "callee",
						      .entry = entry,
						      .function = arc->to,
						      .self = arc->callee_self,
						      .total = arc->callee_total,
						      .calls = arc->count,
						      .calls_known = writer->calls->arcs_counted &&
								     !members,
						      .is_arc = true });
	}
}

static void print_entry(struct writer *writer, uint32_t function)
{
	const struct call_function *row = &writer->calls->functions.items[function];

	print_callers(writer, row->rank, function);
	print_row(writer,
		  &(struct call_row){ .line = "function",
				      .entry = row->rank,
				      .function = function,
				      .self = row->self,
				      .total = row->total,
				      .calls = row->calls,
				      .own_calls = row->own_calls,
				      .calls_known = writer->calls->arcs_counted || row->counted });
	print_callees(writer, row->rank, function);
}

void calls_rows_print(const struct calls_view *view, struct fields *fields)
{
	struct writer writer = { .view = view, .calls = view->calls, .fields = fields };
	size_t count;
	uint32_t *entries = calls_view_entries(view, &count);

	for (size_t i = 0; i < count; i++)
		print_entry(&writer, entries[i]);
	free(entries);
	buf_done(&writer.text);
}
