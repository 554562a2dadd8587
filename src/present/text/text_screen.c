/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_screen.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "aggregate/estimate.h"
#include "aggregate/tables/routines.h"
#include "base/buf.h"
#include "base/file.h"
#include "present/columns.h"
#include "present/figures.h"
#include "present/hit_instructions.h"
#include "present/safe.h"
#include "present/text/text_waiting.h"
#include "present/text/trust.h"

enum {
	DEFAULT_LINES = 24,
	TABLE_LINES = 2, /* an empty line, titles */
	NEXT_LINES = 3,	 /* an empty line, two lines of hints */
	PROMPT_LINES = 1,
	LEAST_ROWS = 3,
	INSTRUCTIONS = 5, /* below a function */
	WAITS = 8,	  /* the longest, if wanted */
	NAME_WIDTH = 32,  /* of a function's name; longer ones are truncated */
};

struct screen {
	const struct view *view;
	FILE *out;
	size_t process_rows, routine_rows; /* rows that fit */
};

static bool is_time(const struct view *view)
{
	return account_is_time(view->labels->profile, view->summary->event);
}

static void add_weight(const struct view *view, struct columns *columns, uint64_t weight)
{
	struct buf text = { 0 };

	figures_weight(&text, weight, is_time(view));
	columns_add(columns, buf_text(&text));
	buf_done(&text);
}

static void add_process(const struct view *view, struct columns *columns,
			const struct process_row *row)
{
	struct buf name = { 0 };

	columns_printf(columns, "%.2f",
		       summary_percent(view->summary, split_sum(&row->split).weight));
	add_weight(view, columns, row->split.user.weight);
	add_weight(view, columns, row->split.system.weight);
	add_weight(view, columns, row->split.interrupts.weight);
	labels_process(view->labels, row->process, &name);
	columns_add(columns, buf_text(&name));
	buf_done(&name);
}

/* The last row of a shortened table: the sum of the omitted rows. */
static void add_other_processes(const struct view *view, struct columns *columns, size_t listed)
{
	const struct summary *summary = view->summary;
	struct split rest = { 0 };

	for (size_t i = listed; i < summary->rows.count; i++) {
		const struct split *split = &summary->rows.items[i].split;

		rest.user.weight += split->user.weight;
		rest.system.weight += split->system.weight;
		rest.interrupts.weight += split->interrupts.weight;
	}
	columns_printf(columns, "%.2f", summary_percent(summary, split_sum(&rest).weight));
	add_weight(view, columns, rest.user.weight);
	add_weight(view, columns, rest.system.weight);
	add_weight(view, columns, rest.interrupts.weight);
	columns_printf(columns, "(%zu more)", summary->rows.count - listed);
}

static void print_processes(const struct screen *screen)
{
	bool time = is_time(screen->view);
	const struct column spec[] = {
		{ "%", true, 0 },
		{ time ? "User Time" : "User Weight", true, 0 },
		{ time ? "System Time" : "System Weight", true, 0 },
		{ "Interrupts", true, 0 },
		{ "Process", false, 0 },
	};
	_cleanup_(columns_freep) struct columns *columns = columns_new(spec, 5);
	const struct summary *summary = screen->view->summary;
	size_t count = summary->rows.count;
	size_t listed = count > screen->process_rows ? screen->process_rows - 1 : count;

	for (size_t i = 0; i < listed; i++)
		add_process(screen->view, columns, &summary->rows.items[i]);
	if (listed < count)
		add_other_processes(screen->view, columns, listed);
	fputc('\n', screen->out);
	columns_save_line(columns);
	columns_print(columns, 0, screen->out);
}

