/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "aggregate/account/off_cpu_account.h"
#include "aggregate/tables/program_shares.h"
#include "aggregate/tables/python_shares.h"
#include "aggregate/tables/table.h"
#include "aggregate/tables/unit_shares.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "present/columns.h"
#include "present/figures.h"
#include "present/hit_instructions.h"
#include "present/mark_list.h"
#include "present/paragraph.h"
#include "present/safe.h"
#include "present/text/report_head.h"
#include "present/text/screen_notes.h"
#include "present/text/text_parts.h"
#include "present/text/text_waited.h"
#include "present/waited.h"

enum {
	DEFAULT_COLUMNS = 80,
	LEAST_COLUMNS = 40,
	PROMPT_LINES = 1,
	LEFT_OUT_LINES = 1, /* that says how many notes have no room */
	TABLE_LINES = 3,    /* titles, an empty line before and after */
	LEAST_ROWS = 3,
	MOST_ROWS = 10, /* of a screen of up to TALL lines */
	MOST_ROWS_IF_TALL = 20,
	TALL = 40,
	INSTRUCTIONS = 5,   /* below a function */
	WAITS = 8,	    /* the longest, if wanted */
	MOST_PROGRAMS = 8,  /* in the line of programs */
	MOST_UNITS = 6,	    /* in the line of units */
	MOST_OTHERS = 3,    /* in the line of the machine */
	LEAST_PERCENT = 1,  /* of a program in a line */
	IDLE = 5,	    /* percent of the CPUs' time: a machine that is busy for less is idle */
	SUBJECT_WIDTH = 48, /* of the command in the first line */
	HINT_WIDTH = 40,    /* of a command or file to be typed again */
	NAME_WIDTH = 32,    /* of a program, or a function above its instructions */
	BAR_WIDTH = 12,
	MOST_BESIDE = 3,   /* events beside the clock */
	HIGH_RATE = 10000, /* samples per second, if the usual rate gives too few */
	FEW_SAMPLES = 20,  /* too few to say which function takes more than another */
	ENOUGH_SAMPLES = 100,
	LEAST_SAMPLES = 5, /* of a function: fewer are there by chance */
};

struct first_screen {
	const struct view *view;
	const struct profile *profile;
	const struct run_facts *run;
	uint8_t event;		     /* of all figures */
	uint8_t beside[MOST_BESIDE]; /* other events */
	size_t beside_count;
	struct split sum; /* of the shown samples; zero for views that make no summary */
	struct program_shares here, others; /* in the scope, and on the rest of the machine */
	size_t width, lines;		    /* lines: printed so far */
	FILE *out;
};

static bool is_cpu_time(const struct first_screen *screen)
{
	const struct event *event = &screen->profile->events[screen->event];

	return account_is_time(screen->profile, screen->event) &&
	       strcmp(profile_text(screen->profile, event->name), EVENT_WALL_CLOCK) != 0;
}

static bool is_of_command(const struct first_screen *screen)
{
	return screen->view->scope == SCOPE_COMMAND;
}

/* Prints "LABEL TEXT", broken into lines, and empties @text. */
static void print_paragraph(struct first_screen *screen, const char *label, struct buf *text)
{
	if (text->size)
		screen->lines += paragraph_print(label, buf_text(text), screen->width, screen->out);
	buf_clear(text);
}

/* ---- the first lines: how long, what it used, and what else ran ---- */

/* From the samples. */
static void add_sampled_cpu(const struct first_screen *screen, struct buf *text)
{
	const struct split *sum = &screen->sum;

	if (!is_cpu_time(screen) || !split_sum(sum).weight)
		return;
	buf_add_str(text, ", CPU ");
	figures_seconds(text, split_sum(sum).weight);
	buf_add_str(text, " (user ");
	figures_seconds(text, sum->user.weight);
	buf_add_str(text, ", system ");
	figures_seconds(text, split_kernel(sum).weight);
	buf_add_char(text, ')');
}

