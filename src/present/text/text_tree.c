/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/trees/tree.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "present/safe.h"
#include "present/tint.h"

enum {
	MAX_LEVELS = 24,    /* of indentation that are drawn */
	LEAST_WIDTH = 20,   /* of a name on a narrow screen, with what follows it */
	LEAST_IN_FILE = 80, /* the same below many callers */
	LEAST_NAME = 8,
	FIGURES_WIDTH = 9, /* of one column with the blanks after it */
};

/* A line held back, because the next one may repeat it. */
struct pending {
	uint32_t first, last; /* nodes, in a chain; 0: none */
	uint32_t times;
	uint64_t self_weight;
};

struct printer {
	const struct view *view;
	const struct tree *tree;
	const struct prune *prune;
	double least;
	bool self;
	FILE *out;
	uint32_t *lines; /* by node: number of lines whose parent it is */
	uint32_t *done;	 /* by node: how many of these were printed */
	uint32_t *level; /* by node: level of indentation */
	VEC(bool) open;	 /* by level: more lines follow */
	VEC(uint32_t) path;
	struct pending pending;
	struct buf line;
	size_t unseen; /* bytes of it that are colours */
};

static bool tells_rest(const struct printer *printer, uint32_t node)
{
	const struct prune_rest *rest = &printer->prune->rest[node];

	return rest->nodes && tree_percent(printer->tree, rest->hits.weight) >= printer->least;
}

static void count_lines(struct printer *printer, const uint32_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t node = order[i];

		if (node)
			printer->lines[printer->tree->nodes.items[node].parent]++;
		printer->lines[node] += tells_rest(printer, node);
	}
}

static void add_figure(struct printer *printer, uint64_t weight)
{
	double percent = tree_percent(printer->tree, weight);
	bool colour = printer->view->screen.colour;
	enum tint tint = tint_of_share(percent);

	buf_printf(&printer->line, "%s%7.2f  %s", tint_begin(colour, tint), percent,
		   tint_end(colour, tint));
	printer->unseen += strlen(tint_begin(colour, tint)) + strlen(tint_end(colour, tint));
}

/* Draws the lines that lead down to a line of this level. */
static void add_guides(struct printer *printer, uint32_t level, bool begins)
{
	uint32_t drawn = level - begins;

	if (level > MAX_LEVELS) {
		buf_printf(&printer->line, "[level %" PRIu32 "] ", level);
		drawn = 0;
	}
	for (uint32_t i = 1; i <= drawn; i++)
		buf_add_str(&printer->line, printer->open.items[i] ? "|  " : "   ");
	if (begins)
		buf_add_str(&printer->line, printer->open.items[level] ? "|- " : "`- ");
}

/* Begins a line below @parent. Returns its level; *ret_begins: the line starts a new level. */
static uint32_t begin_line(struct printer *printer, uint32_t parent, bool *ret_begins)
{
	bool chain = printer->lines[parent] == 1;
	uint32_t level = printer->level[parent] + !chain;

	printer->done[parent]++;
	while (printer->open.count <= level)
		*vec_push(&printer->open) = false;
	if (!chain)
		printer->open.items[level] = printer->done[parent] < printer->lines[parent];
	*ret_begins = !chain;
	return level;
}

static size_t room(const struct printer *printer)
{
	size_t used = safe_width(buf_text(&printer->line)) - printer->unseen;
	size_t screen = screen_names_width(&printer->view->screen);
	size_t least = printer->view->screen.columns ? LEAST_WIDTH : LEAST_IN_FILE;

	if (!screen)
		return SIZE_MAX;
	return screen > used + least ? screen - used : least;
}

static bool is_cut(const struct tree *tree, uint32_t node)
{
	return node && !tree_is_group(tree, node) &&
	       places_is_cut(tree->places, tree->nodes.items[node].place);
}

/* The file, unless the caller is in the same one or the name shows it. */
static void add_image(const struct printer *printer, uint32_t node, const char *name,
		      struct buf *text)
{
	const struct tree *tree = printer->tree;
	uint32_t image = tree_image(tree, node);
	struct buf path = { 0 };

	if (!image || image == tree_image(tree, tree->nodes.items[node].parent) ||
	    is_cut(tree, node) || places_tell_image(tree->places))
		return;
	labels_path(tree->places->labels, image, &path);
	if (strcmp(name, buf_text(&path)) != 0)
		buf_printf(text, *buf_text(&path) == '[' ? "  %s" : "  [%s]",
			   file_base(buf_text(&path)));
	buf_done(&path);
}

