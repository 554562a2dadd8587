/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collapsed stacks, by our rules:
 *   - A first name of the form COMM-PID/TID is the thread; else the thread is unknown.
 *   - Counts are samples if they add up to at most IMPORT_MOST_COUNTED, else weights.
 *   - Functions marked as inlined (_[i]) are not frames: the stack would differ from that of the
 *     profile it came from. An option keeps them.
 *   - What export escaped (\xNN) is unescaped.
 */
#include "import/import_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "import/collapsed.h"
#include "import/import_names.h"

struct collapsing {
	struct import_profile *import;
	struct import_names names;
	struct buf text;
	struct collapsed_facts facts;
	uint64_t inlined, refused;
	bool has_callers;
};

static const char *plain(struct collapsing *collapsing, const char *text)
{
	buf_clear(&collapsing->text);
	text_unescape(&collapsing->text, text);
	return buf_text(&collapsing->text);
}

static const char *image_path(char mark)
{
	switch (mark) {
	case 'k':
		return "[kernel]";
	case 'j':
		return "[anon]";
	case 'i':
		return "[inlined]";
	default:
		return "[unknown]";
	}
}

static uint32_t frame_of(struct collapsing *collapsing, const struct collapsed_frame *told,
			 bool is_leaf)
{
	struct profile *profile = collapsing->import->profile;
	const char *name = plain(collapsing, told->name);
	uint32_t mark = told->mark ? 0 : import_names_mark(profile, name);

	if (mark)
		return mark;
	return import_names_frame(profile, import_names_image(profile, image_path(told->mark)),
				  name, is_leaf ? FRAME_EXACT : FRAME_RETURN);
}

static uint32_t stack_of(struct collapsing *collapsing, const struct collapsed_stack *told)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < told->frame_count; i++) {
		const struct collapsed_frame *frame = &told->frames[i];

		if (frame->mark == 'i' && !collapsing->import->options->inlines) {
			collapsing->inlined++;
			continue;
		}
		stack = profile_stack(collapsing->import->profile, stack,
				      frame_of(collapsing, frame, i + 1 == told->frame_count));
	}
	collapsing->has_callers |= told->frame_count > 1;
	return stack;
}

static uint32_t task_of(struct collapsing *collapsing, const struct collapsed_stack *told)
{
	struct import_names_thread thread = { .pid = told->pid, .tid = told->tid };

	if (!told->comm)
		return machine_bucket_task(collapsing->import->machine, "[unknown]");
	thread.comm = plain(collapsing, told->comm);
	return import_names_task(&collapsing->names, &thread);
}

static int take_stack(void *context, const struct collapsed_stack *told)
{
	struct collapsing *collapsing = context;
	struct sample sample = { .weight = told->count, .task = task_of(collapsing, told) };

	sample.stack = stack_of(collapsing, told);
	sample.mode = (uint8_t)import_names_mode(collapsing->import->profile, sample.stack);
	if (!import_profile_count(collapsing->import, &sample, told->count))
		collapsing->refused++;
	return 0;
}

static bool are_samples(const struct collapsing *collapsing)
{
	const char *value = collapsing->import->options->value;

	if (value)
		return strcmp(value, "samples") == 0;
	return import_profile_counts_samples(collapsing->import, 0);
}

static int store(struct collapsing *collapsing, bool samples, struct err *err)
{
	struct profile *profile = collapsing->import->profile;
	struct event event = {
		.name = strpool_intern(&profile->strings, samples ? "samples" : "weight"),
		.unit = strpool_intern(&profile->strings, "count"),
		.clock = CLOCK_SOFTWARE,
		.period = samples ? 1 : 0,
	};

	if (samples && !import_profile_counts_samples(collapsing->import, 0))
		return err_set(err, -EFBIG,
			       "%" PRIu64
			       " samples are too many: --value weight takes them as weights",
			       collapsing->import->counted[0]);
	import_profile_event(collapsing->import, &event);
	import_names_finish(&collapsing->names);
	return import_profile_store_counts(collapsing->import, &samples, err);
}

