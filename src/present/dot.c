/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/calls_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "aggregate/account/account.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "present/figures.h"
#include "present/safe.h"

enum {
	NAME_WIDTH = 60,  /* characters of a name in its box */
	TIP_WIDTH = 1000, /* and in its tooltip */
};

struct drawing {
	const struct calls_view *view;
	const struct calls *calls;
	FILE *out;
	bool *drawn; /* by function */
	struct buf text, safe;
};

/* Appends to a quoted text: escapes what would end it, and what Graphviz takes for escapes and HTML
 * entities. */
static void add_quoted(struct buf *buf, const char *text)
{
	for (; *text; text++) {
		if (*text == '&') {
			buf_add_str(buf, "&amp;");
			continue;
		}
		if (*text == '"' || *text == '\\')
			buf_add_char(buf, '\\');
		buf_add_char(buf, *text);
	}
}

/* Prints drawing->text, made safe and cut to @width, and empties it. */
static void print_quoted(struct drawing *drawing, size_t width)
{
	struct buf quoted = { 0 };

	safe_text_cut(&drawing->safe, buf_text(&drawing->text), width);
	add_quoted(&quoted, buf_text(&drawing->safe));
	fputs(buf_text(&quoted), drawing->out);
	buf_done(&quoted);
	buf_clear(&drawing->safe);
	buf_clear(&drawing->text);
}

static double share(const struct drawing *drawing, uint64_t weight)
{
	return tree_percent(drawing->calls->tree, weight) / 100;
}

static void add_name(struct drawing *drawing, uint32_t function)
{
	calls_text(drawing->calls, function, &drawing->text);
}

static void print_image(struct drawing *drawing, uint32_t function)
{
	const struct places *places = drawing->calls->tree->places;
	uint32_t image = places_image(places, function);
	struct buf path = { 0 };

	if (!image)
		return;
	labels_path(places->labels, image, &path);
	buf_add_str(&drawing->text, file_base(buf_text(&path)));
	buf_done(&path);
	fputs("\\n", drawing->out);
	print_quoted(drawing, NAME_WIDTH);
}

/* The side of a square whose area is the share. */
static double side_of(double part)
{
	return sqrt(part < 1 ? part : 1);
}

static void print_function(struct drawing *drawing, uint32_t function)
{
	const struct call_function *row = &drawing->calls->functions.items[function];
	double self = share(drawing, row->self.weight), total = share(drawing, row->total.weight);

	fprintf(drawing->out, "  f%" PRIu32 " [label=\"", function);
	add_name(drawing, function);
	print_quoted(drawing, NAME_WIDTH);
	if (!calls_is_cut(drawing->calls, function))
		print_image(drawing, function);
	fprintf(drawing->out, "\\n%.2f %%", 100 * self);
	if (row->total.weight != row->self.weight)
		fprintf(drawing->out, " of %.2f %%", 100 * total);
	fputs("\", tooltip=\"", drawing->out);
	add_name(drawing, function);
	print_quoted(drawing, TIP_WIDTH);
	fprintf(drawing->out, "\", fontsize=%.1f, fillcolor=\"0.03 %.3f 1.0\"%s];\n",
		9 + 27 * side_of(self), 0.05 + 0.75 * side_of(total),
		calls_is_cut(drawing->calls, function) ? ", style=\"filled,dashed\"" : "");
}

static void print_arc(struct drawing *drawing, const struct call_arc *arc)
{
	double part = share(drawing, arc->seen.weight);

	if (arc->from == CALLS_NO_CALLER || !drawing->drawn[arc->from] || !drawing->drawn[arc->to])
		return;
	if (100 * part < drawing->view->threshold)
		return;
	fprintf(drawing->out,
		"  f%" PRIu32 " -> f%" PRIu32
		" [label=\"%.2f %%\", penwidth=%.2f, weight=%d, color=\"0.03 %.3f 0.6\"];\n",
		arc->from, arc->to, 100 * part, 0.6 + 7 * part, 1 + (int)(100 * part),
		0.2 + 0.8 * side_of(part));
}

