/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/report_head.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "present/figures.h"
#include "present/mark_list.h"
#include "present/paragraph.h"
#include "present/safe.h"
#include "present/text/text_parts.h"
#include "present/text/text_waited.h"
#include "present/waited.h"

enum {
	REMEDY_PERCENT = 1, /* of the stacks: smaller remedies are left out */
};

struct head {
	const struct view *view;
	const struct profile *profile;
	const struct run_facts *run;
	FILE *out;
	struct buf text; /* of the current paragraph */
};

/* Prints head->text after its label, broken into lines, and empties it. */
static void print_paragraph(struct head *head, const char *label)
{
	paragraph_print(label, buf_text(&head->text), paragraph_width(&head->view->screen),
			head->out);
	buf_clear(&head->text);
}

static void add_status(struct buf *text, int status)
{
	if (WIFSIGNALED(status))
		buf_printf(text, " (ended by signal %d)", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		buf_printf(text, " (exit status %d)", WEXITSTATUS(status));
}

void report_head_add_state(const struct view *view, struct buf *text)
{
	const struct run_facts *run = &view->labels->profile->run;

	if (run->command_pid && run->end_ns)
		add_status(text, (int)run->command_status);
	if (!run->end_ns)
		buf_add_str(text,
			    view->live ? " (still recording)" : " (the recording was cut short)");
}

static void add_recorder(struct buf *text, const struct run_facts *run)
{
	buf_add_str(text, "; recorded by ");
	safe_text(text, run->rung && *run->rung ? run->rung : "perf");
}

static void print_subject(struct head *head)
{
	const struct run_facts *run = head->run;
	bool command = run->command && *run->command;

	if (!run->scope || !*run->scope) {
		buf_add_str(&head->text, "unknown: the recording was killed as it began");
		print_paragraph(head, "Profile of");
		return;
	}
	safe_text(&head->text, command ? run->command : "running processes");
	if (command && run->command_pid && run->end_ns)
		add_status(&head->text, (int)run->command_status);
	if (run->scope && strcmp(run->scope, "machine") == 0)
		buf_add_str(&head->text, "; the whole machine");
	else if (run->scope && strcmp(run->scope, "command") == 0)
		buf_add_str(&head->text, "; its processes only");
	else if (account_is_import(head->profile))
		add_recorder(&head->text, run);
	else
		buf_add_str(&head->text, "; selected processes only");
	if (run->cpus) {
		buf_add_str(&head->text, ", ");
		text_parts_add_cpus(run, &head->text);
	}
	if (account_wall_ns(head->profile)) {
		buf_add_str(&head->text, ", ");
		figures_seconds(&head->text, account_wall_ns(head->profile));
	}
	if (!run->end_ns)
		buf_add_str(&head->text, head->view->live ? "; still recording"
							  : "; the recording was cut short");
	print_paragraph(head, "Profile of");
}

static void print_recorded(struct head *head)
{
	const struct run_facts *run = head->run;
	time_t seconds = (time_t)(run->start_realtime_ns / NS_PER_S);
	char when[64] = "";
	struct tm tm;

	if (!seconds || !gmtime_r(&seconds, &tm))
		return;
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	buf_add_str(&head->text, when);
	if (run->hostname) {
		buf_add_str(&head->text, " on ");
		safe_text(&head->text, run->hostname);
	}
	if (run->kernel_release) {
		buf_add_str(&head->text, ", kernel ");
		safe_text(&head->text, run->kernel_release);
	}
	if (run->machine) {
		buf_add_char(&head->text, ' ');
		safe_text(&head->text, run->machine);
	}
	print_paragraph(head, "Recorded");
}

static void print_marks(struct head *head)
{
	mark_list_add(head->view, &head->text);
	if (head->text.size)
		print_paragraph(head, "Marks");
}

/* The time of the command, or of the processes of -p, and whether they waited. */
static void print_command(struct head *head)
{
	const struct waited waited = waited_of(head->run);

	if (!waited.elapsed_ns)
		return;
	text_waited_time(&head->text, &waited, head->run);
	buf_add_str(&head->text, "; ");
	text_waited_reasons(&head->text, &waited);
	print_paragraph(head, "Command");
}

/* The rate or period. In an import, period 1 means that samples had no weight, so it is not
 * shown. */
static void add_rate(const struct profile *profile, const struct event *event, struct buf *text)
{
	if (event->period > 1 || (event->period && !account_is_import(profile))) {
		buf_add_str(text, ", every ");
		figures_count(text, event->period);
	} else if (event->rate_hz > 0) {
		buf_printf(text, ", %g Hz", event->rate_hz);
	}
}

static void add_event(struct head *head, uint8_t number)
{
	const struct event *event = &head->profile->events[number];
	struct buf *text = &head->text;

	figures_count(text, event->samples);
	buf_add_str(text, " of ");
	safe_text(text, profile_text(head->profile, event->name));
	if (account_is_of_threads(head->profile, number)) {
		buf_printf(text, " (%s): ", clock_kind_name(event->clock));
		figures_seconds(text, event->weight);
		return;
	}
	buf_printf(text, " (%s", clock_kind_name(event->clock));
	add_rate(head->profile, event, text);
	buf_add_str(text, "): ");
	figures_count(text, event->user_samples);
	buf_add_str(text, " user, ");
	figures_count(text, event->kernel_samples);
	buf_add_str(text, " kernel");
}

static void print_samples(struct head *head)
{
	for (uint8_t i = 0; i < head->profile->event_count; i++) {
		add_event(head, i);
		print_paragraph(head, i ? "" : "Samples");
	}
	if (!head->profile->event_count) {
		buf_add_str(&head->text, "none");
		print_paragraph(head, "Samples");
	}
}

/* One reason: the count and, for time, the share of CPUs x wall time, as in the account. In a view of a
 * part of the time, losses without times are those of the whole recording. */
static void add_loss(struct head *head, uint8_t event, enum loss_reason reason)
{
	const struct loss *loss = &head->profile->events[event].loss[reason];
	bool is_of_part = view_is_of_part(head->view);
	bool has_times = profile_loss_has_times(head->profile, event, reason);
	uint64_t capacity_ns = is_of_part && has_times ? head->view->account.capacity_ns
						       : account_capacity_ns(head->profile);

	buf_add_str(&head->text, head->text.size ? "; " : "");
	if (loss->count) {
		figures_count(&head->text, loss->count);
		buf_add_char(&head->text, ' ');
	}
	buf_add_str(&head->text, loss_text(reason));
	if (loss->weight && capacity_ns && account_is_time(head->profile, event))
		buf_printf(&head->text, " (%.2f %%)", figures_percent(loss->weight, capacity_ns));
	if (is_of_part && !has_times)
		buf_add_str(&head->text, ", at an unknown time");
}

/* The losses of one event that take samples away, or the others. */
static void add_losses(struct head *head, uint8_t event, bool takes_samples)
{
	const struct loss *losses = head->profile->events[event].loss;

	for (int i = 0; i < LOSS_COUNT; i++) {
		enum loss_reason reason = (enum loss_reason)i;

		if ((losses[i].count || losses[i].weight) &&
		    account_takes_samples(reason) == takes_samples)
			add_loss(head, event, reason);
	}
}

/* Returns true if there was anything to print. */
static bool print_losses(struct head *head, const char *label, bool takes_samples)
{
	const struct profile *profile = head->profile;
	bool any = false;

	for (size_t i = 0; i < profile->event_count; i++) {
		add_losses(head, (uint8_t)i, takes_samples);
		if (!head->text.size)
			continue;
		if (profile->event_count > 1) {
			buf_add_str(&head->text, " [");
			safe_text(&head->text, profile_text(profile, profile->events[i].name));
			buf_add_char(&head->text, ']');
		}
		print_paragraph(head, any ? "" : label);
		any = true;
	}
	return any;
}

static void print_lost(struct head *head)
{
	if (!print_losses(head, "Lost", true)) {
		buf_add_str(&head->text, "nothing");
		print_paragraph(head, "Lost");
	}
	print_losses(head, "Uncertain", false);
}

/* The images by name; their number is among the losses. */
static void print_not_read(struct head *head)
{
	const struct profile *profile = head->profile;
	size_t count = 0;

	for (size_t i = 1; i < profile->images.count; i++) {
		const struct image *image = &profile->images.items[i];

		if (!profile_is_late(profile, (uint32_t)i))
			continue;
		buf_add_str(&head->text, count++ ? "; " : "");
		safe_text(&head->text, profile_text(profile, image->path));
	}
	if (!count)
		return;
	buf_add_str(&head->text, ": the file system did not answer in time");
	print_paragraph(head, "Not read");
}

/* Whose samples are shown, where there is a choice. */
static void print_scope(struct head *head)
{
	const struct scope_parts *parts = &head->view->parts;
	bool of_command = head->view->scope == SCOPE_COMMAND;
	uint64_t part = of_command ? parts->others : parts->command;
	uint64_t whole = parts->command + parts->others;

	if (!head->view->about_command || !head->run->scope ||
	    strcmp(head->run->scope, "machine") != 0)
		return;
	buf_add_str(&head->text, of_command ? "the command; the rest of the machine has "
					    : "the whole machine; the command has ");
	if (part)
		buf_printf(&head->text, "%.2f %%", figures_percent(part, whole));
	else
		buf_add_str(&head->text, "no samples");
	buf_add_str(&head->text, of_command ? " (--machine)" : " (--command)");
	print_paragraph(head, "Shown");
}

static void print_selection(struct head *head)
{
	if (!head->view->selection)
		return;
	safe_text(&head->text, head->view->selection);
	buf_add_str(&head->text, ": ");
	figures_samples(&head->text, head->view->selected_samples);
	print_paragraph(head, "Selection");
}

/* The most frequent reason that was not printed yet; STACK_COMPLETE: none is left. */
static enum stack_end next_end(const struct completeness *known, const bool *told)
{
	enum stack_end most = STACK_COMPLETE;

	for (int end = 0; end < STACK_END_COUNT; end++) {
		if (end != STACK_COMPLETE && !told[end] && known->ends[end].samples &&
		    !completeness_is_apart((enum stack_end)end) &&
		    (most == STACK_COMPLETE ||
		     known->ends[end].samples > known->ends[most].samples))
			most = (enum stack_end)end;
	}
	return most;
}

/* Rounding must not hide that some stacks are cut. */
static void add_share(struct buf *text, const struct completeness *known, enum stack_end end)
{
	double percent = completeness_percent(known, end);

	if (percent > 99.99 && known->ends[end].samples < known->whole.samples)
		buf_add_str(text, "over 99.99 %");
	else if (percent < 0.01 && known->ends[end].samples)
		buf_add_str(text, "below 0.01 %");
	else
		buf_printf(text, "%.2f %%", percent);
}

static void add_end(struct head *head, enum stack_end end)
{
	add_share(&head->text, head->view->completeness, end);
	buf_printf(&head->text, " %s", stack_end_name(end));
	if (end != STACK_COMPLETE)
		buf_printf(&head->text, " (%s)", stack_end_text(end));
}

/* Samples without a user stack are shown, but not part of the percentages. */
static void add_apart(struct head *head, const struct completeness *known)
{
	const char *separator = "; not counting";

	for (int end = 0; end < STACK_END_COUNT; end++) {
		if (!completeness_is_apart((enum stack_end)end) || !known->ends[end].samples)
			continue;
		buf_printf(&head->text, "%s ", separator);
		figures_count(&head->text, known->ends[end].samples);
		buf_printf(&head->text, " %s", stack_end_name((enum stack_end)end));
		separator = " and";
	}
}

/* How to fix a program's stacks, if it is worth a line; later parts list all. */
static void print_remedies(struct head *head, const struct completeness *known)
{
	for (size_t i = 0; i < known->remedies.count; i++) {
		const struct remedy *remedy = &known->remedies.items[i];

		if (!remedy->fix ||
		    figures_percent(remedy->samples, known->whole.samples) < REMEDY_PERCENT)
			continue;
		text_parts_add_remedy(head->view, remedy, &head->text);
		print_paragraph(head, "");
	}
}

static void print_stacks(struct head *head)
{
	const struct completeness *known = head->view->completeness;
	bool told[STACK_END_COUNT] = { false };
	enum stack_end end;

	if (known && known->recorded && known->whole.samples) {
		add_end(head, STACK_COMPLETE);
		while ((end = next_end(known, told)) != STACK_COMPLETE) {
			buf_add_str(&head->text, "; ");
			add_end(head, end);
			told[end] = true;
		}
		add_apart(head, known);
		print_paragraph(head, "Stacks");
		print_remedies(head, known);
	} else if (head->run->stacks && strcmp(head->run->stacks, "none") == 0) {
		buf_add_str(&head->text, "not recorded");
		print_paragraph(head, "Stacks");
	}
}

static void print_unresolved(struct head *head)
{
	const struct naming *naming = &head->view->naming;

	if (!naming->whole)
		return;
	buf_printf(&head->text, "%.2f %% has no symbol; %.2f %% lies between two symbols (a->b)",
		   figures_percent(naming->unresolved, naming->whole),
		   figures_percent(naming->bracketed, naming->whole));
	print_paragraph(head, "Unresolved");
}

/* Per second of the recording if its cost is known separately; otherwise in total. */
static void add_cost(struct head *head, const struct account_cost *cost, uint64_t ns)
{
	double seconds = (double)account_wall_ns(head->profile) / NS_PER_S;

	figures_seconds(&head->text, cost->apart ? (uint64_t)((double)ns / seconds) : ns);
}

static void print_cost(struct head *head)
{
	const struct account_cost cost = account_cost(head->profile);
	const struct run_facts *run = head->run;
	struct buf *text = &head->text;

	if (!account_wall_ns(head->profile) || account_is_import(head->profile))
		return;
	buf_printf(text, cost.apart ? "%.2f %%: per second CPU " : "at most %.2f %%: CPU ",
		   cost.percent);
	add_cost(head, &cost, cost.recording_ns);
	if (!cost.apart)
		buf_add_str(text, " including start and finish");
	buf_add_str(text, ", BPF ");
	add_cost(head, &cost, run->bpf_ns);
	buf_add_str(text, ", interrupts ");
	if (run->interrupt_known)
		add_cost(head, &cost, run->interrupt_ns);
	else
		buf_add_str(text, "not calibrated");
	if (cost.apart) {
		buf_add_str(text, "; start and finish: CPU ");
		figures_seconds(text, cost.once_ns);
	}
	if (run->max_rss_kb)
		buf_printf(text, "; memory %.1f MB", (double)run->max_rss_kb / 1024);
	print_paragraph(head, "Own cost");
}

static void add_term(struct head *head, const char *name, uint64_t ns)
{
	const struct account *account = &head->view->account;

	buf_printf(&head->text, "%s %.2f + ", name,
		   figures_percent(ns, account->capacity_ns + account->not_recorded_ns));
}

static void print_account(struct head *head)
{
	const struct account *account = &head->view->account;
	uint64_t whole_ns = account->capacity_ns + account->not_recorded_ns;
	double residue = 100.0 * (double)account->residue_ns / (double)whole_ns;
	struct buf *text = &head->text;

	if (account->missing) {
		buf_printf(text, "none: %s", account->missing);
		print_paragraph(head, "Account");
		return;
	}
	add_term(head, "sampled", account->sampled_ns);
	add_term(head, "idle", account->idle_ns);
	add_term(head, "iowait", account->iowait_ns);
	add_term(head, "steal", account->steal_ns);
	if (account->not_recorded_ns)
		add_term(head, "not recorded", account->not_recorded_ns);
	add_term(head, "lost", account->lost_ns);
	buf_printf(text, "residue %.2f = 100 %% of ", residue);
	figures_seconds(text, whole_ns);
	print_paragraph(head, "Account");
	if (account->shortfall_percent < 0.01)
		return;
	buf_printf(text,
		   "/proc/stat falls short of the clock by %.2f %%: its idle time is too small by "
		   "up to that",
		   account->shortfall_percent);
	print_paragraph(head, "");
}

/* Prints each line of @sentence (NULL: none) as a paragraph. */
static void print_lines(struct head *head, const char *label, const char *sentence)
{
	while (sentence && *sentence) {
		size_t length = strcspn(sentence, "\n");
		char *one = xstrndup(sentence, length);

		if (*one) {
			safe_text(&head->text, one);
			print_paragraph(head, label);
			label = "";
		}
		free(one);
		sentence += length;
		sentence += *sentence == '\n';
	}
}

static void print_not_visible(struct head *head)
{
	print_lines(head, "Not visible", head->run->not_visible);
	print_lines(head, "Costs more", head->run->costs_more);
}

static void print_names_added(struct head *head)
{
	print_lines(head, "Names added", head->run->names_added);
}

static void print_blind_spot(struct head *head)
{
	bool blind = false;

	for (uint8_t i = 0; i < head->profile->event_count; i++)
		blind = blind || (head->profile->events[i].clock != CLOCK_PMU_NMI &&
				  !account_is_of_threads(head->profile, i) &&
				  head->profile->events[i].kernel_samples);
	if (!blind)
		return;
	buf_add_str(&head->text,
		    "the sampling clock is an interrupt: code that runs with interrupts "
		    "off is charged to the instruction that enables them");
	print_paragraph(head, "Blind spot");
}

void report_head_print(const struct view *view, FILE *out)
{
	struct head head = { .view = view,
			     .profile = view->labels->profile,
			     .run = &view->labels->profile->run,
			     .out = out };

	print_subject(&head);
	print_command(&head);
	print_recorded(&head);
	print_marks(&head);
	print_samples(&head);
	print_scope(&head);
	print_selection(&head);
	print_lost(&head);
	print_not_read(&head);
	print_stacks(&head);
	print_unresolved(&head);
	print_names_added(&head);
	print_cost(&head);
	print_account(&head);
	print_not_visible(&head);
	print_blind_spot(&head);
	buf_done(&head.text);
}

char *report_head_text(const struct view *view)
{
	char *text = NULL;
	size_t size;
	FILE *stream = xopen_memstream(&text, &size);

	report_head_print(view, stream);
	xclose_memstream(stream);
	return text;
}