static void add_routine(const struct view *view, struct columns *columns,
			const struct routine *routine)
{
	const struct summary *summary = view->summary;
	struct hits hits = split_sum(&routine->split);
	struct interval interval = estimate_share((double)hits.weight, (double)summary->weight,
						  summary->weight_squared);
	struct buf text = { 0 }, cut = { 0 };

	columns_printf(columns, "%.2f", summary_percent(summary, hits.weight));
	columns_printf(columns, "%.2f-%.2f", 100 * interval.low, 100 * interval.high);
	columns_printf(columns, "%" PRIu64, hits.samples);
	labels_routine(view->labels, routine->symbol, &text);
	safe_text_cut(&cut, buf_text(&text), NAME_WIDTH);
	columns_add(columns, buf_text(&cut));
	buf_clear(&text);
	labels_path(view->labels, routine->image, &text);
	columns_add(columns, file_base(buf_text(&text)));
	buf_done(&text);
	buf_done(&cut);
}

static void print_routines(const struct screen *screen)
{
	static const struct column spec[] = {
		{ "%", true, 0 },     { "95 % within", true, 0 },
		{ "Hits", true, 0 },  { "Routine name", false, 0 },
		{ "File", false, 0 },
	};
	_cleanup_(columns_freep) struct columns *columns = columns_new(spec, 5);
	const struct hit_instructions_limits limits = { INSTRUCTIONS, NAME_WIDTH };
	const struct view *view = screen->view;
	const struct summary *summary = view->summary;
	struct addresses addresses =
		hit_instructions_collect(view, summary->totals, summary->total_count, ROUTINES_ALL);
	struct routines routines;

	routines_make(view->labels->profile, summary->totals, summary->total_count, ROUTINES_ALL,
		      &routines);
	for (size_t i = 0; i < routines.rows.count && i < screen->routine_rows; i++) {
		add_routine(view, columns, &routines.rows.items[i]);
		if (view->instructions)
			hit_instructions_add(view, &addresses, &routines.rows.items[i], &limits,
					     columns);
	}
	fputc('\n', screen->out);
	columns_save_line(columns);
	columns_print(columns, 0, screen->out);
	routines_done(&routines);
	addresses_done(&addresses);
}

/* True if a shell takes the text as it is. */
static bool is_plain(const char *text)
{
	static const char special[] = "._+-/:@%,";

	for (; *text; text++) {
		if (!isalnum((unsigned char)*text) && !strchr(special, *text))
			return false;
	}
	return true;
}

static void print_next(const struct view *view, FILE *out)
{
	const struct profile *profile = view->labels->profile;
	const struct summary *summary = view->summary;
	const char *file = view->file && is_plain(view->file) ? view->file : "FILE";
	const char *program = "NAME";

	if (summary->rows.count) {
		uint32_t top = summary->rows.items[0].process;
		const char *name = profile_text(profile, profile->processes.items[top].program);

		program = *name && is_plain(name) ? name : program;
	}
	fprintf(out, "\nNext: prospect report %s%s-V4    all processes, user and kernel\n",
		view->file ? file : "", view->file ? " " : "");
	fprintf(out, "      prospect report %s%s--by symbol --select process=%s\n",
		view->file ? file : "", view->file ? " " : "", program);
}

static void share_room(struct screen *screen, size_t used)
{
	size_t lines = screen->view->lines ? screen->view->lines : DEFAULT_LINES;
	size_t processes = screen->view->summary->rows.count;
	size_t room;

	used += 2 * TABLE_LINES + NEXT_LINES + PROMPT_LINES;
	room = lines > used ? lines - used : 0;
	if (room < 2 * LEAST_ROWS)
		room = 2 * LEAST_ROWS;
	screen->process_rows = room / 2;
	if (processes < screen->process_rows)
		screen->process_rows = processes ? processes : 1;
	screen->routine_rows = room - screen->process_rows;
}

void text_screen_print(const struct view *view, FILE *out)
{
	struct screen screen = { .view = view, .out = out };

	share_room(&screen, trust_print(view, out));
	print_processes(&screen);
	print_routines(&screen);
	text_waiting_print(view, WAITS, out);
	hit_instructions_print_note(view, out);
	print_next(view, out);
}
