/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/calls_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "present/figures.h"
#include "present/paragraph.h"
#include "present/safe.h"

enum {
	CALLED_WIDTH = 13,
	RULE_WIDTH = 78,
	LEAST_NAME = 16, /* a screen shortens no name more, */
	LEAST_REST = 8,	 /* nor what follows it */
};

struct printer {
	const struct calls_view *view;
	const struct calls *calls;
	const struct profile *profile;
	FILE *out;
	size_t screen; /* most columns of a line; 0: any number */
	bool is_time;
	bool counted;	   /* some counts of calls are known, so there are columns for them */
	bool *has_entry;   /* by function */
	uint32_t *entries; /* functions with an entry */
	size_t count;
	struct buf line, text;
	size_t name_at, name_end; /* in line; equal: it has no name */
};

/* If the line is wider than the screen, its name is shortened in the middle, and then what follows. */
static void fit_line(struct printer *printer)
{
	struct buf *line = &printer->line;
	size_t width = safe_width(buf_text(line)), over = width - printer->screen, name_width;
	_cleanup_free_ char *name = NULL, *rest = NULL;

	if (!printer->screen || width <= printer->screen || printer->name_end <= printer->name_at)
		return;
	name = xstrndup(line->bytes + printer->name_at, printer->name_end - printer->name_at);
	rest = xstrdup(buf_text(line) + printer->name_end);
	name_width = safe_width(name);
	line->size = printer->name_at;
	safe_text_middle(line, name,
			 name_width > LEAST_NAME + over ? name_width - over : LEAST_NAME);
	width = safe_width(buf_text(line));
	safe_text_cut(line, rest,
		      printer->screen > width + LEAST_REST ? printer->screen - width : LEAST_REST);
}

static void end_line(struct printer *printer)
{
	fit_line(printer);
	printer->name_at = printer->name_end = 0;
	buf_add_char(&printer->line, '\n');
	fwrite(printer->line.bytes, 1, printer->line.size, printer->out);
	buf_clear(&printer->line);
}

/* Appends printer->text, right-aligned to @width, and empties it. */
static void add_right(struct printer *printer, int width)
{
	buf_printf(&printer->line, "%*s", width, buf_text(&printer->text));
	buf_clear(&printer->text);
}

/* Seconds, or a number in the event's unit. */
static void add_amount(struct printer *printer, uint64_t weight, int width)
{
	if (printer->is_time)
		figures_weight(&printer->text, weight, true);
	else
		figures_si(&printer->text, (double)weight);
	add_right(printer, width);
}

/* The weight per call; "-" if unknown. */
static void add_per_call(struct printer *printer, uint64_t weight, uint64_t calls)
{
	double each = printer->view->each * (double)calls;

	if (each > 0)
		figures_si(&printer->text,
			   (double)weight / each / (printer->is_time ? (double)NS_PER_S : 1));
	else
		buf_add_char(&printer->text, '-');
	add_right(printer, 10);
}

static void add_name(struct printer *printer, uint32_t function)
{
	calls_text(printer->calls, function, &printer->text);
	printer->name_at = printer->line.size;
	safe_text(&printer->line, buf_text(&printer->text));
	printer->name_end = printer->line.size;
	buf_clear(&printer->text);
}

/* The file, unless the name shows it. */
static void add_image(struct printer *printer, uint32_t function)
{
	const struct places *places = printer->calls->tree->places;
	uint32_t image =
		calls_is_cycle(printer->calls, function) ? 0 : places_image(places, function);

	if (!image || strcmp(places->keys.items[0]->name, "image") == 0)
		return;
	labels_path(places->labels, image, &printer->text);
	buf_add_str(&printer->line, *buf_text(&printer->text) == '[' ? "  " : "  [");
	safe_text(&printer->line, file_base(buf_text(&printer->text)));
	buf_add_str(&printer->line, *buf_text(&printer->text) == '[' ? "" : "]");
	buf_clear(&printer->text);
}

static double percent(const struct printer *printer, uint64_t weight)
{
	return tree_percent(printer->calls->tree, weight);
}

static const struct call_function *row_of(const struct printer *printer, uint32_t function)
{
	return &printer->calls->functions.items[function];
}

static int heavier_self(const void *left, const void *right, void *context)
{
	const struct printer *printer = context;
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint64_t ours = row_of(printer, a)->self.weight, others = row_of(printer, b)->self.weight;

	return COMPARE(others, ours) ?: COMPARE(row_of(printer, a)->rank, row_of(printer, b)->rank);
}

