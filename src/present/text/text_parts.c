/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_parts.h"

#include <inttypes.h>

#include "aggregate/tables/routines.h"
#include "base/buf.h"
#include "present/columns.h"
#include "present/figures.h"
#include "present/hit_instructions.h"
#include "present/paragraph.h"
#include "present/safe.h"

enum {
	NAME_CAP = 40, /* width of a function's or process's name before it pushes its line */
	PATH_CAP = 60,
	LEAST_NAME = 12, /* of a process, which the rest of its line cannot shorten further */
	INDENT = 2,
};

void text_parts_heading(const struct view *view, const char *title, FILE *out)
{
	size_t most = screen_names_width(&view->screen);
	struct buf text = { 0 };

	safe_text_middle(&text, title, most ? most : SIZE_MAX);
	if (view->screen.colour) {
		fprintf(out, "\n\033[1m%s\033[0m\n", buf_text(&text));
	} else {
		fprintf(out, "\n%s\n", buf_text(&text));
		for (size_t i = safe_width(buf_text(&text)); i-- > 0;)
			fputc('=', out);
		fputc('\n', out);
	}
	buf_done(&text);
}

void text_parts_add_cpus(const struct run_facts *run, struct buf *text)
{
	buf_printf(text, "%" PRIu64 " CPU%s", run->cpus, run->cpus == 1 ? "" : "s");
	if (!run->only_cpus || !*run->only_cpus)
		return;
	buf_add_str(text, " (");
	safe_text(text, run->only_cpus);
	buf_add_char(text, ')');
}

static bool is_time(const struct view *view)
{
	return account_is_time(view->labels->profile, view->summary->event);
}

/* What the percentages of the next table are of: @part of the samples that are shown. */
static void print_whole(const struct view *view, const char *part, FILE *out)
{
	fprintf(out, "100 %% is %s %ssamples%s.\n", part,
		view->selection ? "the selected " : "all ",
		scope_words(view->labels->profile, view->scope));
}

static void add_hits(const struct view *view, struct columns *columns, const struct hits *hits)
{
	columns_decimal(columns, hits->samples);
	columns_weight(columns, hits->weight, is_time(view));
}

/* ---- statistics ---- */

static void print_events(const struct view *view, FILE *out)
{
	static const struct column spec[] = {
		{ "Event", false, NAME_CAP }, { "Num samples", true, 0 },
		{ "System Hits", true, 0 },   { "User hits", true, 0 },
		{ "Dropped", true, 0 },
	};
	const struct profile *profile = view->labels->profile;
	_cleanup_(columns_freep) struct columns *columns = columns_for(&view->screen, spec, 5);

	for (size_t i = 0; i < profile->event_count; i++) {
		const struct event *event = &profile->events[i];

		columns_add(columns, profile_text(profile, event->name));
		columns_decimal(columns, event->samples);
		columns_decimal(columns, event->kernel_samples);
		columns_decimal(columns, event->user_samples);
		columns_decimal(columns, account_lost_samples(event));
	}
	columns_print(columns, 0, out);
}

static size_t rows_of(size_t count)
{
	return count ? count - 1 : 0; /* row 0 of a dictionary is "none" */
}

static size_t pids_seen(const struct profile *profile)
{
	size_t forks = 0;

	for (size_t i = 1; i < profile->processes.count; i++)
		forks += profile->processes.items[i].exec_count == 0;
	return forks;
}

void text_parts_statistics(const struct view *view, FILE *out)
{
	const struct profile *profile = view->labels->profile;
	const struct run_facts *run = &profile->run;
	struct buf text = { 0 };

	text_parts_heading(view, "Statistics of Run", out);
	print_events(view, out);
	fputc('\n', out);
	for (int reason = 0; reason < LOSS_COUNT; reason++) {
		struct loss loss = profile_loss(profile, (enum loss_reason)reason);

		fprintf(out, "%11" PRIu64 "  %s\n", loss.count,
			loss_text((enum loss_reason)reason));
	}
	fprintf(out, "%11" PRIu64 "  writes to the profile\n", run->flushes);
	if (run->ring_kb)
		fprintf(out,
			"Ring buffers of %" PRIu64
			" KiB per CPU, at most %.1f %% full, mean %.1f %%\n",
			run->ring_kb, (double)run->ring_high_water_permille / 10,
			(double)run->ring_mean_permille / 10);
	buf_printf(&text,
		   "%zu processes in %zu program runs, %zu threads, %zu images,"
		   " %zu addresses, %zu routines",
		   pids_seen(profile), rows_of(profile->processes.count),
		   rows_of(profile->tasks.count), rows_of(profile->images.count),
		   rows_of(profile->frames.count), rows_of(profile->symbols.count));
	paragraph_text(buf_text(&text), &view->screen, out);
	buf_done(&text);
}

