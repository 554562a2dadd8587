/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/near_values.h"
#include "aggregate/trees/calls.h"
#include "aggregate/trees/children.h"
#include "aggregate/trees/prune.h"
#include "aggregate/trees/tree.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "load/opened.h"
#include "load/output.h"
#include "names/spelling/name_pattern.h"
#include "present/calls_view.h"
#include "present/paragraph.h"
#include "present/rows/json_header.h"
#include "present/rows/table_rows.h"
#include "present/rows/tree_rows.h"
#include "present/text/text_report.h"
#include "present/text/text_tree.h"
#include "views/call_counts.h"

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
	int rc = output_format(options->format, &graph->format, err);

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
	if (rc < 0)
		return rc;
	return opened_choose(&graph->opened, &options->selection,
			     graph->format == FORMAT_TEXT ? SCOPE_COMMAND : SCOPE_MACHINE, err);
}

int graph_check(const struct graph_options *options, struct err *err)
{
	struct graph graph = { 0 };
	int rc = parse(&graph, options, err);

	graph_done(&graph);
	return rc;
}

/* The functions that the user may have meant. */
static int tell_near(const struct graph *graph, const char *symbol, struct err *err)
{
	struct near_values near = { 0 };
	struct buf text = { 0 };

	for (uint32_t place = 0; place < graph->places->rows.count; place++) {
		if (places_is_cut(graph->places, place))
			continue;
		buf_clear(&text);
		places_text(graph->places, place, &text);
		near_values_add(&near, symbol, buf_text(&text));
	}
	buf_clear(&text);
	near_values_text(&near, &text);
	near_values_done(&near);
	err_set(err, -ENODATA, "no function named '%s' in any stack%s", symbol,
		text.size ? buf_text(&text) : ": 'prospect graph --flat' lists all functions");
	buf_done(&text);
	return -ENODATA;
}