/* Recorded calls are only a sample, so 0 means unknown; counted calls are exact. */
static void add_calls(struct printer *printer, const struct call_function *row, uint64_t count)
{
	if (count || row->counted)
		figures_si(&printer->text, (double)count);
	else
		buf_add_char(&printer->text, '-');
}

static void add_count(struct printer *printer, uint64_t count)
{
	add_calls(printer, &(struct call_function){ 0 }, count);
}

static void print_flat_row(struct printer *printer, uint32_t function, uint64_t cumulated)
{
	const struct call_function *row = row_of(printer, function);
	uint64_t calls = row->calls + row->own_calls;

	buf_printf(&printer->line, "%6.2f ", percent(printer, row->self.weight));
	add_amount(printer, row->self.weight, 10);
	add_amount(printer, cumulated, 11);
	if (printer->counted) {
		add_calls(printer, row, calls);
		add_right(printer, 8);
		add_per_call(printer, row->self.weight, calls);
		add_per_call(printer, row->total.weight, calls);
	}
	buf_add_str(&printer->line, "  ");
	add_name(printer, function);
	add_image(printer, function);
	end_line(printer);
}

static void print_sample_line(const struct printer *printer)
{
	const struct event *event = &printer->profile->events[printer->calls->tree->event];
	const struct table_sum *sum =
		&printer->calls->tree->stacks->sums[printer->calls->tree->event];
	double each = (double)sum->weight / (double)sum->samples;
	struct buf text = { 0 };

	buf_add_str(&text, "Each histogram sample counts as ");
	figures_si(&text, printer->is_time ? each / (double)NS_PER_S : each);
	buf_add_str(&text, " ");
	if (printer->is_time)
		buf_add_str(&text, "seconds");
	else
		safe_text(&text, profile_text(printer->profile, event->name));
	fprintf(printer->out, "%s\n", buf_text(&text));
	buf_done(&text);
}

static void print_flat_head(struct printer *printer)
{
	const struct event *event = &printer->profile->events[printer->calls->tree->event];

	fputc('\n', printer->out);
	buf_add_str(&printer->line, "Flat profile of ");
	safe_text(&printer->line, profile_text(printer->profile, event->name));
	buf_add_str(&printer->line, scope_words(printer->profile, printer->view->view->scope));
	buf_add_str(&printer->line, " in ");
	printer->name_at = printer->line.size;
	safe_text(&printer->line, printer->view->file);
	printer->name_end = printer->line.size;
	buf_add_char(&printer->line, ':');
	end_line(printer);
	print_sample_line(printer);
	fprintf(printer->out, "%% time       self      cumul%s  name\n",
		printer->counted ? "   calls self/call  tot/call" : "");
}

static bool is_in_flat(const struct printer *printer, uint32_t function)
{
	const struct calls_view *view = printer->view;
	const struct call_function *row = row_of(printer, function);

	if (calls_is_cycle(printer->calls, function) || (view->focus && !view->focus[function]))
		return false;
	return row->self.samples && percent(printer, row->self.weight) >= view->threshold;
}

static void print_flat(struct printer *printer)
{
	size_t count, kept = 0;
	uint32_t *order = calls_order(printer->calls, &count);
	uint64_t cumulated = 0;

	for (size_t i = 0; i < count; i++) {
		if (is_in_flat(printer, order[i]))
			order[kept++] = order[i];
	}
	if (kept)
		qsort_r(order, kept, sizeof(*order), heavier_self, printer);
	print_flat_head(printer);
	for (size_t i = 0; i < kept && (!printer->view->limit || i < printer->view->limit); i++) {
		cumulated += row_of(printer, order[i])->self.weight;
		print_flat_row(printer, order[i], cumulated);
	}
	free(order);
}

/* "name [12]"; in parentheses if there is no entry of that number. */
static void add_reference(struct printer *printer, uint32_t function)
{
	uint32_t rank = function == CALLS_NO_CALLER ? 0 : row_of(printer, function)->rank;

	if (calls_is_cut(printer->calls, function))
		buf_add_str(&printer->line, "<broken> ");
	add_name(printer, function);
	if (rank)
		buf_printf(&printer->line,
			   printer->has_entry[function] ? " [%" PRIu32 "]" : " (%" PRIu32 ")",
			   rank);
}

/* Ends the column of calls, with printer->text, if there is one. */
static void end_called(struct printer *printer)
{
	if (printer->counted)
		add_right(printer, CALLED_WIDTH);
}

/* The columns before a caller or callee. */
static void begin_other(struct printer *printer, const struct hits *self, const struct hits *total)
{
	buf_printf(&printer->line, "%14s", "");
	add_amount(printer, self->weight, 11);
	add_amount(printer, total->weight - self->weight, 11);
}

