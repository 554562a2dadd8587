/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/trees/children.h"
#include "aggregate/trees/prune.h"
#include "aggregate/trees/tree.h"
#include "base/xalloc.h"
#include "load/format.h"
#include "load/opened.h"
#include "load/selected_stacks.h"
#include "names/spelling/name_pattern.h"
#include "present/event_line.h"
#include "present/rows/csv.h"
#include "present/rows/json.h"
#include "present/rows/json_header.h"
#include "present/rows/tree_rows.h"
#include "present/text/text_report.h"
#include "present/text/text_tree.h"
#include "present/text/trust.h"
#include "views/graph_calls.h"

static const double threshold_of_text = 0.5;

enum { MAX_PARTS = 2 * PROFILE_MAX_EVENTS };

/* Shares in percent of the functions that match SYMBOL: of all together, and of the heaviest and
 * lightest outermost node, for functions of one name may be in several files. */
struct focus_share {
	double all, heaviest, lightest;
};

struct graph {
	const struct graph_options *options;
	const char *path;
	enum format format;
	struct key_list keys;
	struct opened opened;
	struct call_counts counts;
	struct table *stacks; /* the selection */
	struct places *places;
	bool *focus;				       /* by place; NULL: everything */
	struct focus_share shares[PROFILE_MAX_EVENTS]; /* by event, where needed */
	double least[PROFILE_MAX_EVENTS]; /* least percent of a branch to be shown, by event */
	struct tree_part parts[MAX_PARTS];
	size_t part_count;
};

static void graph_done(struct graph *graph)
{
	for (size_t i = 0; i < graph->part_count; i++) {
		tree_free((struct tree *)graph->parts[i].tree);
		prune_done((struct prune *)graph->parts[i].prune);
		free((struct prune *)graph->parts[i].prune);
	}
	free(graph->focus);
	places_free(graph->places);
	table_free(graph->stacks);
	call_counts_done(&graph->counts);
	opened_done(&graph->opened);
}

/* --calls and --dot show functions. */
static int check_functions(const struct graph_options *options, const char *mode, struct err *err)
{
	if (options->calls && options->dot)
		return err_set(err, -EINVAL, "--calls and --dot cannot be used together");
	if (options->flat || options->inverted)
		return err_set(err, -EINVAL, "%s cannot be used with --flat or --inverted", mode);
	if (options->max_depth)
		return err_set(err, -EINVAL, "%s cannot be used with --max-depth", mode);
	if (options->dot && options->format)
		return err_set(err, -EINVAL, "--dot cannot be used with --format");
	return 0;
}

static int check_modes(const struct graph_options *options, struct err *err)
{
	if (options->counts && !options->calls)
		return err_set(err, -EINVAL, "--counts needs --calls");
	if (options->counts && options->by && strcmp(options->by, "function") != 0)
		return err_set(err, -EINVAL, "--counts needs --by function, not '%s'", options->by);
	if (options->calls || options->dot)
		return check_functions(options, options->calls ? "--calls" : "--dot", err);
	if (options->flat && options->inverted)
		return err_set(err, -EINVAL, "--flat and --inverted cannot be used together");
	if (options->flat && options->symbol)
		return err_set(err, -EINVAL,
			       "--flat shows all functions and takes no SYMBOL ('%s')",
			       options->symbol);
	if (options->inverted && options->symbol)
		return err_set(err, -EINVAL,
			       "--inverted cannot be used with a SYMBOL ('%s'), which shows "
			       "callers anyway",
			       options->symbol);
	if (options->flat && options->max_depth)
		return err_set(err, -EINVAL, "--flat cannot be used with --max-depth");
	return 0;
}

/* Functions are counted over the whole selection. */
static int check_keys(const struct graph *graph, struct err *err)
{
	const struct graph_options *options = graph->options;

	for (size_t i = 0; i < graph->keys.count; i++) {
		const struct key *key = graph->keys.items[i];

		if ((options->calls || options->dot) && !key->of_frame)
			return err_set(err, -EINVAL,
				       "%s needs keys of code, not '%s': choose one of its values "
				       "with --select",
				       options->calls ? "--calls" : "--dot", key->name);
	}
	return 0;
}

static int parse(struct graph *graph, const struct graph_options *options, struct err *err)
{
	int rc = format_parse(options->format, &graph->format, err);

	const char *default_by = options->flat ? "function,image" : "function";

	graph->options = options;
	if (rc == 0)
		rc = check_modes(options, err);
	if (rc == 0)
		rc = keys_parse(options->by ? options->by : default_by, &graph->keys, err);
	if (rc == 0)
		rc = children_check(&graph->keys, err);
	if (rc == 0)
		rc = check_keys(graph, err);
	if (rc == 0)
		rc = opened_name(&graph->opened, &options->names, err);
	return rc < 0 ? rc : opened_choose(&graph->opened, &options->selection, err);
}