static void print_title(struct drawing *drawing, size_t nodes, size_t left_out)
{
	const struct tree *tree = drawing->calls->tree;
	const struct profile *profile = drawing->view->view->labels->profile;
	const struct table_sum *sum = &tree->stacks->sums[tree->event];

	fputs("  label=\"", drawing->out);
	buf_add_str(&drawing->text, profile->run.command && *profile->run.command
					    ? profile->run.command
					    : drawing->view->file);
	print_quoted(drawing, TIP_WIDTH);
	fputs("\\n", drawing->out);
	figures_samples(&drawing->text, sum->samples);
	buf_printf(&drawing->text, " of %s",
		   profile_text(profile, profile->events[tree->event].name));
	buf_add_str(&drawing->text, scope_words(profile, drawing->view->view->scope));
	if (account_is_time(profile, tree->event)) {
		buf_add_str(&drawing->text, ", ");
		figures_seconds(&drawing->text, sum->weight);
	}
	if (drawing->view->view->selection)
		buf_printf(&drawing->text, "; selected by %s", drawing->view->view->selection);
	buf_printf(&drawing->text, "; %zu functions, %zu smaller ones omitted", nodes, left_out);
	print_quoted(drawing, TIP_WIDTH);
	fputs("\";\n", drawing->out);
}

/* Chooses the heaviest functions that reach the threshold. Cycles are not drawn, but their members
 * are. */
static size_t choose(struct drawing *drawing, size_t *ret_left_out)
{
	const struct calls *calls = drawing->calls;
	size_t drawn = 0, left_out = 0, count;
	uint32_t *order = calls_order(calls, &count);

	for (size_t i = 0; i < count; i++) {
		const struct call_function *row = &calls->functions.items[order[i]];
		bool fits = !drawing->view->limit || drawn < drawing->view->limit;

		if (calls_is_cycle(calls, order[i]))
			continue;
		drawing->drawn[order[i]] =
			fits && 100 * share(drawing, row->total.weight) >= drawing->view->threshold;
		drawn += drawing->drawn[order[i]];
		left_out += !drawing->drawn[order[i]];
	}
	free(order);
	*ret_left_out = left_out;
	return drawn;
}

static void choose_cuts(struct drawing *drawing)
{
	const struct calls *calls = drawing->calls;

	for (uint32_t i = 0; i < calls->tree->places->rows.count; i++) {
		uint64_t weight = calls->functions.items[i].total.weight;

		if (weight && calls_is_cut(calls, i))
			drawing->drawn[i] =
				100 * share(drawing, weight) >= drawing->view->threshold;
	}
}

void dot_print(const struct calls_view *view, FILE *out)
{
	struct drawing drawing = { .view = view,
				   .calls = view->calls,
				   .out = out,
				   .drawn = xcalloc(view->calls->functions.count, sizeof(bool)) };
	size_t left_out, nodes = choose(&drawing, &left_out);

	choose_cuts(&drawing);
	fputs("digraph prospect {\n", out);
	print_title(&drawing, nodes, left_out);
	fputs("  labelloc=t; node [shape=box, style=filled, fontname=\"sans-serif\"];"
	      " edge [fontname=\"sans-serif\", fontsize=9];\n",
	      out);
	for (uint32_t i = 0; i < view->calls->functions.count; i++) {
		if (drawing.drawn[i])
			print_function(&drawing, i);
	}
	for (size_t i = 0; i < view->calls->arcs.count; i++) {
		const struct call_arc *arc = &view->calls->arcs.items[i];

		if (!calls_is_cycle(view->calls, arc->from) &&
		    !calls_is_cycle(view->calls, arc->to))
			print_arc(&drawing, arc);
	}
	fputs("}\n", out);
	free(drawing.drawn);
	buf_done(&drawing.text);
	buf_done(&drawing.safe);
}
