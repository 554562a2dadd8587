/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/screen_notes.h"

#include <string.h>

#include "aggregate/account/unnamed.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "present/figures.h"
#include "present/paragraph.h"
#include "present/safe.h"
#include "present/text/text_parts.h"

/* In percent: what is below hardly changes a decision. */
enum {
	LOST = 1,	  /* of the samples */
	CUT = 5,	  /* of a profile's stacks, for one reason in one program */
	UNNAMED = 5,	  /* of the samples */
	INTERPRETED = 20, /* likewise: some belong to the interpreter */
	RESIDUE = 5,	  /* of CPUs x wall time */
	STOLEN = 5,	  /* likewise */
	OWN_COST = 5,	  /* likewise: a usual recording takes less */
	SHORT_NAMES = 3,
	FEW_SAMPLES = 20, /* whose shares say nothing */
};

struct notes {
	const struct view *view;
	const struct profile *profile;
	FILE *out;
	size_t width, lines;
	size_t most;	 /* lines */
	size_t left_out; /* notes for which there was no room */
	struct buf text; /* of the current note */
};

static void end_note(struct notes *notes)
{
	_cleanup_free_ char *printed = NULL;
	size_t lines, size;
	FILE *out;

	if (!notes->text.size)
		return;
	out = xopen_memstream(&printed, &size);
	lines = paragraph_print("!", buf_text(&notes->text), notes->width, out);
	xclose_memstream(out);
	buf_clear(&notes->text);
	if (notes->lines + lines > notes->most) {
		notes->left_out++;
		return;
	}
	fputs(printed, notes->out);
	notes->lines += lines;
}

static void tell_left_out(struct notes *notes)
{
	if (!notes->left_out)
		return;
	buf_printf(&notes->text, "%zu more remark%s: report --quality", notes->left_out,
		   notes->left_out == 1 ? "" : "s");
	notes->most = SIZE_MAX;
	end_note(notes);
}

/* Those of the time that is viewed and, in a view of a part, those of the whole recording without times. */
struct lost_samples {
	uint64_t viewed, without_times;
};

static struct lost_samples lost_samples(const struct view *view)
{
	const struct profile *profile = view->labels->profile;
	struct lost_samples lost = { 0 };

	for (size_t i = 0; i < profile->event_count; i++)
		lost.viewed += account_lost_samples(&profile->events[i]);
	if (!view_is_of_part(view))
		return lost;
	lost.without_times = lost.viewed;
	if (profile_loss_has_times(profile, 0, LOSS_RING_FULL))
		lost.without_times -= profile->events[0].loss[LOSS_RING_FULL].count;
	lost.viewed -= lost.without_times;
	return lost;
}

/* The reasons, most samples first would need sorting: there are seldom two. */
static void add_reasons(struct notes *notes)
{
	const char *separator = "";

	for (int i = 0; i < LOSS_COUNT; i++) {
		enum loss_reason reason = (enum loss_reason)i;
		struct loss loss = profile_loss(notes->profile, reason);

		if (!account_takes_samples(reason) || !(loss.count || loss.weight))
			continue;
		buf_add_str(&notes->text, separator);
		if (loss.count) {
			figures_count(&notes->text, loss.count);
			buf_add_char(&notes->text, ' ');
		}
		buf_add_str(&notes->text, loss_text(reason));
		separator = "; ";
	}
}

/* By number, or by time, which a late timer or the kernel's throttling takes without a number. */
static double lost_percent(const struct notes *notes)
{
	const struct account *account = &notes->view->account;
	struct lost_samples samples = lost_samples(notes->view);
	/* Samples of a part are not counted here; what was lost of them is in the account as time. */
	uint64_t lost = view_is_of_part(notes->view) ? samples.without_times : samples.viewed, kept = 0;
	double of_time = figures_percent(account->lost_ns, account->sampled_ns + account->lost_ns);
	double of_samples;

	for (size_t i = 0; i < notes->profile->event_count; i++)
		kept += notes->profile->events[i].samples;
	of_samples = figures_percent(lost, lost + kept);
	return of_samples > of_time ? of_samples : of_time;
}