static void print_arc(struct printer *printer, const struct call_arc *arc, bool is_caller)
{
	const struct call_function *callee = row_of(printer, arc->to);

	if (is_caller)
		begin_other(printer, &arc->caller_self, &arc->caller_total);
	else
		begin_other(printer, &arc->callee_self, &arc->callee_total);
	if (printer->calls->arcs_counted && arc->from != CALLS_NO_CALLER) {
		add_count(printer, arc->count);
		if (arc->count && !calls_is_inside(printer->calls, arc)) {
			buf_add_char(&printer->text, '/');
			figures_si(&printer->text, (double)callee->calls);
		}
	}
	end_called(printer);
	buf_add_str(&printer->line, "      ");
	add_reference(printer, is_caller ? arc->from : arc->to);
	end_line(printer);
}

static void print_member(struct printer *printer, const struct call_arc *arc)
{
	begin_other(printer, &row_of(printer, arc->to)->self, &arc->callee_total);
	if (printer->calls->arcs_counted)
		add_count(printer, row_of(printer, arc->to)->calls);
	end_called(printer);
	buf_add_str(&printer->line, "      ");
	add_reference(printer, arc->to);
	end_line(printer);
}

static void print_rest(struct printer *printer, size_t count, const struct hits *self,
		       const struct hits *total)
{
	if (!count)
		return;
	begin_other(printer, self, total);
	buf_printf(&printer->line, "%*s(%zu more)", (printer->counted ? CALLED_WIDTH : 0) + 6, "",
		   count);
	end_line(printer);
}

/* True if the line of an arc is omitted. Arcs with known calls are shown even without samples. */
static bool is_small(const struct printer *printer, const struct call_arc *arc, bool is_caller)
{
	uint64_t weight = is_caller ? arc->caller_total.weight : arc->callee_total.weight;

	return !arc->count && percent(printer, weight) < printer->view->threshold;
}

/* Small arcs are added up in a line: those of callers before the others, those of callees after
 * them. */
static void print_arcs(struct printer *printer, uint32_t function, bool callers)
{
	struct call_list list = callers ? calls_callers(printer->calls, function)
					: calls_callees(printer->calls, function);
	struct hits self = { 0 }, total = { 0 };
	size_t more = 0;

	for (size_t i = 0; i < list.count; i++) {
		const struct call_arc *arc = &printer->calls->arcs.items[list.arcs[i]];

		if (!is_small(printer, arc, callers))
			continue;
		hits_add(&self, callers ? &arc->caller_self : &arc->callee_self);
		hits_add(&total, callers ? &arc->caller_total : &arc->callee_total);
		more++;
	}
	if (callers)
		print_rest(printer, more, &self, &total);
	for (size_t i = 0; i < list.count; i++) {
		const struct call_arc *arc = &printer->calls->arcs.items[list.arcs[i]];

		if (!is_small(printer, arc, callers))
			print_arc(printer, arc, callers);
	}
	if (!callers)
		print_rest(printer, more, &self, &total);
}

static void print_members(struct printer *printer, uint32_t cycle)
{
	struct call_list list = calls_callees(printer->calls, cycle);

	for (size_t i = 0; i < list.count; i++)
		print_member(printer, &printer->calls->arcs.items[list.arcs[i]]);
}

/* "n", or "n+m" where m calls came from itself. */
static void add_called(struct printer *printer, uint32_t function)
{
	const struct call_function *row = row_of(printer, function);

	if (!printer->counted)
		return;
	add_calls(printer, row, row->calls);
	if (row->recurses || row->own_calls) {
		buf_add_char(&printer->text, '+');
		add_calls(printer, row, row->own_calls);
	}
	end_called(printer);
}

static void print_entry(struct printer *printer, uint32_t function)
{
	const struct call_function *row = row_of(printer, function);
	char number[16];

	print_arcs(printer, function, true);
	snprintf(number, sizeof(number), "[%" PRIu32 "]", row->rank);
	buf_printf(&printer->line, "%-7s%6.2f ", number, percent(printer, row->total.weight));
	add_amount(printer, row->self.weight, 11);
	add_amount(printer, row->total.weight - row->self.weight, 11);
	add_called(printer, function);
	buf_add_str(&printer->line, "  ");
	add_name(printer, function);
	if (row->recurses && !printer->counted)
		buf_add_str(&printer->line, " <recursive>");
	buf_printf(&printer->line, " %s", number);
	add_image(printer, function);
	end_line(printer);
	if (calls_is_cycle(printer->calls, function))
		print_members(printer, function);
	else
		print_arcs(printer, function, false);
	for (size_t i = 0; i < RULE_WIDTH && (!printer->screen || i < printer->screen); i++)
		buf_add_char(&printer->line, '-');
	end_line(printer);
}

