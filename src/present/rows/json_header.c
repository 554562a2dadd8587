/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/json_header.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_add.h"
#include "present/figures.h"
#include "present/mark_list.h"
#include "present/waited.h"

enum { REAL_DIGITS = 10 };

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static void real(struct buf *json, const char *name, double value)
{
	json_add_real(json, name, value, REAL_DIGITS);
}

static void real_or_null(struct buf *json, const char *name, bool known, double value)
{
	real(json, name, known ? value : NAN);
}

static void percent_or_null(struct buf *json, const char *name, uint64_t part, uint64_t whole)
{
	real_or_null(json, name, whole, 100.0 * (double)part / (double)whole);
}

static void seconds_or_null(struct buf *json, const char *name, bool known, uint64_t ns)
{
	real_or_null(json, name, known, seconds(ns));
}

static void add_losses(const struct profile *profile, struct buf *json)
{
	json_add_begin(json, "lost", '{');
	for (int i = 0; i < LOSS_COUNT; i++)
		json_add_number(json, loss_name((enum loss_reason)i),
				profile_loss(profile, (enum loss_reason)i).count);
	json_add_end(json, '}');
}

/* In a view of a part of the time: the reasons for losses without times, which may be of any part. */
static void add_losses_without_times(const struct view *view, struct buf *json)
{
	const struct profile *profile = view->labels->profile;

	if (!view_is_of_part(view))
		return;
	json_add_begin(json, "lost_without_times", '[');
	for (int i = 0; i < LOSS_COUNT; i++) {
		bool is_any = false;

		for (size_t event = 0; event < profile->event_count; event++)
			is_any |= profile->events[event].loss[i].count &&
				  !profile_loss_has_times(profile, event, (enum loss_reason)i);
		if (is_any)
			json_add_text(json, NULL, loss_name((enum loss_reason)i));
	}
	json_add_end(json, ']');
}

/* Images whose file systems did not answer in time. */
static void add_images_not_read(const struct profile *profile, struct buf *json)
{
	json_add_begin(json, "not_read", '[');
	for (size_t i = 1; i < profile->images.count; i++) {
		const struct image *image = &profile->images.items[i];

		if (profile_is_late(profile, (uint32_t)i))
			json_add_text_or_null(json, NULL, profile_text(profile, image->path));
	}
	json_add_end(json, ']');
}

static void add_event(const struct profile *profile, const struct event *event, struct buf *json)
{
	json_add_begin(json, NULL, '{');
	json_add_text_or_null(json, "name", profile_text(profile, event->name));
	json_add_text_or_null(json, "unit", profile_text(profile, event->unit));
	json_add_text(json, "clock", clock_kind_name(event->clock));
	if (event->period)
		json_add_number(json, "period", event->period);
	else
		real_or_null(json, "rate_hz", event->rate_hz > 0, event->rate_hz);
	json_add_number(json, "samples", event->samples);
	json_add_number(json, "user", event->user_samples);
	json_add_number(json, "kernel", event->kernel_samples);
	json_add_number(json, "weight", event->weight);
	json_add_number(json, "lost", account_lost_samples(event));
	json_add_end(json, '}');
}

static void add_events(const struct profile *profile, struct buf *json)
{
	json_add_begin(json, "events", '[');
	for (size_t i = 0; i < profile->event_count; i++)
		add_event(profile, &profile->events[i], json);
	json_add_end(json, ']');
}

static void add_cost(const struct profile *profile, struct buf *json)
{
	const struct run_facts *run = &profile->run;
	const struct account_cost cost = account_cost(profile);
	bool finished = account_wall_ns(profile) != 0;

	json_add_begin(json, "cost", '{');
	seconds_or_null(json, "cpu_s", finished, run->self_cpu_ns);
	seconds_or_null(json, "interrupt_s", run->interrupt_known != 0, run->interrupt_ns);
	seconds_or_null(json, "bpf_s", finished, run->bpf_ns);
	seconds_or_null(json, "recording_cpu_s", finished && cost.apart, cost.recording_ns);
	seconds_or_null(json, "once_cpu_s", finished && cost.apart, cost.once_ns);
	real_or_null(json, "percent", finished, cost.percent);
	json_add_bool(json, "percent_is_most", finished && !cost.apart && run->self_cpu_ns);
	json_add_number_or_null(json, "max_rss_kb", run->max_rss_kb);
	json_add_end(json, '}');
}