static void note_lost(struct notes *notes)
{
	double percent = lost_percent(notes);

	if (percent < LOST)
		return;
	buf_printf(&notes->text, "%.0f %% of the samples were lost: ", percent);
	add_reasons(notes);
	buf_add_str(&notes->text, ". Sample less often with -F.");
}

static bool has_few(const struct notes *notes)
{
	return notes->view->selected_samples < FEW_SAMPLES && !account_is_import(notes->profile);
}

static void note_stacks(struct notes *notes)
{
	const struct completeness *known = notes->view->completeness;

	if (has_few(notes))
		return;
	for (size_t i = 0; known && i < known->remedies.count; i++) {
		const struct remedy *remedy = &known->remedies.items[i];

		if (figures_percent(remedy->samples, known->whole.samples) < CUT)
			continue;
		text_parts_add_remedy(notes->view, remedy, &notes->text);
		end_note(notes);
	}
}

/* What gives names is another thing for each kind of code. */
static void note_files(struct notes *notes)
{
	const struct unnamed *unnamed = notes->view->unnamed;
	const struct image *image;

	if (!unnamed || has_few(notes) ||
	    figures_percent(unnamed->in_files, unnamed->whole) < UNNAMED)
		return;
	image = &notes->profile->images.items[unnamed->file];
	buf_printf(&notes->text, "%.0f %% of the samples have no function name: ",
		   figures_percent(unnamed->in_files, unnamed->whole));
	safe_text(&notes->text, file_base(profile_text(notes->profile, image->path)));
	if (image->state != IMAGE_STATE_STRIPPED && image->state != IMAGE_STATE_READ) {
		buf_printf(&notes->text, ": %s.", image_state_text(image->state));
		return;
	}
	buf_add_str(&notes->text,
		    image->state == IMAGE_STATE_STRIPPED ? " is stripped" : " lacks symbols");
	if (notes->view->names_advice)
		buf_printf(&notes->text, "; %s", notes->view->names_advice);
	buf_add_char(&notes->text, '.');
}

static void note_jit(struct notes *notes)
{
	const struct unnamed *unnamed = notes->view->unnamed;

	if (!unnamed || has_few(notes) || figures_percent(unnamed->jit, unnamed->whole) < UNNAMED)
		return;
	buf_printf(&notes->text, "%.0f %% of the samples are JIT code of ",
		   figures_percent(unnamed->jit, unnamed->whole));
	safe_text(&notes->text, profile_text(notes->profile, unnamed->jit_program));
	buf_add_str(&notes->text, " without function names: ");
	if (!unnamed->runs) {
		buf_add_str(&notes->text, "it must write a perf map or a jitdump.");
		return;
	}
	buf_printf(&notes->text, "'%s' gives them", unnamed->runs);
	if (unnamed->since)
		buf_printf(&notes->text, " (from %s on)", unnamed->since);
	buf_add_char(&notes->text, '.');
}

static void note_python(struct notes *notes)
{
	const struct unnamed *unnamed = notes->view->unnamed;

	if (!unnamed || has_few(notes) ||
	    figures_percent(unnamed->python, unnamed->whole) < INTERPRETED)
		return;
	buf_printf(&notes->text, "%.0f %% of the samples are in ",
		   figures_percent(unnamed->python, unnamed->whole));
	safe_text(&notes->text, file_base(profile_text(notes->profile, unnamed->python_exe)));
	if (unnamed->python_minor >= UNNAMED_PYTHON_TELLS)
		buf_printf(&notes->text,
			   " itself, without the names of Python functions: 'python3.%u -X perf' "
			   "gives them.",
			   unnamed->python_minor);
	else
		buf_printf(&notes->text,
			   " itself, which cannot tell the names of Python functions: Python 3.%d "
			   "and later can, with '-X perf'.",
			   UNNAMED_PYTHON_TELLS);
}