/* ---- summary ---- */

static double percent_of(const struct view *view, const struct process_row *row)
{
	return summary_percent(view->summary, split_sum(&row->split).weight);
}

static void add_process(const struct view *view, struct columns *columns,
			const struct process_row *row)
{
	const struct profile *profile = view->labels->profile;

	labels_process(view->labels, row->process, columns_cell(columns));
	columns_end_cell(columns);
	columns_printf(columns, "%" PRId32, profile->processes.items[row->process].pid);
	add_hits(view, columns, &row->split.user);
	add_hits(view, columns, &row->split.system);
	add_hits(view, columns, &row->split.interrupts);
	columns_printf(columns, "%.2f", percent_of(view, row));
}

static void add_sum(const struct view *view, struct columns *columns)
{
	const struct split *sum = &view->summary->sum;

	columns_rule(columns);
	columns_add(columns, "Total");
	columns_add(columns, "");
	add_hits(view, columns, &sum->user);
	add_hits(view, columns, &sum->system);
	add_hits(view, columns, &sum->interrupts);
	columns_add(columns, view->summary->weight ? "100.00" : "0.00");
}

/* Says which processes the summary omits. */
static void print_left_out(const struct view *view, size_t listed, FILE *out)
{
	const struct summary *summary = view->summary;
	size_t silent = rows_of(view->labels->profile->processes.count) - summary->rows.count;

	if (listed < summary->rows.count)
		fprintf(out, "Processes not listed, below %g %% (-k): %zu\n", view->list_percent,
			summary->rows.count - listed);
	if (!view->selection && view->scope == SCOPE_MACHINE && silent)
		fprintf(out, "Processes without samples: %zu\n", silent);
}

void text_parts_summary(const struct view *view, FILE *out)
{
	const char *amount = is_time(view) ? "/Time" : "/Weight";
	const struct column spec[] = {
		{ "Process", false, NAME_CAP },
		{ "PID", true, 0 },
		{ "User Hits", true, 0 },
		{ amount, true, 0 },
		{ "System Hits", true, 0 },
		{ amount, true, 0 },
		{ "Interrupts", true, 0 },
		{ amount, true, 0 },
		{ "%", true, 0 },
	};
	_cleanup_(columns_freep) struct columns *columns = columns_for(&view->screen, spec, 9);
	const struct summary *summary = view->summary;
	size_t listed = 0;

	/* A narrow screen can do without interrupts: they are no time of the process. */
	columns_spare(columns, 6);
	columns_spare(columns, 7);
	text_parts_heading(view, "Extrapolated Summary of Processes", out);
	print_whole(view, is_time(view) ? "the time of" : "the weight of", out);
	/* Rows are sorted by weight. */
	while (listed < summary->rows.count &&
	       percent_of(view, &summary->rows.items[listed]) >= view->list_percent)
		add_process(view, columns, &summary->rows.items[listed++]);
	add_sum(view, columns);
	columns_print(columns, 0, out);
	print_left_out(view, listed, out);
	if (is_time(view))
		fputs("Times are in seconds, summed over CPUs. Interrupts merely happened while "
		      "the\n"
		      "process ran: they are not part of its system time.\n",
		      out);
}

/* ---- functions of processes ---- */

static void add_routine_name(const struct view *view, struct columns *columns,
			     const struct routine *routine)
{
	labels_routine(view->labels, routine->symbol, columns_cell(columns));
	columns_end_cell(columns);
}

static void add_routine_file(const struct view *view, struct columns *columns,
			     const struct routine *routine)
{
	labels_path(view->labels, routine->image, columns_cell(columns));
	columns_end_cell(columns);
}