/* Of the whole machine, of a part of the time, or where the kernel's sums are not known. */
static void add_sampled_time(const struct first_screen *screen, struct buf *text)
{
	if (view_is_of_part(screen->view))
		figures_seconds(text, screen->view->to_ns - screen->view->from_ns);
	else if (account_wall_ns(screen->profile))
		figures_seconds(text, account_wall_ns(screen->profile));
	else
		buf_add_str(text, "unknown duration");
	add_sampled_cpu(screen, text);
}

static void add_subject(const struct first_screen *screen, struct buf *text)
{
	const struct run_facts *run = screen->run;

	if (run->command && *run->command)
		safe_text_cut(text, run->command, SUBJECT_WIDTH);
	else if (is_of_command(screen))
		buf_add_str(text, scope_subject(screen->profile));
	else if (run->hostname && *run->hostname)
		safe_text_cut(text, run->hostname, SUBJECT_WIDTH);
	else
		buf_add_str(text, "the machine");
	report_head_add_state(screen->view, text);
}

/* The kernel sums up the CPU time of a command alone, when it ends. */
static void add_time(const struct first_screen *screen, const struct waited *waited,
		     struct buf *text)
{
	text_waited_time(text, waited, screen->run);
	if (!(screen->run->command && *screen->run->command))
		add_sampled_cpu(screen, text);
}

/* By the kernel's sum, which omits children that the command did not wait for, or by the samples, which
 * may be lost. UINT64_MAX: not known. */
static uint64_t command_cpu_ns(const struct first_screen *screen)
{
	uint64_t by_kernel_ns = screen->run->command_user_ns + screen->run->command_system_ns;
	uint64_t sampled_ns = is_cpu_time(screen) ? screen->view->parts.command : 0;

	if (!by_kernel_ns)
		return UINT64_MAX;
	return by_kernel_ns > sampled_ns ? by_kernel_ns : sampled_ns;
}

static void print_subject(struct first_screen *screen)
{
	const struct waited waited = waited_of(screen->run);
	bool timed = is_of_command(screen) && waited.elapsed_ns && !view_is_of_part(screen->view);
	struct buf text = { 0 };

	add_subject(screen, &text);
	buf_add_str(&text, ": ");
	if (timed)
		add_time(screen, &waited, &text);
	else
		add_sampled_time(screen, &text);
	buf_printf(&text, ", %zu process%s", screen->here.processes,
		   screen->here.processes == 1 ? "" : "es");
	if (timed) {
		buf_add_str(&text, "; ");
		text_waited_reasons(&text, &waited);
		text_waited_ready(&text, &waited, command_cpu_ns(screen));
	}
	screen->lines += paragraph_print_plain(buf_text(&text), screen->width, screen->out);
	buf_done(&text);
}

/* "NAME 17 %" */
static void add_share(const struct first_screen *screen, str_id program, uint64_t weight,
		      uint64_t whole, struct buf *text)
{
	safe_text_cut(text, profile_text(screen->profile, program), NAME_WIDTH);
	buf_printf(text, " %.0f %%", figures_percent(weight, whole));
}

/* The heaviest of the other programs, and the sum of the rest. */
static void add_others(const struct first_screen *screen, uint64_t capacity_ns, struct buf *text)
{
	const struct program_shares *others = &screen->others;
	uint64_t rest = others->sum.weight;
	size_t listed = 0;

	while (listed < others->rows.count && listed < MOST_OTHERS) {
		const struct program_share *share = &others->rows.items[listed];

		if (figures_percent(share->hits.weight, capacity_ns) < LEAST_PERCENT)
			break;
		buf_add_str(text, ", ");
		add_share(screen, share->program, share->hits.weight, capacity_ns, text);
		rest -= share->hits.weight;
		listed++;
	}
	if (listed < others->rows.count)
		buf_printf(text, ", %zu other%s %.0f %%", others->rows.count - listed,
			   others->rows.count - listed == 1 ? "" : "s",
			   figures_percent(rest, capacity_ns));
}