static void note_account(struct notes *notes)
{
	const struct account *account = &notes->view->account;
	double stolen = figures_percent(account->steal_ns, account->capacity_ns);

	if (account->missing)
		return;
	if (stolen >= STOLEN) {
		buf_printf(&notes->text,
			   "The host of this virtual machine took %.0f %% of the CPUs' time.",
			   stolen);
		end_note(notes);
	}
	if (account->residue_percent >= RESIDUE)
		buf_printf(&notes->text, "%.0f %% of the CPUs' time is not accounted for",
			   account->residue_percent);
	else if (account->residue_percent <= -RESIDUE)
		buf_printf(&notes->text,
			   "The parts of the account exceed the CPUs' time by %.0f %%",
			   -account->residue_percent);
	if (notes->text.size)
		buf_add_str(&notes->text, ": see report --quality.");
}

/* Starting and stopping take a large share of a short recording, but disturb no program. */
static bool costs_much(const struct profile *profile)
{
	return !account_is_import(profile) && account_cost(profile).percent >= OWN_COST &&
	       account_wall_ns(profile) >= NS_PER_S;
}

static void note_cost(struct notes *notes)
{
	if (costs_much(notes->profile))
		buf_printf(&notes->text,
			   "prospect itself took %.0f %% of the CPUs' time. Sample less often with "
			   "-F.",
			   account_cost(notes->profile).percent);
}

/* The images by name, as many as fit; their number is among the losses. */
static void note_not_read(struct notes *notes)
{
	const struct profile *profile = notes->profile;
	size_t count = 0;

	for (size_t i = 1; i < profile->images.count; i++) {
		if (!profile_is_late(profile, (uint32_t)i))
			continue;
		if (count++ >= SHORT_NAMES)
			continue;
		buf_add_str(&notes->text, count > 1 ? "; " : "Not read: ");
		safe_text(&notes->text, profile_text(profile, profile->images.items[i].path));
	}
	if (count > SHORT_NAMES)
		buf_printf(&notes->text, "; and %zu more", count - SHORT_NAMES);
	if (count)
		buf_add_str(&notes->text, ": the file system did not answer in time.");
}

/* Each line of the fact. */
static void note_not_visible(struct notes *notes)
{
	const char *sentence = notes->profile->run.not_visible;

	while (sentence && *sentence) {
		size_t length = strcspn(sentence, "\n");
		_cleanup_free_ char *one = xstrndup(sentence, length);

		if (*one) {
			buf_add_str(&notes->text, "Not visible: ");
			safe_text(&notes->text, one);
			end_note(notes);
		}
		sentence += length;
		sentence += *sentence == '\n';
	}
}

size_t screen_notes_print(const struct view *view, size_t width, size_t most, FILE *out)
{
	/* What changes the reader's mind most comes first. */
	static void (*const all[])(struct notes * notes) = {
		note_lost,   note_python,  note_jit,  note_files,    note_not_visible,
		note_stacks, note_account, note_cost, note_not_read,
	};
	struct notes notes = {
		.view = view,
		.profile = view->labels->profile,
		.out = out,
		.width = width,
		.most = most,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		all[i](&notes);
		end_note(&notes);
	}
	tell_left_out(&notes);
	buf_done(&notes.text);
	return notes.lines;
}

static void add_stacks(const struct view *view, struct buf *text)
{
	const struct completeness *known = view->completeness;

	if (known && known->recorded && known->whole.samples)
		buf_printf(text, "; %.1f %% of the stacks complete",
			   completeness_percent(known, STACK_COMPLETE));
}

void screen_notes_add_quality(const struct view *view, struct buf *text)
{
	const struct profile *profile = view->labels->profile;
	struct lost_samples lost = lost_samples(view);

	figures_count(text, view->selected_samples);
	buf_add_str(text, view->selected_samples == 1 ? " sample, " : " samples, ");
	if (lost.viewed)
		figures_count(text, lost.viewed);
	else
		buf_add_str(text, "none");
	buf_add_str(text, " lost");
	if (lost.without_times) {
		buf_add_str(text, ", ");
		figures_count(text, lost.without_times);
		buf_add_str(text, " at an unknown time");
	}
	add_stacks(view, text);
	if (account_wall_ns(profile) && !account_is_import(profile) && !costs_much(profile))
		buf_printf(text, "; own cost %.1f %%", account_cost(profile).percent);
}
