/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/rows/json_header.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "present/safe.h"

enum { REAL_DIGITS = 10 };

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

/* A damaged file may hold any number. */
static json_t *real_or_null(bool known, double value)
{
	return known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *percent_or_null(uint64_t part, uint64_t whole)
{
	return whole ? json_real(100.0 * (double)part / (double)whole) : json_null();
}

static json_t *seconds_or_null(bool known, uint64_t ns)
{
	return real_or_null(known, seconds(ns));
}

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* @text as valid UTF-8; NULL or "": null. */
static json_t *text_or_null(const char *text)
{
	struct buf safe = { 0 };
	json_t *made;

	if (!text || !*text)
		return json_null();
	safe_utf8(&safe, text);
	made = json_string(buf_text(&safe));
	buf_done(&safe);
	return made;
}

static json_t *losses(const struct profile *profile)
{
	json_t *object = json_object();

	for (int i = 0; i < LOSS_COUNT; i++)
		json_object_set_new(object, loss_name((enum loss_reason)i),
				    integer(profile_loss(profile, (enum loss_reason)i).count));
	return object;
}

/* Images whose file systems did not answer in time. */
static json_t *images_not_read(const struct profile *profile)
{
	json_t *paths = json_array();

	for (size_t i = 1; i < profile->images.count; i++) {
		const struct image *image = &profile->images.items[i];

		if (profile_is_late(profile, (uint32_t)i))
			json_array_append_new(paths,
					      text_or_null(profile_text(profile, image->path)));
	}
	return paths;
}

static json_t *event_object(const struct profile *profile, const struct event *event)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", text_or_null(profile_text(profile, event->name)));
	json_object_set_new(object, "unit", text_or_null(profile_text(profile, event->unit)));
	json_object_set_new(object, "clock", json_string(clock_kind_name(event->clock)));
	if (event->period)
		json_object_set_new(object, "period", integer(event->period));
	else
		json_object_set_new(object, "rate_hz",
				    real_or_null(event->rate_hz > 0, event->rate_hz));
	json_object_set_new(object, "samples", integer(event->samples));
	json_object_set_new(object, "user", integer(event->user_samples));
	json_object_set_new(object, "kernel", integer(event->kernel_samples));
	json_object_set_new(object, "weight", integer(event->weight));
	json_object_set_new(object, "lost", integer(account_lost_samples(event)));
	return object;
}

static json_t *events(const struct profile *profile)
{
	json_t *array = json_array();

	for (size_t i = 0; i < profile->event_count; i++)
		json_array_append_new(array, event_object(profile, &profile->events[i]));
	return array;
}

static json_t *cost(const struct profile *profile)
{
	const struct run_facts *run = &profile->run;
	const struct account_cost cost = account_cost(profile);
	bool finished = account_wall_ns(profile) != 0;
	json_t *object = json_object();

	json_object_set_new(object, "cpu_s", seconds_or_null(finished, run->self_cpu_ns));
	json_object_set_new(object, "interrupt_s",
			    seconds_or_null(run->interrupt_known != 0, run->interrupt_ns));
	json_object_set_new(object, "bpf_s", seconds_or_null(finished, run->bpf_ns));
	json_object_set_new(object, "recording_cpu_s",
			    seconds_or_null(finished && cost.apart, cost.recording_ns));
	json_object_set_new(object, "once_cpu_s",
			    seconds_or_null(finished && cost.apart, cost.once_ns));
	json_object_set_new(object, "percent", real_or_null(finished, cost.percent));
	json_object_set_new(object, "percent_is_most",
			    json_boolean(finished && !cost.apart && run->self_cpu_ns));
	json_object_set_new(object, "max_rss_kb",
			    run->max_rss_kb ? integer(run->max_rss_kb) : json_null());
	return object;
}

static json_t *ring(const struct run_facts *run)
{
	bool known = run->ring_kb != 0;
	json_t *object = json_object();

	json_object_set_new(object, "size_kb", known ? integer(run->ring_kb) : json_null());
	json_object_set_new(object, "high_water_percent",
			    real_or_null(known, (double)run->ring_high_water_permille / 10));
	json_object_set_new(object, "mean_percent",
			    real_or_null(known, (double)run->ring_mean_permille / 10));
	return object;
}

static json_t *account_losses(const struct account *account)
{
	json_t *object = json_object();

	for (int i = 0; i < LOSS_COUNT; i++)
		json_object_set_new(object, loss_name((enum loss_reason)i),
				    json_real(seconds(account->lost_by_reason_ns[i])));
	return object;
}

static json_t *account_object(const struct account *account)
{
	json_t *object;

	if (account->missing)
		return json_null();
	object = json_object();
	json_object_set_new(object, "capacity_s", json_real(seconds(account->capacity_ns)));
	json_object_set_new(object, "sampled_s", json_real(seconds(account->sampled_ns)));
	json_object_set_new(object, "idle_s", json_real(seconds(account->idle_ns)));
	json_object_set_new(object, "iowait_s", json_real(seconds(account->iowait_ns)));
	json_object_set_new(object, "steal_s", json_real(seconds(account->steal_ns)));
	json_object_set_new(object, "lost_s", account_losses(account));
	json_object_set_new(object, "residue_s",
			    json_real((double)account->residue_ns / (double)NS_PER_S));
	json_object_set_new(object, "shortfall_s", json_real(seconds(account->shortfall_ns)));
	return object;
}