static void add_ring(const struct run_facts *run, struct buf *json)
{
	bool known = run->ring_kb != 0;

	json_add_begin(json, "ring", '{');
	json_add_number_or_null(json, "size_kb", run->ring_kb);
	real_or_null(json, "high_water_percent", known, (double)run->ring_high_water_permille / 10);
	real_or_null(json, "mean_percent", known, (double)run->ring_mean_permille / 10);
	json_add_end(json, '}');
}

static void add_account(const struct account *account, struct buf *json)
{
	if (account->missing) {
		json_add_null(json, "account");
		return;
	}
	json_add_begin(json, "account", '{');
	real(json, "capacity_s", seconds(account->capacity_ns));
	real(json, "sampled_s", seconds(account->sampled_ns));
	real(json, "idle_s", seconds(account->idle_ns));
	real(json, "iowait_s", seconds(account->iowait_ns));
	real(json, "steal_s", seconds(account->steal_ns));
	if (account->not_recorded_ns)
		real(json, "not_recorded_s", seconds(account->not_recorded_ns));
	json_add_begin(json, "lost_s", '{');
	for (int i = 0; i < LOSS_COUNT; i++)
		real(json, loss_name((enum loss_reason)i), seconds(account->lost_by_reason_ns[i]));
	json_add_end(json, '}');
	real(json, "residue_s", (double)account->residue_ns / (double)NS_PER_S);
	real(json, "shortfall_s", seconds(account->shortfall_ns));
	json_add_end(json, '}');
}

static void add_reasons(const struct waited *waited, struct buf *json)
{
	if (waited->known != WAITED_REASONS) {
		json_add_null(json, "waited_by_reason_s");
		return;
	}
	json_add_begin(json, "waited_by_reason_s", '{');
	for (int i = 0; i < WAITED_ROWS; i++)
		real(json, waited->rows[i].name, seconds(waited->rows[i].ns));
	json_add_end(json, '}');
}

static void add_command_time(const struct run_facts *run, struct buf *json)
{
	const struct waited waited = waited_of(run);
	bool ended = run->command_user_ns || run->command_system_ns;

	if (!waited.elapsed_ns)
		return;
	json_add_begin(json, "command_time", '{');
	real(json, "elapsed_s", seconds(waited.elapsed_ns));
	seconds_or_null(json, "user_s", ended, run->command_user_ns);
	seconds_or_null(json, "system_s", ended, run->command_system_ns);
	seconds_or_null(json, "waited_s", waited.known != WAITED_NOT_KNOWN, waited.total_ns);
	real_or_null(json, "waited_percent", waited.known != WAITED_NOT_KNOWN,
		     figures_percent(waited.total_ns, waited.elapsed_ns));
	add_reasons(&waited, json);
	seconds_or_null(json, "locks_s", waited.known == WAITED_REASONS, waited.locks_ns);
	json_add_end(json, '}');
}

/* A text's sentences, one per line of the text. */
static void add_sentences(const char *name, const char *text, struct buf *json)
{
	struct buf sentence = { 0 };

	json_add_begin(json, name, '[');
	while (text && *text) {
		size_t length = strcspn(text, "\n");

		buf_clear(&sentence);
		buf_add(&sentence, text, length);
		if (length)
			json_add_text(json, NULL, buf_text(&sentence));
		text += length;
		text += *text == '\n';
	}
	json_add_end(json, ']');
	buf_done(&sentence);
}

static void add_samples(const struct profile *profile, struct buf *json)
{
	uint64_t samples = 0, user = 0, kernel = 0;

	for (size_t i = 0; i < profile->event_count; i++) {
		samples += profile->events[i].samples;
		user += profile->events[i].user_samples;
		kernel += profile->events[i].kernel_samples;
	}
	json_add_number(json, "samples", samples);
	json_add_number(json, "user", user);
	json_add_number(json, "kernel", kernel);
}

static void add_times(const struct view *view, struct buf *json)
{
	const struct profile *profile = view->labels->profile;
	const struct account *account = &view->account;
	uint64_t wall_ns = account_wall_ns(profile);
	bool machine = !account->missing;

	json_add_number_or_null(json, "cpus", profile->run.cpus);
	if (profile->run.only_cpus && *profile->run.only_cpus)
		json_add_text(json, "only_cpus", profile->run.only_cpus);
	seconds_or_null(json, "duration_s", wall_ns != 0, wall_ns);
	seconds_or_null(json, "idle_s", machine, account->idle_ns + account->iowait_ns);
	seconds_or_null(json, "steal_s", machine, account->steal_ns);
	real_or_null(json, "residue_percent", machine, account->residue_percent);
}

