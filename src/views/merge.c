/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/last_act.h"
#include "base/xalloc.h"
#include "load/parts.h"
#include "load/selection.h"
#include "model/merge.h"
#include "store/record_output.h"
#include "store/state_files.h"
#include "store/store.h"

DEFINE_CLEANUP(struct parts *, parts_close);
DEFINE_CLEANUP(struct store_reader *, store_close);
DEFINE_CLEANUP(struct profile *, profile_free);

enum { FLUSH_SAMPLES = STORE_MAX_PENDING / 2 };

/* A profile that is to be merged. */
struct input {
	char path[STATE_PATH_MAX];
	uint64_t start_realtime_ns;
	size_t number;		 /* as given */
	uint64_t from_ns, to_ns; /* the part of it, by its clock */
};

struct merging {
	VEC(struct input) inputs; /* the earliest first */
	struct profile *profile;
	struct merge *merge;
	struct record_output output;
	uint64_t samples;
	/* Of the one that is being added. */
	struct merge_map map;
	bool clipped; /* its samples are counted here */
	struct err err;
};

int merge_check(const struct merge_options *options, struct err *err)
{
	if (options->input_count < 2 &&
	    !(options->input_count && parts_is_folder(options->inputs[0])))
		return err_set(err, -EINVAL,
			       "expected two profiles or more: name their files, or a folder");
	return record_output_check(options->output, err);
}

/* ---- the inputs ---- */

static int add_file(struct merging *merging, const struct part_file *file, size_t number,
		    struct err *err)
{
	struct input *input = vec_push(&merging->inputs);

	*input = (struct input){ .start_realtime_ns = file->start_real_ns,
				 .number = number,
				 .from_ns = file->from_ns,
				 .to_ns = file->to_ns };
	if (snprintf(input->path, sizeof(input->path), "%s", file->path) >=
	    (int)sizeof(input->path))
		return err_set(err, -ENAMETOOLONG, "%s: the name is too long", file->path);
	return 0;
}

static int add_folder(struct merging *merging, const char *path,
		      const struct merge_options *options, size_t number, struct err *err)
{
	const struct selection selection = { .since = options->since, .until = options->until };
	_cleanup_(parts_closep) struct parts *parts = NULL;
	struct selection_window window = { 0 };
	struct part_file file;
	int rc = parts_open(path, &parts, err);

	if (rc == 0)
		rc = selection_window_parse(&window, &selection, err);
	if (rc == 0)
		rc = parts_choose(parts, &window, err);
	for (size_t i = 0; rc == 0 && parts_file(parts, &window, i, &file); i++)
		rc = add_file(merging, &file, number, err);
	return rc;
}

static int add_single(struct merging *merging, const char *path, size_t number, struct err *err)
{
	_cleanup_(store_closep) struct store_reader *store = NULL;
	_cleanup_(profile_freep) struct profile *run = NULL;
	int rc = store_open(path, &store, err);

	if (rc == 0)
		rc = store_load_run(store, &run, err);
	if (rc < 0)
		return rc;
	return add_file(merging,
			&(struct part_file){ path, run->run.start_realtime_ns, 0, UINT64_MAX },
			number, err);
}

static int find_input(struct merging *merging, const struct merge_options *options, size_t number,
		      struct err *err)
{
	const char *path = options->inputs[number];
	char kept[STATE_PATH_MAX];
	int rc = state_find(&path, kept, sizeof(kept), err);

	if (rc < 0)
		return rc;
	return parts_is_folder(path) ? add_folder(merging, path, options, number, err)
				     : add_single(merging, path, number, err);
}

DEFINE_ORDER(by_start, struct input,
	     COMPARE(a->start_realtime_ns, b->start_realtime_ns)
		     ? COMPARE(a->start_realtime_ns, b->start_realtime_ns)
		     : COMPARE(a->number, b->number))

static int find_inputs(struct merging *merging, const struct merge_options *options,
		       struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < options->input_count; i++)
		rc = find_input(merging, options, i, err);
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