/* A text's sentences, one per line of the text. */
static json_t *sentences(const char *text)
{
	json_t *array = json_array();

	while (text && *text) {
		size_t length = strcspn(text, "\n");
		char *sentence = strndup(text, length);

		if (sentence && *sentence)
			json_array_append_new(array, text_or_null(sentence));
		free(sentence);
		text += length;
		text += *text == '\n';
	}
	return array;
}

static void set_samples(json_t *header, const struct profile *profile)
{
	uint64_t samples = 0, user = 0, kernel = 0;

	for (size_t i = 0; i < profile->event_count; i++) {
		samples += profile->events[i].samples;
		user += profile->events[i].user_samples;
		kernel += profile->events[i].kernel_samples;
	}
	json_object_set_new(header, "samples", integer(samples));
	json_object_set_new(header, "user", integer(user));
	json_object_set_new(header, "kernel", integer(kernel));
}

static void set_times(json_t *header, const struct view *view)
{
	const struct profile *profile = view->labels->profile;
	const struct run_facts *run = &profile->run;
	const struct account *account = &view->account;
	uint64_t wall_ns = account_wall_ns(profile);
	bool machine = !account->missing;

	json_object_set_new(header, "cpus", run->cpus ? integer(run->cpus) : json_null());
	json_object_set_new(header, "duration_s", seconds_or_null(wall_ns != 0, wall_ns));
	json_object_set_new(header, "idle_s",
			    seconds_or_null(machine, account->idle_ns + account->iowait_ns));
	json_object_set_new(header, "steal_s", seconds_or_null(machine, account->steal_ns));
	json_object_set_new(header, "residue_percent",
			    real_or_null(machine, account->residue_percent));
}

static json_t *broken_image(const struct profile *profile, const struct broken_image *row)
{
	const struct image *image = &profile->images.items[row->image];
	json_t *object = json_object();

	json_object_set_new(object, "image", text_or_null(profile_text(profile, image->path)));
	json_object_set_new(object, "end", json_string(stack_end_name(row->end)));
	json_object_set_new(object, "samples", integer(row->hits.samples));
	json_object_set_new(object, "weight", integer(row->hits.weight));
	return object;
}

static json_t *remedy_object(const struct profile *profile, const struct remedy *remedy)
{
	json_t *object = json_object();

	json_object_set_new(object, "program",
			    text_or_null(profile_text(profile, remedy->program)));
	json_object_set_new(object, "samples", integer(remedy->samples));
	json_object_set_new(object, "of", integer(remedy->whole));
	json_object_set_new(object, "why", json_string(remedy->why));
	json_object_set_new(object, "mend", text_or_null(remedy->fix));
	return object;
}

/* How the stacks of the main event end. */
static json_t *stacks(const struct view *view)
{
	const struct profile *profile = view->labels->profile;
	const struct completeness *known = view->completeness;
	json_t *object, *ends, *images, *remedies;

	if (!known || !known->recorded)
		return json_null();
	object = json_object();
	ends = json_object();
	images = json_array();
	remedies = json_array();
	for (int end = 0; end < STACK_END_COUNT; end++)
		json_object_set_new(ends, stack_end_name((enum stack_end)end),
				    integer(known->ends[end].samples));
	for (size_t i = 0; i < known->images.count; i++)
		json_array_append_new(images, broken_image(profile, &known->images.items[i]));
	for (size_t i = 0; i < known->remedies.list.count; i++)
		json_array_append_new(remedies,
				      remedy_object(profile, &known->remedies.list.items[i]));
	json_object_set_new(object, "recorded", text_or_null(profile->run.stacks));
	json_object_set_new(object, "samples", integer(known->whole.samples));
	json_object_set_new(
		object, "complete_percent",
		percent_or_null(known->ends[STACK_COMPLETE].samples, known->whole.samples));
	json_object_set_new(object, "ends", ends);
	json_object_set_new(object, "broken", images);
	json_object_set_new(object, "remedies", remedies);
	return object;
}

static json_t *make_header(const struct view *view)
{
	const struct profile *profile = view->labels->profile;
	const struct run_facts *run = &profile->run;
	const struct naming *naming = &view->naming;
	json_t *header = json_object();

	json_object_set_new(header, "version", json_integer(JSON_VERSION));
	json_object_set_new(header, "prospect_version", text_or_null(run->prospect_version));
	json_object_set_new(header, "command", text_or_null(run->command));
	json_object_set_new(header, "scope", text_or_null(run->scope));
	json_object_set_new(header, "selection", text_or_null(view->selection));
	set_samples(header, profile);
	json_object_set_new(header, "lost", losses(profile));
	json_object_set_new(header, "not_read", images_not_read(profile));
	json_object_set_new(header, "events", events(profile));
	set_times(header, view);
	json_object_set_new(header, "unresolved_percent",
			    percent_or_null(naming->unresolved, naming->whole));
	json_object_set_new(header, "bracketed_percent",
			    percent_or_null(naming->bracketed, naming->whole));
	json_object_set_new(header, "stacks", stacks(view));
	json_object_set_new(header, "cost", cost(profile));
	json_object_set_new(header, "ring", ring(run));
	json_object_set_new(header, "account", account_object(&view->account));
	json_object_set_new(header, "not_visible", sentences(run->not_visible));
	if (run->names_added && *run->names_added)
		json_object_set_new(header, "names_added", sentences(run->names_added));
	if (view->instructions)
		json_object_set_new(
			header, "no_instructions",
			text_or_null(view->instructions->note(view->instructions->context)));
	return header;
}

void json_header_print(const struct view *view, FILE *out)
{
	json_t *header = make_header(view);

	json_dumpf(header, out, JSON_REAL_PRECISION(REAL_DIGITS));
	json_decref(header);
}
