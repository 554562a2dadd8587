/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording of perf, perf 3.2's to today's: files, folders and pipes, compressed or not, of
 * either byte order (tools/perf/Documentation/perf.data-file-format.txt of Linux). Unknown records
 * and features are passed over by their size. Damage ends it where it is: what was read until then
 * counts, and how it ended is told.
 */
#ifndef IMPORT_PERF_DATA_H
#define IMPORT_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "import/perf_data_events.h"
#include "import/perf_data_features.h"
#include "import/perf_data_input.h"
#include "perf/perf_record.h"

struct perf_data;

/* Do a file's first bytes (as many as there are, 8 suffice) say that it is a recording of perf? */
bool perf_data_is(const void *bytes, size_t size);

/* Reads what a recording tells of itself, wherever in it that stands; a pipe is copied to a file
 * first. Takes @input over in any case. -EINVAL and one line for what is no recording of perf, or
 * one without events; -EBADMSG for a damaged head. */
int perf_data_open(struct perf_data_input *input, struct perf_data **ret_data, struct err *err);
/* The recording is a folder (borrowed), and what was opened its file "data": adds the files with
 * the records of the threads that wrote it, which are read in step. Files beyond a limit are left
 * out, which perf_data_damage tells. Negative errno and one line when one cannot be opened. */
int perf_data_add_folder(struct perf_data *data, int folder, struct err *err);
void perf_data_free(struct perf_data *data); /* NULL is fine */
DEFINE_CLEANUP(struct perf_data *, perf_data_free);

/* Borrowed. */
const struct perf_data_events *perf_data_events(const struct perf_data *data);
const struct perf_data_facts *perf_data_facts(const struct perf_data *data);

/* Gets each record, in order of time, with the index of its event. What it borrows is valid during
 * the call. 0 goes on, else it is returned from perf_data_run. */
typedef int (*perf_data_visit)(void *context, const struct perf_record *record, size_t event);

/* Reads all records, once. 0 also when the recording is damaged; else what @visit returned. */
int perf_data_run(struct perf_data *data, perf_data_visit visit, void *context);

struct perf_data_counts {
	uint64_t records;   /* of the kernel's kinds, that were handed out */
	uint64_t malformed; /* could not be read */
	uint64_t late;	    /* out of order by more than could be mended */
	uint64_t foreign;   /* samples of events the recording does not tell of */
};
struct perf_data_counts perf_data_counts(const struct perf_data *data);
/* What is wrong with the recording as a whole, a clause; "" nothing. Borrowed. */
const char *perf_data_damage(const struct perf_data *data);

#endif
