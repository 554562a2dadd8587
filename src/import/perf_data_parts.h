/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files a recording of perf's consists of: one, or, where several threads wrote (perf record
 * --threads), a folder in which "data" has the head and each "data.N" more records, compressed for
 * itself. Private to perf_data.c.
 */
#ifndef IMPORT_PERF_DATA_PARTS_H
#define IMPORT_PERF_DATA_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "base/zstd_stream.h"
#include "import/perf_data_input.h"

enum { PERF_DATA_MAX_PARTS = 4096 }; /* each has a descriptor and a buffer */

struct perf_data_part {
	struct perf_data_input *input;
	struct zstd_stream *zstd;
	struct buf plain; /* decompressed and not read yet */
	uint64_t last_ns; /* the youngest record so far; 0: none has a time */
	bool ended;	  /* nothing can be read any more */
};

/* The first is the file with the head. */
struct perf_data_parts {
	VEC(struct perf_data_part *) list;
};

/* Appends a part; @input is borrowed. */
struct perf_data_part *perf_data_parts_add(struct perf_data_parts *parts,
					   struct perf_data_input *input);
/* Appends the files "data.N" of a folder in order of their numbers; their inputs are owned. Of more
 * than PERF_DATA_MAX_PARTS those with the highest numbers are left out, *ret_left_out of them.
 * Negative errno and one line when one cannot be opened. */
int perf_data_parts_add_folder(struct perf_data_parts *parts, int folder, size_t *ret_left_out,
			       struct err *err);
/* The part that is to be read next, so that they are read in step; NULL: all have ended. */
struct perf_data_part *perf_data_parts_next(const struct perf_data_parts *parts);
void perf_data_parts_done(struct perf_data_parts *parts);

#endif