/* A name that is too long is shortened in the middle, so that what follows it stays. */
static void add_name(struct printer *printer, const struct pending *pending)
{
	bool red = is_cut(printer->tree, pending->first);
	struct buf name = { 0 }, rest = { 0 }, safe = { 0 };
	size_t width = room(printer), after;

	tree_text(printer->tree, pending->first, &name);
	if (pending->times > 1)
		buf_printf(&rest, "  (%" PRIu32 " times)", pending->times);
	add_image(printer, pending->first, buf_text(&name), &rest);
	safe_text(&safe, buf_text(&rest));
	after = safe_width(buf_text(&safe));
	buf_clear(&rest);
	safe_text_middle(&rest, buf_text(&name),
			 width > after + LEAST_NAME ? width - after : LEAST_NAME);
	buf_add_str(&rest, buf_text(&safe));
	tint_add(&printer->line, printer->view->screen.colour, red ? TINT_HOT : TINT_NONE,
		 buf_text(&rest));
	buf_done(&name);
	buf_done(&rest);
	buf_done(&safe);
}

static void end_line(struct printer *printer)
{
	buf_add_char(&printer->line, '\n');
	fwrite(printer->line.bytes, 1, printer->line.size, printer->out);
	buf_clear(&printer->line);
	printer->unseen = 0;
}

static void print_pending(struct printer *printer)
{
	struct pending pending = printer->pending;
	const struct tree_node *node = &printer->tree->nodes.items[pending.first];
	uint32_t level;
	bool begins;

	if (!pending.first)
		return;
	printer->pending = (struct pending){ 0 };
	level = begin_line(printer, node->parent, &begins);
	printer->level[pending.first] = printer->level[pending.last] = level;
	add_figure(printer, node->total.weight);
	if (printer->self)
		add_figure(printer, pending.self_weight);
	add_guides(printer, level, begins);
	add_name(printer, &pending);
	end_line(printer);
}

static void print_rest(struct printer *printer, uint32_t parent)
{
	const struct prune_rest *rest = &printer->prune->rest[parent];
	uint32_t level;
	bool begins;

	print_pending(printer);
	level = begin_line(printer, parent, &begins);
	add_figure(printer, rest->hits.weight);
	if (printer->self)
		buf_printf(&printer->line, "%*s", FIGURES_WIDTH, "");
	add_guides(printer, level, begins);
	buf_printf(&printer->line, "(%" PRIu32 " more)", rest->nodes);
	end_line(printer);
}

/* All shown nodes below @end are printed: prints the lines for hidden ones. */
static void leave(struct printer *printer, uint32_t end)
{
	while (printer->path.count && printer->path.items[printer->path.count - 1] != end) {
		uint32_t left = printer->path.items[--printer->path.count];

		if (tells_rest(printer, left))
			print_rest(printer, left);
	}
}

/* True if the node only repeats the line held back. */
static bool repeats(const struct printer *printer, uint32_t node)
{
	const struct tree_node *nodes = printer->tree->nodes.items;
	uint32_t parent = nodes[node].parent;

	/* An only child directly follows its parent. */
	return parent && printer->lines[parent] == 1 && nodes[node].place == nodes[parent].place;
}

static void take(struct printer *printer, uint32_t node)
{
	const struct tree_node *row = &printer->tree->nodes.items[node];

	leave(printer, row->parent);
	if (repeats(printer, node)) {
		printer->pending.last = node;
		printer->pending.times++;
		printer->pending.self_weight += row->self.weight;
	} else {
		print_pending(printer);
		printer->pending = (struct pending){ node, node, 1, row->self.weight };
	}
	*vec_push(&printer->path) = node;
}

static void print_titles(const struct printer *printer)
{
	const struct key_list *keys = &printer->tree->places->keys;

	fputs("Total %  ", printer->out);
	if (printer->self)
		fputs(" Self %  ", printer->out);
	for (size_t i = 0; i < keys->count; i++)
		fprintf(printer->out, "%s%s", i ? ", " : "", keys->items[i]->name);
	fputc('\n', printer->out);
}

static void printer_done(struct printer *printer)
{
	free(printer->lines);
	free(printer->done);
	free(printer->level);
	vec_free(&printer->open);
	vec_free(&printer->path);
	buf_done(&printer->line);
}

void text_tree_print(const struct view *view, const struct tree *tree, const struct prune *prune,
		     double least, bool self, FILE *out)
{
	struct printer printer = { .view = view,
				   .tree = tree,
				   .prune = prune,
				   .least = least,
				   .self = self,
				   .out = out,
				   .lines = xcalloc(tree->nodes.count, sizeof(uint32_t)),
				   .done = xcalloc(tree->nodes.count, sizeof(uint32_t)),
				   .level = xcalloc(tree->nodes.count, sizeof(uint32_t)) };
	size_t count;
	uint32_t *order = tree_order(tree, prune->hidden, &count);

	count_lines(&printer, order, count);
	print_titles(&printer);
	*vec_push(&printer.path) = 0;
	for (size_t i = 1; i < count; i++)
		take(&printer, order[i]);
	leave(&printer, 0);
	print_pending(&printer);
	if (tells_rest(&printer, 0))
		print_rest(&printer, 0);
	free(order);
	printer_done(&printer);
}