static void add_broken_image(const struct profile *profile, const struct broken_image *row,
			     struct buf *json)
{
	const struct image *image = &profile->images.items[row->image];

	json_add_begin(json, NULL, '{');
	json_add_text_or_null(json, "image", profile_text(profile, image->path));
	json_add_text(json, "end", stack_end_name(row->end));
	json_add_number(json, "samples", row->hits.samples);
	json_add_number(json, "weight", row->hits.weight);
	json_add_end(json, '}');
}

static void add_remedy(const struct profile *profile, const struct remedy *remedy, struct buf *json)
{
	json_add_begin(json, NULL, '{');
	json_add_text_or_null(json, "program", profile_text(profile, remedy->program));
	json_add_number(json, "samples", remedy->samples);
	json_add_number(json, "of", remedy->whole);
	json_add_text(json, "why", remedy->why);
	json_add_text_or_null(json, "fix", remedy->fix);
	json_add_end(json, '}');
}

/* How the stacks of the main event end. */
static void add_stacks(const struct view *view, struct buf *json)
{
	const struct profile *profile = view->labels->profile;
	const struct completeness *known = view->completeness;

	if (!known || !known->recorded) {
		json_add_null(json, "stacks");
		return;
	}
	json_add_begin(json, "stacks", '{');
	json_add_text_or_null(json, "recorded", profile->run.stacks);
	json_add_number(json, "samples", known->whole.samples);
	percent_or_null(json, "complete_percent", known->ends[STACK_COMPLETE].samples,
			known->whole.samples);
	json_add_begin(json, "ends", '{');
	for (int end = 0; end < STACK_END_COUNT; end++)
		json_add_number(json, stack_end_name((enum stack_end)end),
				known->ends[end].samples);
	json_add_end(json, '}');
	json_add_begin(json, "broken", '[');
	for (size_t i = 0; i < known->images.count; i++)
		add_broken_image(profile, &known->images.items[i], json);
	json_add_end(json, ']');
	json_add_begin(json, "remedies", '[');
	for (size_t i = 0; i < known->remedies.count; i++)
		add_remedy(profile, &known->remedies.items[i], json);
	json_add_end(json, ']');
	json_add_end(json, '}');
}

static void add_header(const struct view *view, struct buf *json)
{
	const struct profile *profile = view->labels->profile;
	const struct run_facts *run = &profile->run;
	const struct naming *naming = &view->naming;

	json_add_begin(json, NULL, '{');
	json_add_number(json, "version", JSON_VERSION);
	json_add_text_or_null(json, "prospect_version", run->prospect_version);
	json_add_text_or_null(json, "command", run->command);
	json_add_text_or_null(json, "scope", run->scope);
	json_add_text(json, "shown", scope_name(view->scope));
	json_add_text_or_null(json, "selection", view->selection);
	add_samples(profile, json);
	add_losses(profile, json);
	add_losses_without_times(view, json);
	add_images_not_read(profile, json);
	add_events(profile, json);
	add_times(view, json);
	mark_list_add_json(view, json);
	percent_or_null(json, "unresolved_percent", naming->unresolved, naming->whole);
	percent_or_null(json, "bracketed_percent", naming->bracketed, naming->whole);
	add_stacks(view, json);
	add_cost(profile, json);
	add_ring(run, json);
	add_account(&view->account, json);
	add_command_time(run, json);
	add_sentences("not_visible", run->not_visible, json);
	if (run->costs_more && *run->costs_more)
		add_sentences("costs_more", run->costs_more, json);
	if (run->names_added && *run->names_added)
		add_sentences("names_added", run->names_added, json);
	if (view->instructions)
		json_add_text_or_null(json, "no_instructions",
				      view->instructions->note(view->instructions->context));
	json_add_end(json, '}');
}

void json_header_print(const struct view *view, FILE *out)
{
	struct buf json = { 0 }, spread = { 0 };

	add_header(view, &json);
	json_add_spread(&spread, &json, 0);
	fwrite(spread.bytes, 1, spread.size, out);
	buf_done(&json);
	buf_done(&spread);
}