static void print_graph(struct printer *printer)
{
	fputs("\nCall-graph table:\n", printer->out);
	fprintf(printer->out, "index   %%time       self   children%s  name\n",
		printer->counted ? "       called" : "");
	for (size_t i = 0; i < printer->count; i++)
		print_entry(printer, printer->entries[i]);
	if (!printer->count)
		fputs("No function reaches the minimum share (--threshold).\n", printer->out);
}

struct indexed {
	char *name;
	uint32_t rank, function;
};

DEFINE_ORDER(by_name, struct indexed, strcmp(a->name, b->name) ?: COMPARE(a->rank, b->rank))

static void print_index(struct printer *printer)
{
	struct indexed *index = xcalloc(printer->count, sizeof(*index));

	for (size_t i = 0; i < printer->count; i++) {
		calls_text(printer->calls, printer->entries[i], &printer->text);
		index[i] = (struct indexed){ xstrdup(buf_text(&printer->text)),
					     row_of(printer, printer->entries[i])->rank,
					     printer->entries[i] };
		buf_clear(&printer->text);
	}
	if (printer->count)
		qsort(index, printer->count, sizeof(*index), by_name);
	fputs("\nIndex by function name:\n", printer->out);
	for (size_t i = 0; i < printer->count; i++) {
		char number[16];

		snprintf(number, sizeof(number), "[%" PRIu32 "]", index[i].rank);
		buf_printf(&printer->line, "%8s ", number);
		printer->name_at = printer->line.size;
		safe_text(&printer->line, index[i].name);
		printer->name_end = printer->line.size;
		add_image(printer, index[i].function);
		end_line(printer);
		free(index[i].name);
	}
	free(index);
}

static void print_threshold(const struct printer *printer)
{
	_cleanup_(buf_done) struct buf text = { 0 };

	buf_printf(&text,
		   "Functions below %.3g %% (--threshold) have no entry: their numbers are in "
		   "parentheses.",
		   printer->view->threshold);
	fputc('\n', printer->out);
	paragraph_text(buf_text(&text), &printer->view->view->screen, printer->out);
}

/* What the numbers of calls are; nothing if there are none. */
static void print_counts_note(const struct printer *printer)
{
	const struct calls_view *view = printer->view;
	_cleanup_(buf_done) struct buf text = { 0 };

	if (view->count_problem)
		buf_add_str(&text, view->count_problem);
	else if (view->counts_file)
		buf_printf(&text,
			   "Calls were counted in another run (%s): the time per call is right "
			   "only if both runs did the same work.",
			   view->counts_file);
	else if (view->calls->counted && !view->each)
		buf_add_str(&text, "Calls are the branches that the processor recorded, not all "
				   "calls: the time per call is unknown.");
	else if (view->calls->counted)
		buf_printf(&text,
			   "Calls are the branches that the processor recorded; each stands for "
			   "about %.3g.",
			   view->each);
	if (text.size)
		paragraph_text(buf_text(&text), &view->view->screen, printer->out);
}

static void print_notes(const struct printer *printer)
{
	const struct calls_view *view = printer->view;
	const struct completeness *known = view->view->completeness;

	if (!known || !known->recorded)
		fputs("\nNo stacks were recorded: callers and callees are unknown.\n",
		      printer->out);
	if (view->calls->tree->is_short)
		fprintf(printer->out,
			"\nOnly the first %d nodes of the stacks are used: the rest is "
			"truncated.\n",
			TREE_MAX_NODES);
	if (view->threshold > 0)
		print_threshold(printer);
	print_counts_note(printer);
}

void text_calls_print(const struct calls_view *view, FILE *out)
{
	struct printer printer = { .view = view,
				   .calls = view->calls,
				   .profile = view->view->labels->profile,
				   .out = out };

	printer.screen = screen_names_width(&view->view->screen);
	printer.counted = view->calls->counted;
	printer.is_time = account_is_time(printer.profile, view->calls->tree->event);
	printer.entries = calls_view_entries(view, &printer.count);
	printer.has_entry = xcalloc(view->calls->functions.count, sizeof(bool));
	for (size_t i = 0; i < printer.count; i++)
		printer.has_entry[printer.entries[i]] = true;
	print_flat(&printer);
	print_graph(&printer);
	print_index(&printer);
	print_notes(&printer);
	free(printer.entries);
	free(printer.has_entry);
	buf_done(&printer.line);
	buf_done(&printer.text);
}