static void set_facts(const struct collapsing *collapsing)
{
	struct run_facts *run = &collapsing->import->profile->run;

	profile_set_text(&run->scope, "perf");
	profile_set_text(&run->rung, "another tool, as collapsed stacks");
	profile_set_text(&run->stacks, collapsing->has_callers ? "full" : "none");
}

static int explain_nothing(const struct collapsing *collapsing, struct err *err)
{
	const struct collapsed_facts *facts = &collapsing->facts;

	if (!facts->odd)
		return err_set(err, -ENODATA, "it has no samples%s",
			       collapsing->refused ? ": its counts are too large"
			       : facts->to_zero	   ? ": its counts, rounded, are 0"
						   : "");
	return err_set(err, -ENODATA, "it has no usable stacks; line %" PRIu64 ": %s",
		       facts->odd_line, facts->fault);
}

static void report_malformed(const struct collapsing *collapsing, struct import_result *result)
{
	const struct collapsed_facts *facts = &collapsing->facts;
	_cleanup_(buf_done) struct buf text = { 0 };

	if (collapsing->refused)
		buf_printf(&text,
			   "%" PRIu64 " stack%s omitted: the sum of counts would be too large",
			   collapsing->refused, collapsing->refused == 1 ? " is" : "s are");
	if (facts->odd)
		buf_printf(&text, "%s%" PRIu64 " line%s omitted, the first is line %" PRIu64 ": %s",
			   text.size ? "; " : "", facts->odd, facts->odd == 1 ? " is" : "s are",
			   facts->odd_line, facts->fault);
	snprintf(result->damage, sizeof(result->damage), "%s", buf_text(&text));
}

static void report_left_out(const struct collapsing *collapsing, struct import_result *result)
{
	const struct collapsed_facts *facts = &collapsing->facts;
	struct buf text = { 0 };

	if (facts->rounded)
		buf_printf(&text, "%" PRIu64 " count%s rounded", facts->rounded,
			   facts->rounded == 1 ? " with a fraction was" : "s with fractions were");
	if (facts->to_zero)
		buf_printf(&text, ", %" PRIu64 " of them to 0", facts->to_zero);
	if (facts->numbered)
		buf_printf(&text,
			   "%s%" PRIu64 " line%s in two numbers: the first is a part of the name",
			   text.size ? "; " : "", facts->numbered,
			   facts->numbered == 1 ? " ends" : "s end");
	if (collapsing->inlined)
		buf_printf(&text, "%s%s", text.size ? "; " : "", IMPORT_INLINES_LEFT_OUT);
	snprintf(result->left_out, sizeof(result->left_out), "%s", buf_text(&text));
	buf_done(&text);
}

int import_collapsed(struct import_profile *import, struct perf_data_input *input,
		     struct import_result *result, struct err *err)
{
	struct collapsing collapsing = { .import = import,
					 .names = { .profile = import->profile } };
	int rc = collapsed_read(input, take_stack, &collapsing, &collapsing.facts);

	if (rc == 0 && collapsing.facts.differential)
		rc = err_set(
			err, -EINVAL,
			"a differential file: each stack has two counts; import needs one: remove "
			"the other column");
	if (rc == 0 && import->counts.count == 0)
		rc = explain_nothing(&collapsing, err);
	if (rc == 0)
		rc = store(&collapsing, are_samples(&collapsing), err);
	if (rc == 0) {
		import->profile->events[0].loss[LOSS_MALFORMED].count +=
			collapsing.facts.odd + collapsing.refused;
		set_facts(&collapsing);
		report_malformed(&collapsing, result);
		report_left_out(&collapsing, result);
	}
	import_names_done(&collapsing.names);
	buf_done(&collapsing.text);
	return rc;
}