static void add_busy(const struct account *account, struct buf *text)
{
	uint64_t idle_ns = account->idle_ns + account->iowait_ns + account->steal_ns;
	double idle_percent = figures_percent(idle_ns, account->capacity_ns);
	double busy_percent = idle_percent < 100 ? 100 - idle_percent : 0;

	buf_printf(text, busy_percent < IDLE ? ", idle: %.0f %% busy" : ", %.0f %% busy",
		   busy_percent);
}

/* What else ran. Without the whole machine's samples that is not known. */
static void print_machine(struct first_screen *screen)
{
	const struct account *account = &screen->view->account;
	struct buf text = { 0 };

	if (account->missing || !is_cpu_time(screen))
		return;
	text_parts_add_cpus(screen->run, &text);
	add_busy(account, &text);
	if (is_of_command(screen) && !view_is_of_part(screen->view)) {
		buf_printf(&text, ": this command %.0f %%",
			   figures_percent(screen->view->parts.command, account->capacity_ns));
		add_others(screen, account->capacity_ns, &text);
		buf_add_str(&text, " (--machine)");
	}
	print_paragraph(screen, "Machine", &text);
	buf_done(&text);
}

/* What a folder of profiles was read for. */
static void print_history(struct first_screen *screen)
{
	const struct view *view = screen->view;
	struct buf text = { 0 };

	if (!view->history)
		return;
	safe_text(&text, view->history);
	buf_add_str(&text, ", ");
	figures_times(&text, account_real_ns(screen->profile, view->from_ns),
		      account_real_ns(screen->profile, view->to_ns));
	buf_printf(&text, ", %zu profile%s", view->history_parts,
		   view->history_parts == 1 ? "" : "s");
	print_paragraph(screen, "History", &text);
	buf_done(&text);
}

static void print_marks(struct first_screen *screen)
{
	struct buf text = { 0 };

	mark_list_add(screen->view, &text);
	print_paragraph(screen, "Marks", &text);
	buf_done(&text);
}

static void print_selection(struct first_screen *screen)
{
	struct buf text = { 0 };

	if (!screen->view->selection)
		return;
	safe_text(&text, screen->view->selection);
	buf_add_str(&text, ": ");
	figures_count(&text, screen->view->selected_samples);
	buf_add_str(&text, " samples");
	print_paragraph(screen, "Selection", &text);
	buf_done(&text);
}

/* ---- programs ---- */

static void add_runs(const struct program_share *share, struct buf *text)
{
	if (share->runs > 1)
		buf_printf(text, " (%zu runs)", share->runs);
}

static void print_programs(struct first_screen *screen)
{
	const struct program_shares *here = &screen->here;
	struct buf text = { 0 };
	size_t listed = 0;

	for (; listed < here->rows.count && listed < MOST_PROGRAMS; listed++) {
		const struct program_share *share = &here->rows.items[listed];

		if (!share->hits.samples ||
		    (listed &&
		     figures_percent(share->hits.weight, here->sum.weight) < LEAST_PERCENT))
			break;
		buf_add_str(&text, listed ? ", " : "");
		add_share(screen, share->program, share->hits.weight, here->sum.weight, &text);
		add_runs(share, &text);
	}
	if (listed && listed < here->rows.count)
		buf_printf(&text, ", %zu more", here->rows.count - listed);
	print_paragraph(screen, "Programs", &text);
	buf_done(&text);
}

/* The functions that a Python program is made of, if it tells them: the table has those of its
 * interpreter. */
