/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile that an import writes: what all readers of input share. */
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
	struct last_act *removal; /* removes the unfinished file on a signal; owned */
	struct machine *machine;
	struct image_files *files;
	struct readers readers; /* of the import's files */
	struct frames frames;	/* .kernel is owned; NULL until the kernel's address is known */
	struct stacks *stacks;
	VEC(const char *) debug_folders; /* where to look for symbols of stripped files */
	char *recorded_folder;		 /* the one of them below options->symfs */
	uint64_t samples;
	uint64_t first_ns, last_ns; /* of samples that have a time */
	uint32_t cpus;		    /* highest CPU number seen, plus 1 */
};

/* Creates the file and its writer. A signal that ends the process removes the file. */
int import_profile_begin(struct import_profile *import, const struct import_options *options,
			 struct err *err);
/* Frees everything and removes a file that was not published. */
void import_profile_done(struct import_profile *import);

enum { IMPORT_NO_EVENT = -1 };

/* Appends an event. IMPORT_NO_EVENT: there are PROFILE_MAX_EVENTS already. */
int import_profile_event(struct import_profile *import, const struct event *event);
/* Counts and stores a sample. Negative errno and one line when the file cannot be written. */
int import_profile_sample(struct import_profile *import, const struct sample *sample,
			  struct err *err);
/* Adds a sentence to the list of what was not visible. */
void import_profile_not_visible(struct import_profile *import, const char *sentence);

/* Resolves names, completes the facts of the run and publishes the file as result->path. */
int import_profile_finish(struct import_profile *import, struct import_result *result,
			  struct err *err);

#endif