static int find_focus(struct graph *graph, struct err *err)
{
	const char *symbol = graph->options->symbol;

	if (!symbol)
		return 0;
	graph->focus = places_match(graph->places, symbol);
	return graph->focus ? 0 : tell_near(graph, symbol, err);
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

/* SYMBOL may be a function of other processes. */
static int check_focus(const struct graph *graph, struct err *err)
{
	bool found = !graph->focus || hides_nothing(graph);

	for (size_t i = 0; i < graph->opened.profile->event_count; i++)
		found = found || graph->shares[i].all > 0;
	if (found || graph->opened.scope != SCOPE_COMMAND)
		return 0;
	return err_set(err, -ENODATA,
		       "no function named '%s' in any stack%s: use --machine to look at everything "
		       "recorded",
		       graph->options->symbol,
		       scope_words(graph->opened.profile, graph->opened.scope));
}

static void add_part(struct graph *graph, const char *name, uint8_t event,
		     enum tree_direction direction)
{
	struct prune_limits limits = { .threshold = graph->least[event],
				       .limit = (size_t)graph->options->limit,
				       .max_depth = (size_t)graph->options->max_depth,
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
	view.screen = graph->options->screen;
	return view;
}

/* Notes that a reader of the tree needs. */
static void print_note(const struct graph *graph, const struct tree_part *part, FILE *out)
{
	struct buf text = { 0 };

	if (part->tree->is_short)
		fprintf(out, "Only the first %d nodes are shown.\n", TREE_MAX_NODES);
	if (!graph->opened.completeness.recorded)
		buf_add_str(&text, "No stacks were recorded: only innermost functions are shown.");
	else if (graph->least[part->tree->event] > 0)
		buf_printf(&text,
			   "Branches below %.3g %% (--threshold) are summed as (N more), or "
			   "omitted where the sum is below it too.",
			   graph->least[part->tree->event]);
	if (text.size)
		paragraph_text(buf_text(&text), &graph->options->screen, out);
	buf_done(&text);
}

static void print_part(const struct graph *graph, const struct view *view,
		       const struct tree_part *part, FILE *out)
{
	bool callers = strcmp(part->name, "callers") == 0;

	if (strcmp(part->name, "callees") != 0)
		text_report_event(view, graph->stacks, part->tree->event, out);
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
		text_report_head(view, out);
		for (size_t i = 0; i < graph->part_count; i++)
			print_part(graph, view, &graph->parts[i], out);
		if (!graph->part_count)
			text_report_nothing(view, out);
	}
}

static void print_flat(const struct graph *graph, const struct view *view, FILE *out)
{
	struct table *table = children_new(graph->stacks, &graph->keys);

	table->by_self = true;
	table_finish(table, graph->options->threshold < 0 ? 0 : graph->options->threshold,
		     (size_t)graph->options->limit);
	if (graph->format == FORMAT_CSV)
		table_rows_csv(table, NULL, true, out);
	else if (graph->format == FORMAT_JSON)
		table_rows_json(view, table, out);
	else
		text_report_table(view, table, out);
	table_free(table);
}

/* ---- calls: forms that show functions, not paths ---- */

enum {
	PLT_UNSEEN = 0,		  /* by place; else the place that it jumps to, plus 1 */
	PLT_SEVERAL = UINT32_MAX, /* jumps to several, or first to the dynamic linker */
};

/* Counts calls from branch records. */
struct counting {
	const struct graph *graph;
	struct calls *calls;
	uint8_t event;
	uint32_t *plt_target; /* by place */
	uint64_t cycles;
};

static const struct symbol *symbol_of(const struct graph *graph, uint32_t frame)
{
	const struct profile *profile = graph->opened.profile;

	return &profile->symbols.items[profile->frames.items[frame].symbol];
}

/* True if the branch leads to the start of a function. Others are loops, returns and the like. */
static bool is_call(const struct counting *counting, const struct branch *branch)
{
	const struct frame *to = &counting->graph->opened.profile->frames.items[branch->to];
	const struct symbol *symbol = symbol_of(counting->graph, branch->to);

	if (branch->event != counting->event || !to->symbol)
		return false;
	return (symbol->kind == SYMBOL_NAMED || symbol->kind == SYMBOL_PLT) &&
	       to->address == symbol->start;
}

static uint32_t place_of(const struct counting *counting, uint32_t frame)
{
	return counting->graph->places->of_frame[frame];
}

static bool is_plt(const struct counting *counting, uint32_t frame)
{
	return symbol_of(counting->graph, frame)->kind == SYMBOL_PLT;
}

static void take_plt(void *context, const struct branch *branch)
{
	struct counting *counting = context;
	uint32_t *target = &counting->plt_target[place_of(counting, branch->from)];
	uint32_t here = place_of(counting, branch->to) + 1;

	if (!is_call(counting, branch) || !is_plt(counting, branch->from) ||
	    is_plt(counting, branch->to))
		return;
	*target = *target == PLT_UNSEEN || *target == here ? here : PLT_SEVERAL;
}

/* Entries of the procedure linkage table are not functions: a call of one is a call of its
 * target. */
static void take_call(void *context, const struct branch *branch)
{
	struct counting *counting = context;
	uint32_t from = place_of(counting, branch->from), to = place_of(counting, branch->to);
	uint32_t target = counting->plt_target[to];

	if (branch->event == counting->event)
		counting->cycles += branch->cycles;
	if (!is_call(counting, branch))
		return;
	if (is_plt(counting, branch->from) && counting->plt_target[from] != PLT_UNSEEN &&
	    counting->plt_target[from] != PLT_SEVERAL)
		return;
	if (is_plt(counting, branch->to) && target != PLT_UNSEEN && target != PLT_SEVERAL)
		to = target - 1;
	calls_add_count(counting->calls, from, to, branch->count);
}

static int count_calls(struct counting *counting, struct err *err)
{
	const struct opened *opened = &counting->graph->opened;
	int rc;

	counting->plt_target =
		xcalloc(counting->graph->places->rows.count, sizeof(*counting->plt_target));
	rc = parts_each_branch(opened->parts, take_plt, counting, err);
	if (rc == 0)
		rc = parts_each_branch(opened->parts, take_call, counting, err);
	free(counting->plt_target);
	return rc;
}

/* If branches have cycles between them, and cycles were sampled, the recorded branches are a known
 * part of all: returns the ratio of all cycles to theirs. 0: unknown. */
static double calls_for_each(const struct counting *counting)
{
	const struct profile *profile = counting->graph->opened.profile;
	const char *name = profile_text(profile, profile->events[counting->event].name);
	uint64_t weight = counting->graph->stacks->sums[counting->event].weight;

	if (!counting->cycles || counting->cycles > weight || !strstr(name, "cycles"))
		return 0;
	return (double)weight / (double)counting->cycles;
}

/* The image's file as a watch names it: "" for the kernel, modules without brackets. */
static void add_watched_file(const struct graph *graph, const struct symbol *symbol,
			     struct buf *file)
{
	const struct profile *profile = graph->opened.profile;
	const struct image *image = &profile->images.items[symbol->image];
	const char *base = file_base(profile_text(profile, image->path));

	if (image->kind == IMAGE_KERNEL)
		return;
	buf_add_str(file, image->kind == IMAGE_MODULE && *base == '[' ? base + 1 : base);
	if (image->kind == IMAGE_MODULE && file->size && file->bytes[file->size - 1] == ']')
		file->bytes[--file->size] = '\0';
}

/* Finds the calls of a function by its linker name or its readable name. */
static bool find_count(const struct graph *graph, const struct symbol *symbol,
		       uint64_t *ret_entries, uint64_t *ret_nested)
{
	const char *name = profile_text(graph->opened.profile, symbol->name);
	struct buf file = { 0 }, text = { 0 };
	bool found;

	add_watched_file(graph, symbol, &file);
	labels_name(&graph->opened.labels, symbol->name, &text);
	found = call_counts_find(&graph->counts, buf_text(&file), name, ret_entries, ret_nested) ||
		call_counts_find(&graph->counts, buf_text(&file), buf_text(&text), ret_entries,
				 ret_nested);
	buf_done(&text);
	buf_done(&file);
	return found;
}

/* Sets the calls that a watch counted. Returns whether it counted any of these functions. */
static bool set_counts(const struct graph *graph, struct calls *calls)
{
	bool any = false;

	for (uint32_t place = 0; place < graph->places->rows.count; place++) {
		const struct symbol *symbol =
			symbol_of(graph, graph->places->rows.items[place].frame);
		uint64_t entries, nested;

		if (symbol->kind != SYMBOL_NAMED || !find_count(graph, symbol, &entries, &nested))
			continue;
		calls_set_count(calls, place, entries - nested, nested);
		any = true;
	}
	return any;
}

/* Prints one event and returns 0, or a negative errno if branches cannot be read. */
static int print_event(const struct graph *graph, const struct view *view, uint8_t event,
		       struct fields *fields, uint64_t branches, struct err *err)
{
	_cleanup_(tree_freep) struct tree *tree =
		tree_new(graph->stacks, graph->places, event, TREE_FROM_ROOTS, NULL);
	_cleanup_(calls_freep) struct calls *calls = calls_new(tree, NULL);
	struct counting counting = { .graph = graph, .calls = calls, .event = event };
	struct calls_view shown = { .view = view,
				    .calls = calls,
				    .file = graph->path,
				    .threshold = graph->least[event],
				    .limit = (size_t)graph->options->limit,
				    .focus = graph->focus,
				    .counts_file = graph->options->counts };
	bool recorded = !view->selection && !graph->options->counts;
	int rc = recorded ? count_calls(&counting, err) : 0;

	if (!recorded && !graph->options->counts && branches)
		shown.count_problem =
			"Recorded calls cannot be selected: their numbers are omitted.";
	if (rc < 0)
		return rc;
	shown.each = graph->options->counts ? 1 : calls_for_each(&counting);
	calls_finish(calls);
	if (graph->options->counts && !set_counts(graph, calls))
		shown.count_problem = "The --counts file has no function of this profile.";
	if (graph->format == FORMAT_TEXT)
		text_calls_print(&shown, fields->out);
	else
		tree_rows_calls(&shown, fields);
	return 0;
}

static void count_branch(void *context, const struct branch *branch)
{
	*(uint64_t *)context += branch->count;
}

static int print_events(const struct graph *graph, const struct view *view, struct fields *fields,
			uint64_t branches, struct err *err)
{
	int rc = 0;

	for (uint8_t event = 0; rc == 0 && event < graph->opened.profile->event_count; event++) {
		if (!graph->stacks->sums[event].samples)
			continue;
		rc = print_event(graph, view, event, fields, branches, err);
	}
	return rc;
}

static int print_calls(const struct graph *graph, const struct view *view, FILE *out,
		       struct err *err)
{
	struct fields fields = { .json = graph->format == FORMAT_JSON, .out = out };
	uint64_t branches = 0;
	/* First only counts them: fails before output starts. Each event reads them again. */
	int rc = parts_each_branch(graph->opened.parts, count_branch, &branches, err);

	if (rc < 0)
		return rc;
	if (graph->format == FORMAT_TEXT)
		text_report_head(view, out);
	if (graph->format == FORMAT_TEXT && !view->selected_samples)
		text_report_nothing(view, out);
	if (graph->format == FORMAT_CSV)
		tree_rows_call_titles(graph->places, out);
	if (fields.json) {
		fputs("{\"header\":", out);
		json_header_print(view, out);
		fputs(",\n\"rows\":[", out);
	}
	rc = print_events(graph, view, &fields, branches, err);
	if (fields.json)
		fputs("\n]}\n", out);
	fields_done(&fields);
	return rc;
}

static void draw(const struct graph *graph, const struct view *view, FILE *out)
{
	_cleanup_(tree_freep) struct tree *tree =
		tree_new(graph->stacks, graph->places, table_main_event(graph->stacks),
			 TREE_FROM_ROOTS, NULL);
	_cleanup_(calls_freep) struct calls *calls = calls_new(tree, graph->focus);
	const struct calls_view shown = { .view = view,
					  .calls = calls,
					  .file = graph->path,
					  .threshold = graph->least[tree->event],
					  .limit = (size_t)graph->options->limit };

	calls_finish(calls);
	dot_print(&shown, out);
}

/* ---- the whole ---- */

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
	rc = check_focus(graph, err);
	if (rc < 0)
		return rc;
	if (graph->options->calls)
		return print_calls(graph, &view, out, err);
	if (graph->options->dot) {
		draw(graph, &view, out);
		return 0;
	}
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
	graph.opened.labels.by_start = graph.format == FORMAT_TEXT;
	if (rc == 0)
		rc = opened_stacks(&graph.opened, &graph.keys, &graph.stacks, err);
	if (rc == 0)
		rc = print(&graph, out, err);
	if (rc == 0)
		rc = output_end(out, err);
	graph_done(&graph);
	return rc;
}