int graph_check(const struct graph_options *options, struct err *err)
{
	struct graph graph = { 0 };
	int rc = parse(&graph, options, err);

	graph_done(&graph);
	return rc;
}

static int find_focus(struct graph *graph, struct err *err)
{
	const char *symbol = graph->options->symbol;

	if (!symbol)
		return 0;
	graph->focus = places_match(graph->places, symbol);
	if (graph->focus)
		return 0;
	return err_set(
		err, -ENODATA,
		"no function named '%s' in any stack: 'prospect graph --flat' lists all functions",
		symbol);
}

static struct focus_share focus_share(const struct graph *graph, uint8_t event)
{
	_cleanup_(tree_freep) struct tree *tree =
		tree_new(graph->stacks, graph->places, event, TREE_FROM_ROOTS, graph->focus);
	struct focus_share share = { .all = tree_percent(tree, tree->nodes.items[0].total.weight) };

	share.lightest = share.all;
	for (uint32_t id = 1; id < tree->nodes.count; id++) {
		const struct tree_node *node = &tree->nodes.items[id];
		double percent = tree_percent(tree, node->total.weight);

		if (tree_is_group(tree, id) || (node->parent && !tree_is_group(tree, node->parent)))
			continue;
		if (percent > share.heaviest)
			share.heaviest = percent;
		if (percent < share.lightest)
			share.lightest = percent;
	}
	return share;
}

/* An explicit threshold chooses among the functions of a pattern. Functions of one exact name are
 * always shown. */
static bool keeps_focus(const struct graph *graph)
{
	return graph->focus && graph->options->threshold >= 0 &&
	       !name_pattern_is_glob(graph->options->symbol);
}

/* CSV and JSON hide nothing by default; their reader chooses. */
static bool hides_nothing(const struct graph *graph)
{
	return graph->options->threshold < 0 && graph->format != FORMAT_TEXT;
}

/* With SYMBOL the default is a share of that function's weight. No threshold hides the heaviest
 * function of that name. */
static double least_of(const struct graph *graph, uint8_t event)
{
	const double rounding = 1 - 1e-9;
	double wanted = graph->options->threshold;
	const struct focus_share *share = &graph->shares[event];

	if (hides_nothing(graph))
		return 0;
	if (!graph->focus)
		return wanted < 0 ? threshold_of_text : wanted;
	if (wanted < 0)
		wanted = threshold_of_text * share->all / 100;
	return wanted < share->heaviest ? wanted : share->heaviest * rounding;
}

/* The least percent for nodes of the tree: a light node that is shown anyway needs its callers. */
static double least_to_make(const struct graph *graph, uint8_t event)
{
	double least = graph->least[event], lightest;

	if (!keeps_focus(graph))
		return least;
	lightest = graph->shares[event].lightest * (1 - 1e-9);
	return lightest < least ? lightest : least;
}

static void find_least(struct graph *graph)
{
	for (size_t i = 0; i < graph->opened.profile->event_count; i++) {
		if (!graph->stacks->sums[i].samples)
			continue;
		if (graph->focus && !hides_nothing(graph))
			graph->shares[i] = focus_share(graph, (uint8_t)i);
		graph->least[i] = least_of(graph, (uint8_t)i);
	}
}

static void add_part(struct graph *graph, const char *name, uint8_t event,
		     enum tree_direction direction)
{
	struct prune_limits limits = { .threshold = graph->least[event],
				       .limit = graph->options->limit,
				       .max_depth = graph->options->max_depth,
				       .keep = keeps_focus(graph) ? graph->focus : NULL };
	struct tree *tree = tree_new_above(graph->stacks, graph->places, event, direction,
					   graph->focus, least_to_make(graph, event));
	struct prune *prune = xcalloc(1, sizeof(*prune));

	prune_make(tree, &limits, prune);
	graph->parts[graph->part_count++] = (struct tree_part){ name, tree, prune };
}

static void grow(struct graph *graph)
{
	for (size_t i = 0; i < graph->opened.profile->event_count; i++) {
		uint8_t event = (uint8_t)i;

		if (!graph->stacks->sums[event].samples)
			continue;
		if (graph->focus) {
			add_part(graph, "callers", event, TREE_FROM_LEAVES);
			add_part(graph, "callees", event, TREE_FROM_ROOTS);
		} else if (graph->options->inverted) {
			add_part(graph, "inverted", event, TREE_FROM_LEAVES);
		} else {
			add_part(graph, "tree", event, TREE_FROM_ROOTS);
		}
	}
}

