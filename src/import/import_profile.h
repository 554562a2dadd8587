/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile that an import writes: what all readers of input share, and the readers. */
#ifndef IMPORT_IMPORT_PROFILE_H
#define IMPORT_IMPORT_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "attribute/frames.h"
#include "base/err.h"
#include "base/vec.h"
#include "foreign/door.h"
#include "import/import.h"
#include "import/perf_data_input.h"
#include "model/machine.h"
#include "model/profile.h"
#include "store/record_output.h"

struct image_files;
struct stacks;

/* Stacks with the same context, and how many samples they are. */
struct import_count {
	struct sample sample; /* its weight is that of all its samples */
	uint64_t samples;     /* 0: unknown */
};

struct import_profile {
	const struct import_options *options;
	int folder; /* of the recording, if the input is its file "data"; -1: none. Borrowed */
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
	/* Counts that are not stored yet, and their sums by event. */
	VEC(struct import_count) counts;
	uint64_t weights[PROFILE_MAX_EVENTS], counted[PROFILE_MAX_EVENTS];
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
/*
 * Stacks with counts. A count becomes that many samples, so that shares have their intervals; or
 * one sample of that weight, if the numbers do not count samples. A larger sum of counts than
 * IMPORT_MOST_COUNTED is taken as something else, such as time.
 */
enum { IMPORT_MOST_COUNTED = 10000000 };
/* The largest weight of an event: numbers in the profile are signed. */
#define IMPORT_MOST_WEIGHT ((uint64_t)INT64_MAX)

/* Keeps a count. False: the event's weight would exceed IMPORT_MOST_WEIGHT; nothing was added. */
bool import_profile_count(struct import_profile *import, const struct sample *sample,
			  uint64_t samples);
/* True if the event has at most IMPORT_MOST_COUNTED samples. */
bool import_profile_counts_samples(const struct import_profile *import, uint8_t event);
/* Stores all counts. Those of events with @expand set become samples. */
int import_profile_store_counts(struct import_profile *import, const bool *expand, struct err *err);

/* Resolves names, completes the facts of the run and publishes the file as result->path. */
int import_profile_finish(struct import_profile *import, struct import_result *result,
			  struct err *err);

/* The readers take the rest of @input, import_data also its ownership. Damage that leaves some
 * samples is no error: it counts as lost, and result->damage describes it. result->left_out says
 * what was omitted on purpose. -ENODATA: no samples. */
int import_data(struct import_profile *import, struct perf_data_input *input,
		struct import_result *result, struct err *err);
int import_script(struct import_profile *import, struct perf_data_input *input,
		  struct import_result *result, struct err *err);
int import_collapsed(struct import_profile *import, struct perf_data_input *input,
		     struct import_result *result, struct err *err);
int import_pprof(struct import_profile *import, struct perf_data_input *input,
		 struct import_result *result, struct err *err);

#endif