static void count_sample(struct event *event, const struct sample *sample)
{
	event->samples++;
	*(sample->mode == MODE_USER ? &event->user_samples : &event->kernel_samples) += 1;
	event->weight += sample->weight;
}

static int take_samples(void *context, const struct sample *samples, size_t count)
{
	struct merging *merging = context;

	merging->samples += count;
	for (size_t i = 0; i < count; i++) {
		struct sample sample = merge_sample(&merging->map, &samples[i]);

		if (merging->clipped)
			count_sample(&merging->profile->events[sample.event], &sample);
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

static int add_input(struct merging *merging, const struct input *input, struct err *err)
{
	const struct sample_wish wish = { input->from_ns, input->to_ns, SAMPLE_ALL, { 0 } };
	_cleanup_(store_closep) struct store_reader *store = NULL;
	_cleanup_(profile_freep) struct profile *profile = NULL;
	uint64_t end_ns = 0;
	int rc = store_open(input->path, &store, err);

	merging->clipped = input->from_ns || input->to_ns != UINT64_MAX;
	if (rc == 0)
		rc = store_load_profile(store, &profile, err);
	if (rc == 0)
		end_ns = store_end_ns(store, profile);
	if (rc == 0 && merging->clipped) {
		profile_clip(profile, input->from_ns,
			     input->to_ns < end_ns ? input->to_ns : end_ns);
		end_ns = profile->run.end_ns;
	}
	if (rc == 0)
		rc = merge_add(merging->merge, profile, end_ns, &merging->map, err);
	merging->err.text[0] = '\0';
	if (rc == 0)
		rc = store_each_batch(store, &wish, take_samples, merging, err);
	if (rc && merging->err.text[0])
		err_set(err, rc, "%s", merging->err.text);
	if (rc == 0)
		rc = store_each_branch(store, take_branch, merging, err);
	merge_map_done(&merging->map);
	return rc;
}

/* ---- the whole ---- */

static void remove_file(void *context)
{
	record_output_remove(context);
}

/* Writing it would destroy what is read. */
static int check_output(const struct merging *merging, const char *output, struct err *err)
{
	struct stat written, read;

	if (!output || stat(output, &written) < 0)
		return 0;
	for (size_t i = 0; i < merging->inputs.count; i++) {
		const char *path = merging->inputs.items[i].path;

		if (stat(path, &read) == 0 && read.st_dev == written.st_dev &&
		    read.st_ino == written.st_ino)
			return err_set(
				err, -EINVAL,
				"%s is one of the profiles to merge: choose another file for -o",
				path);
	}
	return 0;
}

static int write_merged(struct merging *merging, const char *output, struct err *err)
{
	_cleanup_(last_act_cancelp) struct last_act *removal = last_act_new();
	int rc = record_output_open(&merging->output, output, merging->profile, err);

	if (rc < 0)
		return rc;
	last_act_begin(removal, remove_file, &merging->output);
	for (size_t i = 0; rc == 0 && i < merging->inputs.count; i++)
		rc = add_input(merging, &merging->inputs.items[i], err);
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
	result->profiles = merging->inputs.count;
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
		rc = check_output(&merging, options->output, err);
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

int merge_folder(const char *folder, char *ret_path, size_t size, struct err *err)
{
	const char *place = getenv("TMPDIR");
	struct merge_options options = { .inputs = &folder, .input_count = 1, .output = ret_path };
	struct merge_result result;
	int fd, rc;

	if (snprintf(ret_path, size, "%s/prospect-XXXXXX", place && *place ? place : "/tmp") >=
	    (int)size)
		return err_set(err, -ENAMETOOLONG, "TMPDIR: the name is too long");
	fd = mkostemp(ret_path, O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "cannot make %s: %s", ret_path, strerror(errno));
	close(fd);
	rc = merge_run(&options, &result, err);
	if (rc < 0)
		unlink(ret_path);
	return rc;
}
