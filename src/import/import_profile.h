/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile that an import makes: what readers of perf.data and of perf script's text share. */
#ifndef IMPORT_IMPORT_PROFILE_H
#define IMPORT_IMPORT_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "attribute/frames.h"
#include "base/err.h"
#include "base/vec.h"
#include "foreign/door.h"
#include "import/import.h"
#include "model/machine.h"
#include "model/profile.h"
#include "store/record_output.h"

struct image_files;
struct stacks;

struct import_profile {
	const struct import_options *options;
	struct profile *profile;
	struct record_output output;
	struct last_act *removal; /* of what is not whole, when a signal comes; owned */
	struct machine *machine;
	struct image_files *files;
	struct readers readers; /* of what the import names */
	struct frames frames;	/* .kernel is owned; NULL until it is known where the kernel lay */
	struct stacks *stacks;
	VEC(const char *) debug_folders; /* where the symbols of stripped files are looked for */
	char *recorded_folder;		 /* the one of them that is below options->symfs */
	uint64_t samples;
	uint64_t first_ns, last_ns; /* of samples that have a time */
	uint32_t cpus;		    /* highest number of one that was seen, and one */
};

/* Makes the file and what belongs to it. A signal that ends the process removes the file. */
int import_profile_begin(struct import_profile *import, const struct import_options *options,
			 struct err *err);
/* Lets go of everything; a file that was not published is removed. */
void import_profile_done(struct import_profile *import);

enum { IMPORT_NO_EVENT = -1 };

/* Appends an event; IMPORT_NO_EVENT when there are PROFILE_MAX_EVENTS already. */
int import_profile_event(struct import_profile *import, const struct event *event);
/* Counts and stores a sample. Negative errno and one line when the file cannot be written. */
int import_profile_sample(struct import_profile *import, const struct sample *sample,
			  struct err *err);
/* Adds a sentence to what was not visible. */
void import_profile_not_visible(struct import_profile *import, const char *sentence);

/* Names everything, completes the run's facts and publishes the file under *ret_path (of @size). */
int import_profile_finish(struct import_profile *import, struct import_result *result,
			  struct err *err);

#endif
