/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_profile.h"
#include "foreign/foreign.h"

#include <stdio.h>
#include <stdlib.h>

#include "attribute/hot_code.h"
#include "attribute/stacks.h"
#include "base/cleanup.h"
#include "base/last_act.h"
#include "base/xalloc.h"
#include "load/profile_files.h"
#include "names/debug_files/debug_files.h"
#include "names/resolver.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"
#include "store/store.h"

enum {
	MAX_OPEN_IMAGES = 512,
	FLUSH_SAMPLES = STORE_MAX_PENDING / 2,
};

/* The user's folders, then that of the recorded machine. */
static void list_debug_folders(struct import_profile *import)
{
	const struct import_options *options = import->options;

	for (size_t i = 0; i < options->debug_folder_count; i++)
		*vec_push(&import->debug_folders) = options->debug_folders[i];
	if (!options->symfs)
		return;
	import->recorded_folder = xasprintf("%s/usr/lib/debug", options->symfs);
	*vec_push(&import->debug_folders) = import->recorded_folder;
}

static void remove_file(void *context)
{
	record_output_remove(context);
}

int import_profile_begin(struct import_profile *import, const struct import_options *options,
			 struct err *err)
{
	int rc;

	*import = (struct import_profile){ .options = options, .profile = profile_new() };
	import->removal = last_act_new();
	rc = record_output_open(&import->output, options->output, import->profile, err);
	if (rc < 0)
		return rc;
	last_act_begin(import->removal, remove_file, &import->output);
	import->files = image_files_new(import->profile, MAX_OPEN_IMAGES);
	image_files_set_root(import->files, options->symfs);
	import->readers = profile_files_foreign_readers();
	import->readers.foreign = foreign_new((struct pause){ 0 });
	image_files_set_readers(import->files, &import->readers);
	list_debug_folders(import);
	/* The recorded machine can no longer be asked whether a name was a link. */
	import->machine = machine_new(import->profile, NULL, NULL);
	import->frames = (struct frames){ .profile = import->profile };
	import->stacks = stacks_new(&(struct stacks_parts){ .frames = &import->frames,
							    .machine = import->machine,
							    .files = import->files,
							    .max_depth = STACK_MAX_USER });
	return 0;
}

void import_profile_done(struct import_profile *import)
{
	last_act_cancel(import->removal);
	stacks_free(import->stacks);
	jit_free(import->frames.jit);
	foreign_free(import->readers.foreign);
	machine_free(import->machine);
	image_files_free(import->files);
	kernel_symbols_free(import->frames.kernel);
	record_output_discard(&import->output);
	record_output_done(&import->output);
	profile_free(import->profile);
	vec_free(&import->debug_folders);
	vec_free(&import->counts);
	free(import->recorded_folder);
	*import = (struct import_profile){ .profile = NULL };
}

int import_profile_event(struct import_profile *import, const struct event *event)
{
	struct profile *profile = import->profile;

	if (profile->event_count >= PROFILE_MAX_EVENTS)
		return IMPORT_NO_EVENT;
	profile->events[profile->event_count] = *event;
	return (int)profile->event_count++;
}

static void note_time(struct import_profile *import, const struct sample *sample)
{
	if (sample->cpu >= import->cpus)
		import->cpus = sample->cpu + 1U;
	if (!sample->time_ns)
		return;
	if (!import->first_ns || sample->time_ns < import->first_ns)
		import->first_ns = sample->time_ns;
	if (sample->time_ns > import->last_ns)
		import->last_ns = sample->time_ns;
}

int import_profile_sample(struct import_profile *import, const struct sample *sample,
			  struct err *err)
{
	store_count(import->profile, sample);
	import->samples++;
	note_time(import, sample);
	store_add(import->output.writer, sample);
	if (import->samples % FLUSH_SAMPLES != 0)
		return 0;
	return record_output_flush(&import->output, err);
}

bool import_profile_count(struct import_profile *import, const struct sample *sample,
			  uint64_t samples)
{
	uint64_t *weight = &import->weights[sample->event];
	uint64_t *counted = &import->counted[sample->event];

	if (sample->weight > IMPORT_MOST_WEIGHT - *weight)
		return false;
	*weight += sample->weight;
	*counted = samples > UINT64_MAX - *counted ? UINT64_MAX : *counted + samples;
	*vec_push(&import->counts) = (struct import_count){ *sample, samples };
	return true;
}

bool import_profile_counts_samples(const struct import_profile *import, uint8_t event)
{
	return import->counted[event] <= IMPORT_MOST_COUNTED;
}

/* The samples of one stack share its weight; the first ones get what does not divide evenly. */
static int store_one(const struct import_count *count, uint64_t samples,
		     struct import_profile *import, struct err *err)
{
	struct sample sample = count->sample;
	uint64_t share = sample.weight / samples, rest = sample.weight % samples;
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < samples; i++) {
		sample.weight = share + (i < rest);
		rc = import_profile_sample(import, &sample, err);
	}
	return rc;
}

int import_profile_store_counts(struct import_profile *import, const bool *expand, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < import->counts.count; i++) {
		const struct import_count *count = &import->counts.items[i];
		bool several = expand[count->sample.event] && count->samples > 0;

		rc = store_one(count, several ? count->samples : 1, import, err);
	}
	return rc;
}

static void settle_facts(struct import_profile *import)
{
	struct run_facts *run = &import->profile->run;

	profile_set_text(&run->prospect_version, PROSPECT_VERSION);
	run->start_ns = import->first_ns;
	/* 0 would mean that the recording is not finished. */
	run->end_ns = import->last_ns ? import->last_ns : 1;
	/* Samples without a CPU are on CPU 0, too. */
	if (run->cpus == 0 && import->cpus > 1)
		run->cpus = import->cpus;
}

static void name_all(struct import_profile *import)
{
	const struct debug_options debug_options = { .folders = import->debug_folders.items,
						     .folder_count = import->debug_folders.count,
						     .foreign = import->readers.foreign };
	_cleanup_(debug_files_freep) struct debug_files *debug_files =
		debug_files_new(&debug_options);
	struct resolver *resolver =
		resolver_new(&(struct symbol_parts){ .profile = import->profile,
						     .files = import->files,
						     .debug_files = debug_files,
						     .kernel = import->frames.kernel,
						     .jit = import->frames.jit });

	resolver_run(resolver);
	resolver_free(resolver);
}

int import_profile_finish(struct import_profile *import, struct import_result *result,
			  struct err *err)
{
	int rc;

	machine_finish(import->machine);
	name_all(import);
	hot_code_tell_dropped_lines(import->profile, import->frames.jit);
	settle_facts(import);
	rc = record_output_flush(&import->output, err);
	last_act_cancel(steal_ptr(import->removal));
	if (rc == 0 && !import->output.temporary) /* import_profile_done removes that */
		rc = record_output_publish(&import->output, err);
	result->kept = !import->output.temporary;
	result->samples = import->samples;
	snprintf(result->path, sizeof(result->path), "%s", import->output.path);
	snprintf(result->note, sizeof(result->note), "%s", import->output.note);
	return rc;
}
