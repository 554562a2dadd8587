/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording of perf, since version 3.2: files, folders and pipes, compressed or not, in either
 * byte order (tools/perf/Documentation/perf.data-file-format.txt of Linux). Unknown records and
 * features are skipped by their size. Damage ends the reading: earlier records count, and
 * perf_data_damage describes the damage.
 */
#ifndef IMPORT_PERF_DATA_H
#define IMPORT_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "import/perf_data_head.h"
#include "import/perf_data_input.h"
#include "perf/perf_record.h"

struct perf_data;

/* True if a file that begins with these bytes (8 suffice) is a recording of perf. */
bool perf_data_is(const void *bytes, size_t size);

/* Reads all that the recording says about itself, wherever it is; copies a pipe to a file first.
 * Takes ownership of @input, also on failure. -EINVAL and one line: not a recording of perf, or one
 * without events; -EBADMSG: the head is damaged. */
int perf_data_open(struct perf_data_input *input, struct perf_data **ret_data, struct err *err);
/* For a recording that is a folder (borrowed), opened by its file "data": adds the files of the
 * threads that wrote it, which are read in step. Files beyond a limit are omitted, and
 * perf_data_damage says so. Negative errno and one line if one cannot be opened. */
int perf_data_add_folder(struct perf_data *data, int folder, struct err *err);
void perf_data_free(struct perf_data *data); /* NULL is fine */
DEFINE_CLEANUP(struct perf_data *, perf_data_free);

/* Borrowed. */
const struct perf_data_head *perf_data_head(const struct perf_data *data);

/* Gets each record, in order of time, and the index of its event. Both are valid during the call
 * only. Any result but 0 ends perf_data_run, which returns it. */
typedef int (*perf_data_visit)(void *context, const struct perf_record *record, size_t event);

/* Reads all records, once. 0, also when the recording is damaged; else the result of @visit. */
int perf_data_run(struct perf_data *data, perf_data_visit visit, void *context);

struct perf_data_counts {
	uint64_t malformed; /* that could not be read */
	uint64_t late;	    /* came after younger ones had been passed on */
	uint64_t foreign;   /* samples of events that the recording does not declare */
};
struct perf_data_counts perf_data_counts(const struct perf_data *data);
/* What is wrong with the recording as a whole, as a clause; "" nothing. Borrowed. */
const char *perf_data_damage(const struct perf_data *data);

#endif