static void print_python(struct first_screen *screen)
{
	const struct summary *summary = screen->view->summary;
	struct python_shares python = { 0 };
	struct buf text = { 0 }, name = { 0 };
	size_t listed = 0;

	if (!summary)
		return;
	python_shares_make(screen->profile, summary->totals, summary->total_count, screen->event,
			   &python);
	for (; listed < python.rows.count && listed < MOST_PROGRAMS; listed++) {
		const struct python_share *share = &python.rows.items[listed];
		double percent = figures_percent(share->hits.weight, screen->here.sum.weight);

		if (percent < LEAST_PERCENT)
			break;
		buf_clear(&name);
		python_shares_add_name(profile_text(screen->profile, share->name), &name);
		buf_add_str(&text, listed ? ", " : "");
		safe_text_cut(&text, buf_text(&name), NAME_WIDTH);
		buf_printf(&text, " %.0f %%", percent);
	}
	if (listed && listed < python.rows.count)
		buf_printf(&text, ", %zu more", python.rows.count - listed);
	print_paragraph(screen, "Python", &text);
	python_shares_done(&python);
	buf_done(&name);
	buf_done(&text);
}

/* The units of systemd, containers and other control groups, where there are several. A command that
 * was launched is in that of its caller. */
static void print_units(struct first_screen *screen)
{
	const struct summary *summary = screen->view->summary;
	const struct run_facts *run = screen->run;
	struct unit_shares units = { 0 };
	struct buf text = { 0 };
	size_t listed = 0;

	if (!summary || (run->command && *run->command))
		return;
	unit_shares_make(screen->profile, summary->totals, summary->total_count, screen->event,
			 &units);
	for (; listed < units.rows.count && listed < MOST_UNITS; listed++) {
		const struct unit_share *unit = &units.rows.items[listed];
		double percent = figures_percent(unit->hits.weight, units.sum.weight);

		if (percent < LEAST_PERCENT)
			break;
		buf_add_str(&text, listed ? ", " : "");
		safe_text_cut(&text, unit->name, NAME_WIDTH);
		buf_printf(&text, " %.0f %%", percent);
	}
	if (listed < units.rows.count)
		buf_printf(&text, ", %zu more", units.rows.count - listed);
	if (listed > 1)
		print_paragraph(screen, "Units", &text);
	unit_shares_done(&units);
	buf_done(&text);
}

/* ---- functions ---- */

/* Imports may have one sample with the weight of many. */
static bool is_by_chance(const struct first_screen *screen, uint64_t samples)
{
	return samples < LEAST_SAMPLES && !account_is_import(screen->profile);
}

static bool is_shown(const struct first_screen *screen, const struct table_row *row)
{
	return row->event == screen->event && row->self.weight &&
	       !is_by_chance(screen, row->self.samples);
}

/* The samples of the function that has most. */
static uint64_t most_samples(const struct first_screen *screen)
{
	const struct table *table = screen->view->functions;
	uint64_t most = 0;

	for (size_t i = 0; i < table->rows.count; i++) {
		const struct table_row *row = &table->rows.items[i];

		if (row->event == screen->event && row->self.samples > most)
			most = row->self.samples;
	}
	return most;
}

static bool has_few(const struct first_screen *screen)
{
	return split_sum(&screen->sum).samples < FEW_SAMPLES ||
	       is_by_chance(screen, most_samples(screen));
}