static struct view make_view(const struct graph *graph)
{
	struct view view = opened_view(&graph->opened);

	view.level = VIEW_SCREEN;
	view.columns = graph->options->columns;
	view.colour = graph->options->colour;
	return view;
}

/* Notes that a reader of the tree needs. */
static void print_note(const struct graph *graph, const struct tree_part *part, FILE *out)
{
	if (part->tree->is_short)
		fprintf(out, "Only the first %d nodes are shown.\n", TREE_MAX_NODES);
	if (!graph->opened.completeness.recorded)
		fputs("No stacks were recorded: only innermost functions are shown.\n", out);
	else if (graph->least[part->tree->event] > 0)
		fprintf(out,
			"Branches below %.3g %% (--threshold) are summed as (N more), or omitted "
			"where the sum is below it too.\n",
			graph->least[part->tree->event]);
}

static void print_part(const struct graph *graph, const struct view *view,
		       const struct tree_part *part, FILE *out)
{
	bool callers = strcmp(part->name, "callers") == 0;

	if (strcmp(part->name, "callees") != 0)
		event_line_print(graph->stacks, part->tree->event, out);
	if (graph->focus)
		fprintf(out, callers ? "\nCallers\n" : "\nCallees\n");
	text_tree_print(view, part->tree, part->prune, graph->least[part->tree->event],
			!callers && !graph->options->inverted, out);
	if (!callers)
		print_note(graph, part, out);
}

static void print_tree(const struct graph *graph, const struct view *view, FILE *out)
{
	switch (graph->format) {
	case FORMAT_CSV:
		tree_rows_csv(graph->parts, graph->part_count, out);
		break;
	case FORMAT_JSON:
		fputs("{\"header\":", out);
		json_header_print(view, out);
		fputs(",\n\"rows\":", out);
		tree_rows_json(graph->parts, graph->part_count, out);
		fputs("}\n", out);
		break;
	default:
		trust_print(view, out);
		for (size_t i = 0; i < graph->part_count; i++)
			print_part(graph, view, &graph->parts[i], out);
	}
}

static void print_flat(const struct graph *graph, const struct view *view, FILE *out)
{
	struct table *table = children_new(graph->stacks, &graph->keys);

	table->by_self = true;
	table_finish(table, graph->options->threshold < 0 ? 0 : graph->options->threshold,
		     graph->options->limit);
	if (graph->format == FORMAT_CSV)
		csv_print(table, NULL, out);
	else if (graph->format == FORMAT_JSON)
		json_print(view, table, out);
	else
		text_report_table(view, table, out);
	table_free(table);
}

static int print_calls(struct graph *graph, const struct view *view, FILE *out, struct err *err)
{
	const struct graph_options *options = graph->options;
	const struct graph_calls calls = { .opened = &graph->opened,
					   .stacks = graph->stacks,
					   .places = graph->places,
					   .focus = graph->focus,
					   .path = graph->path,
					   .format = graph->format,
					   .least = graph->least,
					   .limit = options->limit,
					   .counts = options->counts ? &graph->counts : NULL,
					   .counts_file = options->counts,
					   .counts_hold = !view->selection };

	if (options->calls)
		return graph_calls_print(&calls, view, out, err);
	graph_calls_draw(&calls, view, out);
	return 0;
}

static int print(struct graph *graph, FILE *out, struct err *err)
{
	struct view view = make_view(graph);
	struct key_list of_frames = children_frame_keys(&graph->keys);
	int rc;

	if (graph->options->flat) {
		print_flat(graph, &view, out);
		return 0;
	}
	graph->places = places_new(&graph->opened.labels, &of_frames);
	rc = find_focus(graph, err);
	if (rc < 0)
		return rc;
	find_least(graph);
	if (graph->options->calls || graph->options->dot)
		return print_calls(graph, &view, out, err);
	grow(graph);
	print_tree(graph, &view, out);
	return 0;
}

int graph_print(const char *path, const struct graph_options *options, FILE *out, struct err *err)
{
	struct graph graph = { .path = path };
	int rc = parse(&graph, options, err);

	if (rc == 0 && options->counts)
		rc = call_counts_read(options->counts, &graph.counts, err);
	if (rc == 0)
		rc = opened_load(&graph.opened, path, err);
	if (rc == 0)
		rc = selected_stacks(&graph.opened, &graph.keys, false, &graph.stacks, err);
	if (rc == 0)
		rc = print(&graph, out, err);
	if (rc == 0)
		rc = opened_end(out, err);
	graph_done(&graph);
	return rc;
}
