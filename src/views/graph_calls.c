/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/graph_calls.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate/trees/calls.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "present/dot.h"
#include "present/rows/calls_rows.h"
#include "present/rows/json_header.h"
#include "present/text/text_calls.h"
#include "present/text/trust.h"

enum {
	PLT_UNSEEN = 0,		  /* by place; else the place that it jumps to, plus 1 */
	PLT_SEVERAL = UINT32_MAX, /* jumps to several, or first to the dynamic linker */
};

/* Counts calls from branch records. */
struct counting {
	const struct graph_calls *graph;
	struct calls *calls;
	uint8_t event;
	uint32_t *plt_target; /* by place */
	uint64_t branches, cycles;
};

static const struct symbol *symbol_of(const struct counting *counting, uint32_t frame)
{
	const struct profile *profile = counting->graph->opened->profile;

	return &profile->symbols.items[profile->frames.items[frame].symbol];
}

/* True if the branch leads to the start of a function. Others are loops, returns and the like. */
static bool is_call(const struct counting *counting, const struct branch *branch)
{
	const struct frame *to = &counting->graph->opened->profile->frames.items[branch->to];
	const struct symbol *symbol = symbol_of(counting, branch->to);

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
	return symbol_of(counting, frame)->kind == SYMBOL_PLT;
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

	if (branch->event == counting->event) {
		counting->branches += branch->count;
		counting->cycles += branch->cycles;
	}
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
	const struct opened *opened = counting->graph->opened;
	int rc;

	counting->plt_target =
		xcalloc(counting->graph->places->rows.count, sizeof(*counting->plt_target));
	rc = store_each_branch(opened->store, opened->profile, take_plt, counting, err);
	if (rc == 0)
		rc = store_each_branch(opened->store, opened->profile, take_call, counting, err);
	free(counting->plt_target);
	return rc;
}

/* If branches have cycles between them, and cycles were sampled, the recorded branches are a known
 * part of all: returns the ratio of all cycles to theirs. 0: unknown. */
static double calls_for_each(const struct counting *counting)
{
	const struct profile *profile = counting->graph->opened->profile;
	const char *name = profile_text(profile, profile->events[counting->event].name);
	uint64_t weight = counting->graph->stacks->sums[counting->event].weight;

	if (!counting->cycles || counting->cycles > weight || !strstr(name, "cycles"))
		return 0;
	return (double)weight / (double)counting->cycles;
}

/* The image's file as a watch names it: "" for the kernel, modules without brackets. */
static void add_watched_file(const struct graph_calls *graph, const struct symbol *symbol,
			     struct buf *file)
{
	const struct profile *profile = graph->opened->profile;
	const struct image *image = &profile->images.items[symbol->image];
	const char *base = file_base(profile_text(profile, image->path));

	if (image->kind == IMAGE_KERNEL)
		return;
	buf_add_str(file, image->kind == IMAGE_MODULE && *base == '[' ? base + 1 : base);
	if (image->kind == IMAGE_MODULE && file->size && file->bytes[file->size - 1] == ']')
		file->bytes[--file->size] = '\0';
}

/* Finds the calls of a function by its linker name or its readable name. */
static bool find_count(const struct graph_calls *graph, const struct symbol *symbol,
		       uint64_t *ret_entries, uint64_t *ret_nested)
{
	const char *name = profile_text(graph->opened->profile, symbol->name);
	struct buf file = { 0 }, text = { 0 };
	bool found;

	add_watched_file(graph, symbol, &file);
	labels_name(&graph->opened->labels, symbol->name, &text);
	found = call_counts_find(graph->counts, buf_text(&file), name, ret_entries, ret_nested) ||
		call_counts_find(graph->counts, buf_text(&file), buf_text(&text), ret_entries,
				 ret_nested);
	buf_done(&text);
	buf_done(&file);
	return found;
}

/* Sets the calls that a watch counted. Returns whether it counted any of these functions. */
static bool set_counts(const struct graph_calls *graph, struct calls *calls)
{
	const struct profile *profile = graph->opened->profile;
	bool any = false;

	for (uint32_t place = 0; place < graph->places->rows.count; place++) {
		uint32_t frame = graph->places->rows.items[place].frame;
		const struct symbol *symbol =
			&profile->symbols.items[profile->frames.items[frame].symbol];
		uint64_t entries, nested;

		if (symbol->kind != SYMBOL_NAMED || !find_count(graph, symbol, &entries, &nested))
			continue;
		calls_set_count(calls, place, entries - nested, nested);
		any = true;
	}
	return any;
}

/* Prints one event and returns 0, or a negative errno if branches cannot be read. */
static int print_event(const struct graph_calls *graph, const struct view *view, uint8_t event,
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
				    .limit = graph->limit,
				    .focus = graph->focus,
				    .counts_file = graph->counts_file };
	bool recorded = graph->counts_hold && !graph->counts;
	int rc = recorded ? count_calls(&counting, err) : 0;

	if (!recorded && !graph->counts && branches)
		shown.count_problem =
			"Recorded calls cannot be selected: their numbers are omitted.";
	if (rc < 0)
		return rc;
	shown.each = graph->counts ? 1 : calls_for_each(&counting);
	calls_finish(calls);
	if (graph->counts && !set_counts(graph, calls))
		shown.count_problem = "The --counts file has no function of this profile.";
	if (graph->format == FORMAT_TEXT)
		text_calls_print(&shown, fields->out);
	else
		calls_rows_print(&shown, fields);
	return 0;
}

static void count_branch(void *context, const struct branch *branch)
{
	*(uint64_t *)context += branch->count;
}

static int print_events(const struct graph_calls *graph, const struct view *view,
			struct fields *fields, uint64_t branches, struct err *err)
{
	int rc = 0;

	for (uint8_t event = 0; rc == 0 && event < graph->opened->profile->event_count; event++) {
		if (!graph->stacks->sums[event].samples)
			continue;
		rc = print_event(graph, view, event, fields, branches, err);
	}
	return rc;
}

int graph_calls_print(const struct graph_calls *graph, const struct view *view, FILE *out,
		      struct err *err)
{
	struct fields fields = { .json = graph->format == FORMAT_JSON, .out = out };
	uint64_t branches = 0;
	/* First only counts them: fails before output starts. Each event reads them again. */
	int rc = store_each_branch(graph->opened->store, graph->opened->profile, count_branch,
				   &branches, err);

	if (rc < 0)
		return rc;
	if (graph->format == FORMAT_TEXT)
		trust_print(view, out);
	if (graph->format == FORMAT_CSV)
		calls_rows_titles(graph->places, out);
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

void graph_calls_draw(const struct graph_calls *graph, const struct view *view, FILE *out)
{
	_cleanup_(tree_freep) struct tree *tree =
		tree_new(graph->stacks, graph->places, table_main_event(graph->stacks),
			 TREE_FROM_ROOTS, NULL);
	_cleanup_(calls_freep) struct calls *calls = calls_new(tree, graph->focus);
	const struct calls_view shown = { .view = view,
					  .calls = calls,
					  .file = graph->path,
					  .threshold = graph->least[tree->event],
					  .limit = graph->limit };

	calls_finish(calls);
	dot_print(&shown, out);
}