/* How many of the functions, sorted by weight, to list. */
static size_t listed_routines(const struct view *view, const struct routines *routines)
{
	uint64_t whole = split_sum(&routines->sum).weight;
	size_t listed = 0;

	while (listed < routines->rows.count && (!view->limit || listed < view->limit) &&
	       figures_percent(split_sum(&routines->rows.items[listed].split).weight, whole) >=
		       view->threshold)
		listed++;
	return listed;
}

static void print_rest(const struct routines *routines, size_t listed, size_t indent, FILE *out)
{
	if (listed < routines->rows.count)
		fprintf(out, "%*sRoutines not listed (--threshold, --limit): %zu\n", (int)indent,
			"", routines->rows.count - listed);
}

/* The contents of a list of functions. */
struct listed {
	struct routines routines;
	struct addresses addresses; /* of them, if instructions are wanted */
};

static void list_make(const struct view *view, const struct total *totals, size_t count,
		      enum routines_part part, struct listed *listed)
{
	routines_make(view->labels->profile, totals, count, part, &listed->routines);
	listed->addresses = hit_instructions_collect(view, totals, count, part);
}

static void list_done(struct listed *listed)
{
	routines_done(&listed->routines);
	routines_addresses_done(&listed->addresses);
}

static void add_instructions(const struct view *view, const struct listed *list,
			     const struct routine *routine, struct columns *columns)
{
	static const struct hit_instructions_limits all = { 0 };

	if (view->instructions)
		hit_instructions_add(view, &list->addresses, routine, &all, columns);
}

static void print_user(const struct view *view, const struct listed *list, FILE *out)
{
	static const struct column spec[] = {
		{ "Routine name", false, NAME_CAP },
		{ "Hits", true, 0 },
		{ "%", true, 0 },
		{ "File", false, 0 },
	};
	_cleanup_(columns_freep) struct columns *columns = columns_for(&view->screen, spec, 4);
	const struct routines *routines = &list->routines;
	size_t listed = listed_routines(view, routines);
	uint64_t whole = routines->sum.user.weight;

	for (size_t i = 0; i < listed; i++) {
		const struct routine *routine = &routines->rows.items[i];

		add_routine_name(view, columns, routine);
		columns_decimal(columns, routine->split.user.samples);
		columns_printf(columns, "%.2f", figures_percent(routine->split.user.weight, whole));
		add_routine_file(view, columns, routine);
		add_instructions(view, list, routine, columns);
	}
	columns_print(columns, INDENT, out);
	print_rest(routines, listed, INDENT, out);
}

static void add_kernel_routine(const struct view *view, struct columns *columns,
			       const struct routine *routine, uint64_t whole)
{
	struct hits kernel = split_kernel(&routine->split);

	add_routine_name(view, columns, routine);
	add_hits(view, columns, &kernel);
	columns_printf(columns, "%.2f", figures_percent(kernel.weight, whole));
	columns_decimal(columns, routine->split.system.samples);
	columns_decimal(columns, routine->split.interrupts.samples);
	add_routine_file(view, columns, routine);
}

static struct columns *kernel_columns(const struct view *view, const char *own)
{
	const struct column spec[] = {
		{ "Routine name", false, NAME_CAP },
		{ "Hits", true, 0 },
		{ is_time(view) ? "Time" : "Weight", true, 0 },
		{ "%", true, 0 },
		{ own, true, 0 },
		{ "Interrupts", true, 0 },
		{ "File", false, 0 },
	};

	return columns_for(&view->screen, spec, sizeof(spec) / sizeof(spec[0]));
}

/* Adds the functions to list and returns their number. */
static size_t add_kernel_routines(const struct view *view, struct columns *columns,
				  const struct listed *list)
{
	size_t listed = listed_routines(view, &list->routines);

	for (size_t i = 0; i < listed; i++) {
		const struct routine *routine = &list->routines.rows.items[i];

		add_kernel_routine(view, columns, routine,
				   split_kernel(&list->routines.sum).weight);
		add_instructions(view, list, routine, columns);
	}
	return listed;
}

