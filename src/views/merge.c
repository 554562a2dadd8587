/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/last_act.h"
#include "base/xalloc.h"
#include "model/merge.h"
#include "store/record_output.h"
#include "store/state_files.h"
#include "store/store.h"

DEFINE_CLEANUP(struct store_reader *, store_close);
DEFINE_CLEANUP(struct profile *, profile_free);

enum { FLUSH_SAMPLES = STORE_MAX_PENDING / 2 };

/* A profile that is to be merged. */
struct input {
	char path[STATE_PATH_MAX];
	uint64_t start_realtime_ns;
	size_t number; /* as given */
};

struct merging {
	VEC(struct input) inputs; /* the earliest first */
	struct profile *profile;
	struct merge *merge;
	struct record_output output;
	uint64_t samples;
	/* Of the one that is being added. */
	struct merge_map map;
	struct err err;
};

int merge_check(const struct merge_options *options, struct err *err)
{
	if (options->input_count < 2)
		return err_set(err, -EINVAL, "expected two profiles or more: name their files");
	return record_output_check(options->output, err);
}

/* ---- the inputs ---- */

static int find_input(struct input *input, const char *given, struct err *err)
{
	_cleanup_(store_closep) struct store_reader *store = NULL;
	_cleanup_(profile_freep) struct profile *run = NULL;
	char kept[STATE_PATH_MAX];
	int rc = state_find(&given, kept, sizeof(kept), err);

	if (rc == 0 && strlen(given) >= sizeof(input->path))
		rc = err_set(err, -ENAMETOOLONG, "%s: the name is too long", given);
	if (rc == 0)
		rc = store_open(given, &store, err);
	if (rc == 0)
		rc = store_load_run(store, &run, err);
	if (rc < 0)
		return rc;
	snprintf(input->path, sizeof(input->path), "%s", given);
	input->start_realtime_ns = run->run.start_realtime_ns;
	return 0;
}

DEFINE_ORDER(by_start, struct input,
	     COMPARE(a->start_realtime_ns, b->start_realtime_ns)
		     ? COMPARE(a->start_realtime_ns, b->start_realtime_ns)
		     : COMPARE(a->number, b->number))

static int find_inputs(struct merging *merging, const struct merge_options *options,
		       struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < options->input_count; i++) {
		struct input *input = vec_push(&merging->inputs);

		*input = (struct input){ .number = i };
		rc = find_input(input, options->inputs[i], err);
	}
	if (rc == 0)
		qsort(merging->inputs.items, merging->inputs.count, sizeof(struct input), by_start);
	return rc;
}

/* ---- adding one ---- */

/* Until the last flush the file says that it is incomplete. */
static int flush(struct merging *merging)
{
	uint64_t end_ns = merging->profile->run.end_ns;
	int rc;

	merging->profile->run.end_ns = 0;
	rc = record_output_flush(&merging->output, &merging->err);
	merging->profile->run.end_ns = end_ns;
	return rc;
}

static int take_samples(void *context, const struct sample *samples, size_t count)
{
	struct merging *merging = context;

	merging->samples += count;
	for (size_t i = 0; i < count; i++) {
		struct sample sample = merge_sample(&merging->map, &samples[i]);

		store_add(merging->output.writer, &sample);
	}
	return store_pending(merging->output.writer) < FLUSH_SAMPLES ? 0 : flush(merging);
}

static void take_branch(void *context, const struct branch *branch)
{
	struct merging *merging = context;
	struct branch merged = merge_branch(&merging->map, branch);

	profile_add_branch(merging->profile, &merged);
}

static int add_input(struct merging *merging, const char *path, struct err *err)
{
	const struct sample_wish wish = { 0, UINT64_MAX, SAMPLE_ALL };
	_cleanup_(store_closep) struct store_reader *store = NULL;
	_cleanup_(profile_freep) struct profile *profile = NULL;
	int rc = store_open(path, &store, err);

	if (rc == 0)
		rc = store_load_profile(store, &profile, err);
	if (rc == 0)
		rc = merge_add(merging->merge, profile, store_end_ns(store, profile), &merging->map,
			       err);
	merging->err.text[0] = '\0';
	if (rc == 0)
		rc = store_each_batch(store, profile, &wish, take_samples, merging, err);
	if (rc && merging->err.text[0])
		err_set(err, rc, "%s", merging->err.text);
	if (rc == 0)
		rc = store_each_branch(store, profile, take_branch, merging, err);
	merge_map_done(&merging->map);
	return rc;
}

/* ---- the whole ---- */

static void remove_file(void *context)
{
	record_output_remove(context);
}

static int write_merged(struct merging *merging, const char *output, struct err *err)
{
	_cleanup_(last_act_cancelp) struct last_act *removal = last_act_new();
	int rc = record_output_open(&merging->output, output, merging->profile, err);

	if (rc < 0)
		return rc;
	last_act_begin(removal, remove_file, &merging->output);
	for (size_t i = 0; rc == 0 && i < merging->inputs.count; i++)
		rc = add_input(merging, merging->inputs.items[i].path, err);
	profile_set_text(&merging->profile->run.prospect_version, PROSPECT_VERSION);
	if (rc == 0)
		rc = record_output_flush(&merging->output, err);
	last_act_cancel(steal_ptr(removal));
	if (rc == 0 && !merging->output.temporary)
		rc = record_output_publish(&merging->output, err);
	return rc;
}

static void describe(const struct merging *merging, struct merge_result *result)
{
	result->samples = merging->samples;
	result->machines = merge_machines(merging->merge);
	result->kept = !merging->output.temporary;
	snprintf(result->path, sizeof(result->path), "%s", merging->output.path);
	snprintf(result->note, sizeof(result->note), "%s", merging->output.note);
}

int merge_run(const struct merge_options *options, struct merge_result *ret_result, struct err *err)
{
	struct merging merging = { .profile = profile_new() };
	int rc = find_inputs(&merging, options, err);

	*ret_result = (struct merge_result){ .samples = 0 };
	merging.merge = merge_new(merging.profile);
	if (rc == 0)
		rc = write_merged(&merging, options->output, err);
	if (rc == 0)
		describe(&merging, ret_result);
	record_output_discard(&merging.output);
	record_output_done(&merging.output);
	merge_free(merging.merge);
	profile_free(merging.profile);
	vec_free(&merging.inputs);
	return rc;
}