static void print_few(struct first_screen *screen)
{
	uint64_t samples = split_sum(&screen->sum).samples;
	struct buf text = { 0 };

	if (!samples) {
		buf_add_str(&text, "no samples: it hardly used the CPU");
	} else {
		buf_printf(&text, "only %" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
		if (samples >= FEW_SAMPLES)
			buf_printf(&text, ", at most %" PRIu64 " in one function",
				   most_samples(screen));
		buf_add_str(&text, ": too few to compare functions");
	}
	print_paragraph(screen, "Functions", &text);
	buf_done(&text);
}

struct functions {
	const struct table *table;
	struct columns *columns;
	struct addresses addresses;
	double most; /* percent of the first row */
};

static void add_instructions(const struct first_screen *screen, struct functions *functions,
			     uint32_t symbol)
{
	const struct hit_instructions_limits limits = { INSTRUCTIONS, NAME_WIDTH };
	const struct routine routine = {
		.symbol = symbol,
		.image = screen->profile->symbols.items[symbol].image,
	};

	if (screen->view->instructions && symbol)
		hit_instructions_add(screen->view, &functions->addresses, &routine, &limits,
				     functions->columns);
}

/* The same function's own share of another event. */
static void add_beside(const struct functions *functions, const struct table_row *row,
		       uint8_t event)
{
	const struct table *table = functions->table;
	const uint64_t *wanted = &table->values.items[row->values];

	for (size_t i = 0; i < table->rows.count; i++) {
		const struct table_row *other = &table->rows.items[i];

		if (other->event == event && memcmp(&table->values.items[other->values], wanted,
						    table->keys.count * sizeof(*wanted)) == 0) {
			columns_printf(functions->columns, "%.1f %%",
				       table_self_percent(table, other));
			return;
		}
	}
	columns_add(functions->columns, "-");
}

static void add_function(const struct first_screen *screen, struct functions *functions,
			 const struct table_row *row)
{
	const struct table *table = functions->table;
	struct columns *columns = functions->columns;
	double self = table_self_percent(table, row);
	struct buf text = { 0 };

	columns_tint(columns, tint_of_share(self));
	columns_printf(columns, "%.1f %%", self);
	columns_printf(columns, "%.1f %%", table_percent(table, row));
	for (size_t i = 0; i < screen->beside_count; i++)
		add_beside(functions, row, screen->beside[i]);
	/* The file has a column of its own. */
	table->keys.items[0]->beside(table->labels, table->values.items[row->values],
				     columns_cell(columns));
	columns_end_cell(columns);
	table_text(table, row, 1, &text);
	columns_add(columns, file_base(buf_text(&text)));
	if (screen->view->screen.colour)
		columns_bar(columns, functions->most > 0 ? self / functions->most : 0);
	buf_done(&text);
	add_instructions(screen, functions, (uint32_t)table->values.items[row->values]);
}

static const char *event_name(const struct first_screen *screen, uint8_t event)
{
	return profile_text(screen->profile, screen->profile->events[event].name);
}

/* The events of -e that are shown beside the clock. */
static void find_beside(struct first_screen *screen)
{
	const struct table *table = screen->view->functions;

	for (uint8_t event = 0; event < screen->profile->event_count; event++) {
		if (event != screen->event && table->sums[event].samples &&
		    !account_is_of_threads(screen->profile, event) &&
		    screen->beside_count < MOST_BESIDE)
			screen->beside[screen->beside_count++] = event;
	}
}

/* "function (% of the command's CPU time)": what all percentages are of. */
static void add_title(const struct first_screen *screen, struct buf *title)
{
	buf_printf(title, "function (%% of %s ",
		   is_of_command(screen)     ? "the command's"
		   : screen->view->selection ? "the selected"
					     : "all");
	if (is_cpu_time(screen) && !account_is_of_threads(screen->profile, screen->event))
		buf_add_str(title, "CPU time)");
	else
		buf_printf(title, "%s)", event_name(screen, screen->event));
}

/* Bars are for terminals. */
static struct columns *function_columns(const struct first_screen *screen, const char *title)
{
	struct column spec[MOST_BESIDE + 5] = { { "self", true, 0 }, { "total", true, 0 } };
	const bool bars = screen->view->screen.colour;
	struct columns *columns;
	size_t count = 2;

	for (size_t i = 0; i < screen->beside_count; i++)
		spec[count++] = (struct column){ event_name(screen, screen->beside[i]), true, 0 };
	spec[count++] = (struct column){ title, false, 0 };
	spec[count++] = (struct column){ "file", false, 0 };
	if (bars)
		spec[count++] = (struct column){ "", false, BAR_WIDTH };
	columns = columns_for(&screen->view->screen, spec, count);
	if (bars)
		columns_spare(columns, count - 1);
	columns_save_line(columns);
	return columns;
}

/* The functions that took most of the summary's event themselves. */
static void print_functions(struct first_screen *screen, size_t most)
{
	const struct summary *summary = screen->view->summary;
	const struct table *table = screen->view->functions;
	struct functions functions = { .table = table };
	struct buf title = { 0 };
	size_t listed = 0;

	find_beside(screen);
	add_title(screen, &title);
	functions.columns = function_columns(screen, buf_text(&title));
	functions.addresses = hit_instructions_collect(screen->view, summary->totals,
						       summary->total_count, ROUTINES_ALL);
	for (size_t i = 0; i < table->rows.count && listed < most; i++) {
		const struct table_row *row = &table->rows.items[i];

		if (!is_shown(screen, row))
			continue;
		if (!listed++)
			functions.most = table_self_percent(table, row);
		add_function(screen, &functions, row);
	}
	fputc('\n', screen->out);
	columns_print(functions.columns, 0, screen->out);
	fputc('\n', screen->out);
	columns_free(functions.columns);
	buf_done(&title);
	routines_addresses_done(&functions.addresses);
}

/* ---- quality, and what to do next ---- */

static void print_quality(struct first_screen *screen)
{
	struct buf text = { 0 };

	screen_notes_add_quality(screen->view, &text);
	buf_add_str(&text, " (report --quality)");
	print_paragraph(screen, "Quality", &text);
	buf_done(&text);
}

/* It has what a library in the processes could see: 'prospect preload'. */
static bool was_preloaded(const struct first_screen *screen)
{
	return screen->run->rung && strcmp(screen->run->rung, "preload") == 0;
}

/* "prospect --off-cpu COMMAND", if that can be typed again and is short enough for a hint. */
static void add_again(const struct first_screen *screen, const char *option, struct buf *text)
{
	const char *command = screen->run->command;

	buf_add_str(text, text->size ? "  |  " : "");
	if (command && *command && strlen(command) <= HINT_WIDTH && text_is_words(command))
		buf_printf(text, "prospect %s%s %s", was_preloaded(screen) ? "preload " : "",
			   option, command);
	else
		buf_printf(text, "the same with %s", option);
}

static void add_hint_word(struct buf *words, const char *before, const char *word)
{
	if (!word)
		return;
	buf_add_str(words, before);
	text_add_word(words, word);
}

/* Of the same profile and time. */
static void add_views(const struct first_screen *screen, struct buf *text)
{
	const struct view *view = screen->view;
	struct buf words = { 0 };

	add_hint_word(&words, " --since ", view->since);
	add_hint_word(&words, " --until ", view->until);
	add_hint_word(&words, " ", view->file);
	if (words.size <= HINT_WIDTH && text_is_words(buf_text(&words)))
		buf_printf(text, "prospect flame%s  |  prospect graph%s", buf_text(&words),
			   buf_text(&words));
	else
		buf_add_str(text, "prospect flame or graph in place of report");
	buf_done(&words);
}

/* True if a higher rate would give enough samples of the command. One that hardly uses the CPU has
 * few samples at any rate. */
static bool would_have_enough(const struct first_screen *screen)
{
	double rate = screen->profile->events[screen->event].rate_hz;

	return rate > 0 && rate < HIGH_RATE &&
	       (double)split_sum(&screen->sum).samples * HIGH_RATE / rate >= ENOUGH_SAMPLES;
}

static void print_next(struct first_screen *screen)
{
	const struct off_cpu_account *waits = screen->view->off_cpu;
	bool of_command = is_of_command(screen), few = of_command && has_few(screen);
	struct buf text = { 0 };
	char option[16];

	if (!few || waits->known)
		add_views(screen, &text);
	if (of_command && !waits->known && !was_preloaded(screen))
		add_again(screen, "--off-cpu", &text);
	snprintf(option, sizeof(option), "-F %d", HIGH_RATE);
	if (few && !was_preloaded(screen) && would_have_enough(screen))
		add_again(screen, option, &text);
	print_paragraph(screen, "Next", &text);
	buf_done(&text);
}

/* ---- the screen ---- */

/* The lines of the screen that are left when @used are taken. A file has room. */
static size_t lines_left(const struct first_screen *screen, size_t used)
{
	size_t lines = screen->view->screen.lines ? screen->view->screen.lines : SIZE_MAX;

	return lines > used ? lines - used : 0;
}

/* What @print prints, whose lines are counted. The caller frees it. */
static char *printed(struct first_screen *screen, void (*print)(struct first_screen *screen))
{
	FILE *out = screen->out;
	char *text = NULL;
	size_t size;

	screen->out = xopen_memstream(&text, &size);
	print(screen);
	xclose_memstream(screen->out);
	screen->out = out;
	return text;
}

static void print_last(struct first_screen *screen)
{
	print_quality(screen);
	print_next(screen);
}

/* What comes below the functions, which have the room that it leaves, and some in any case. */
static void print_rest(struct first_screen *screen)
{
	_cleanup_free_ char *last = printed(screen, print_last);

	print_programs(screen);
	print_python(screen);
	print_units(screen);
	text_off_cpu_print(screen->view, WAITS, screen->out);
	hit_instructions_print_note(screen->view, screen->out);
	screen->lines +=
		screen_notes_print(screen->view, screen->width,
				   lines_left(screen, screen->lines + TABLE_LINES + LEAST_ROWS +
							      PROMPT_LINES + LEFT_OUT_LINES),
				   screen->out);
	fputs(last, screen->out);
}

/* How many functions there is room for. */
static size_t rows_left(const struct first_screen *screen)
{
	size_t most = screen->view->screen.lines > TALL ? MOST_ROWS_IF_TALL : MOST_ROWS;
	size_t room = lines_left(screen, screen->lines + TABLE_LINES + PROMPT_LINES);

	if (room > most)
		room = most;
	return room < LEAST_ROWS ? LEAST_ROWS : room;
}

static void make_shares(struct first_screen *screen)
{
	const struct view *view = screen->view;
	const struct summary *summary = view->summary;
	bool timed = !account_is_import(screen->profile);
	/* What ended is not of this time: a part of a history still has its row. */
	uint64_t from_ns = timed ? view->from_ns : 0;
	uint64_t to_ns =
		timed && (screen->run->end_ns || view_is_of_part(view)) ? view->to_ns : UINT64_MAX;
	/* Waits are not what the screen's figures are of, even if there is nothing else. */
	bool sampled = summary && !account_is_of_threads(screen->profile, summary->event);

	screen->event = sampled ? summary->event : account_main_event(screen->profile);
	screen->sum = sampled ? summary->sum : (struct split){ 0 };
	program_shares_make(screen->profile, summary ? summary->totals : NULL,
			    summary ? summary->total_count : 0, screen->event,
			    is_of_command(screen) ? PROGRAMS_OF_COMMAND : PROGRAMS_ALL, from_ns,
			    to_ns, &screen->here);
	program_shares_make(screen->profile, view->others, view->other_count, screen->event,
			    PROGRAMS_OF_OTHERS, from_ns, to_ns, &screen->others);
}

static void begin(struct first_screen *screen, const struct view *view, FILE *out)
{
	*screen = (struct first_screen){ .view = view,
					 .profile = view->labels->profile,
					 .run = &view->labels->profile->run,
					 .width = view->screen.columns > LEAST_COLUMNS
							  ? view->screen.columns
							  : DEFAULT_COLUMNS,
					 .out = out };
	make_shares(screen);
	print_subject(screen);
	print_history(screen);
	print_marks(screen);
	print_machine(screen);
	print_selection(screen);
}

static void end(struct first_screen *screen)
{
	program_shares_done(&screen->here);
	program_shares_done(&screen->others);
}

void text_screen_print_head(const struct view *view, FILE *out)
{
	struct first_screen screen;

	begin(&screen, view, out);
	screen_notes_print(view, screen.width, SIZE_MAX, out);
	print_quality(&screen);
	end(&screen);
}

void text_screen_print(const struct view *view, FILE *out)
{
	_cleanup_free_ char *rest = NULL;
	struct first_screen screen;

	begin(&screen, view, out);
	rest = printed(&screen, print_rest);
	if (has_few(&screen))
		print_few(&screen);
	else
		print_functions(&screen, rows_left(&screen));
	fputs(rest, out);
	end(&screen);
}