static void print_kernel(const struct view *view, const struct listed *list, FILE *out)
{
	_cleanup_(columns_freep) struct columns *columns = kernel_columns(view, "On its behalf");
	size_t listed = add_kernel_routines(view, columns, list);

	columns_print(columns, INDENT, out);
	print_rest(&list->routines, listed, INDENT, out);
}

/* "728 hits, 0.7109 s" */
static void add_amount(const struct view *view, const struct hits *hits, struct buf *text)
{
	buf_printf(text, "%" PRIu64 " hits, ", hits->samples);
	figures_weight(text, hits->weight, is_time(view));
	buf_add_str(text, is_time(view) ? " s" : " in weight");
}

static void print_hits(const struct view *view, const struct hits *hits, FILE *out)
{
	struct buf text = { 0 };

	add_amount(view, hits, &text);
	fputs(buf_text(&text), out);
	buf_done(&text);
}

/* "  pid 7, user root", and the container, if it is in one. */
static void add_identity(const struct view *view, const struct process *process, struct buf *text)
{
	struct buf raw = { 0 };

	buf_printf(text, "  pid %" PRId32 ", user ", process->pid);
	labels_user(view->labels, process->uid, &raw);
	safe_text(text, buf_text(&raw));
	if (process->container) {
		buf_add_str(text, ", container ");
		safe_text(text, profile_text(view->labels->profile, process->container));
	}
	buf_done(&raw);
}

/* The name is shortened to what the rest of the line leaves. */
static void print_process_line(const struct view *view, const struct process_row *row, FILE *out)
{
	const struct process *process = &view->labels->profile->processes.items[row->process];
	size_t most = screen_names_width(&view->screen), room = SIZE_MAX, others;
	struct buf raw = { 0 }, identity = { 0 }, end = { 0 }, name = { 0 };
	struct hits all = split_sum(&row->split);

	add_identity(view, process, &identity);
	buf_add_str(&end, ": ");
	add_amount(view, &all, &end);
	buf_printf(&end, ", %.2f %% of all", percent_of(view, row));
	others = safe_width(buf_text(&identity)) + safe_width(buf_text(&end));
	if (most)
		room = most > others + LEAST_NAME ? most - others : LEAST_NAME;
	labels_process(view->labels, row->process, &raw);
	safe_text_middle(&name, buf_text(&raw), room);
	fprintf(out, "\n%s%s%s%s%s\n", view->screen.colour ? "\033[1m" : "", buf_text(&name),
		buf_text(&identity), view->screen.colour ? "\033[0m" : "", buf_text(&end));
	buf_done(&raw);
	buf_done(&identity);
	buf_done(&end);
	buf_done(&name);
}

static void print_process_user(const struct view *view, const struct process_row *row, FILE *out)
{
	const struct total *totals = &view->summary->totals[row->first];
	struct listed list;

	if (!row->split.user.samples)
		return;
	list_make(view, totals, row->count, ROUTINES_USER, &list);
	fputs("\n  USER portion of profile: ", out);
	print_hits(view, &row->split.user, out);
	fputc('\n', out);
	print_user(view, &list, out);
	list_done(&list);
}

static void print_process_kernel(const struct view *view, const struct process_row *row, FILE *out)
{
	const struct total *totals = &view->summary->totals[row->first];
	struct listed list;

	if (!split_kernel(&row->split).samples)
		return;
	list_make(view, totals, row->count, ROUTINES_KERNEL, &list);
	fputs("\n  KERNEL portion of profile: ", out);
	print_hits(view, &row->split.system, out);
	fputs(" on its behalf;\n    interrupts while it ran: ", out);
	print_hits(view, &row->split.interrupts, out);
	fputc('\n', out);
	print_kernel(view, &list, out);
	list_done(&list);
}

static bool is_detailed(const struct view *view, const struct process_row *row)
{
	double percent = percent_of(view, row);

	if (percent < view->list_percent)
		return false;
	if (view->level >= VIEW_PROCESSES)
		return percent >= view->detail_percent;
	return view->labels->profile->processes.items[row->process].in_command;
}

void text_parts_details(const struct view *view, FILE *out)
{
	const struct summary *summary = view->summary;
	size_t detailed = 0;

	text_parts_heading(view, "Details of Processes", out);
	for (size_t i = 0; i < summary->rows.count; i++) {
		const struct process_row *row = &summary->rows.items[i];

		if (!is_detailed(view, row))
			continue;
		print_process_line(view, row, out);
		print_process_user(view, row, out);
		print_process_kernel(view, row, out);
		detailed++;
	}
	if (!detailed)
		fputs(view->level >= VIEW_PROCESSES
			      ? "No process reaches the minimum share (-m, -k).\n"
			      : "The command's own processes have no samples: -V3 shows the "
				"others.\n",
		      out);
}

/* ---- functions of the kernel ---- */

/* Idle time has no samples: a halted CPU is not interrupted. */
static void add_idle(const struct view *view, struct columns *columns, const char *name,
		     uint64_t ns)
{
	columns_add(columns, name);
	columns_add(columns, "-");
	columns_weight(columns, ns, is_time(view));
	for (int i = 0; i < 3; i++)
		columns_add(columns, "-");
	columns_add(columns, "/proc/stat");
}

void text_parts_kernel(const struct view *view, FILE *out)
{
	const struct summary *summary = view->summary;
	_cleanup_(columns_freep) struct columns *columns = kernel_columns(view, "On behalf");
	struct listed list;
	size_t listed;

	text_parts_heading(view, "Global KERNEL Profile", out);
	print_whole(view, "the kernel's part of", out);
	list_make(view, summary->totals, summary->total_count, ROUTINES_KERNEL, &list);
	if (!view->account.missing && !view->selection && view->scope == SCOPE_MACHINE &&
	    is_time(view)) {
		add_idle(view, columns, "(idle, halted CPUs included)", view->account.idle_ns);
		add_idle(view, columns, "(idle, waiting for I/O)", view->account.iowait_ns);
		columns_rule(columns);
	}
	listed = add_kernel_routines(view, columns, &list);
	columns_print(columns, 0, out);
	print_rest(&list.routines, listed, 0, out);
	list_done(&list);
}

/* ---- incomplete stacks ---- */

/* Without an image no frame was found. */
static void add_image(const struct view *view, const struct broken_image *row,
		      struct columns *columns)
{
	struct buf *cell;

	columns_decimal(columns, row->hits.samples);
	columns_printf(columns, "%.2f",
		       figures_percent(row->hits.samples, view->completeness->whole.samples));
	cell = columns_cell(columns);
	if (row->image)
		labels_path(view->labels, row->image, cell);
	columns_end_cell(columns);
	columns_add(columns, stack_end_name(row->end));
	columns_add(columns, stack_end_text(row->end));
}

void text_parts_add_remedy(const struct view *view, const struct remedy *remedy, struct buf *text)
{
	safe_text(text, profile_text(view->labels->profile, remedy->program));
	buf_add_str(text, ": ");
	figures_count(text, remedy->samples);
	buf_add_str(text, " of ");
	figures_count(text, remedy->whole);
	buf_printf(text, " stacks %s", remedy->why);
	if (remedy->fix)
		buf_printf(text, "; fix: %s", remedy->fix);
}

static void print_remedies(const struct view *view, FILE *out)
{
	const struct completeness *known = view->completeness;
	_cleanup_(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < known->remedies.count; i++) {
		buf_clear(&text);
		text_parts_add_remedy(view, &known->remedies.items[i], &text);
		fputs(i ? "" : "\n", out);
		paragraph_text(buf_text(&text), &view->screen, out);
	}
}

void text_parts_stacks(const struct view *view, FILE *out)
{
	static const struct column spec[] = {
		{ "Hits", true, 0 }, { "%", true, 0 },	      { "Outermost file", false, PATH_CAP },
		{ "End", false, 0 }, { "Meaning", false, 0 },
	};
	const struct completeness *known = view->completeness;
	_cleanup_(columns_freep) struct columns *columns = NULL;

	if (!known || !known->images.count)
		return;
	columns = columns_for(&view->screen, spec, sizeof(spec) / sizeof(spec[0]));
	for (size_t i = 0; i < known->images.count; i++)
		add_image(view, &known->images.items[i], columns);
	text_parts_heading(view, "Incomplete Stacks", out);
	print_whole(view, "the number of stacks, complete or not, of", out);
	columns_print(columns, 0, out);
	print_remedies(view, out);
}
