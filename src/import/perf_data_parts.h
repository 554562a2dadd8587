/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a perf recording: one, or, if several threads wrote (perf record --threads), a
 * folder where "data" has the head and each "data.N" has more records, compressed separately.
 * Private to perf_data.c.
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
	struct buf plain; /* decompressed but not read yet */
	uint64_t last_ns; /* the youngest record so far; 0: none has a time */
	bool ended;	  /* nothing more can be read */
};

/* The first part is the file with the head. */
struct perf_data_parts {
	VEC(struct perf_data_part *) list;
};

/* Appends a part; @input is borrowed. */
struct perf_data_part *perf_data_parts_add(struct perf_data_parts *parts,
					   struct perf_data_input *input);
/* Appends the files "data.N" of a folder in order of their numbers; owns their inputs. Omits files
 * after the first PERF_DATA_MAX_PARTS; *ret_left_out is their number. Negative errno and one line
 * if one cannot be opened. */
int perf_data_parts_add_folder(struct perf_data_parts *parts, int folder, size_t *ret_left_out,
			       struct err *err);
/* The part to read next, so that all are read in step; NULL: all have ended. */
struct perf_data_part *perf_data_parts_next(const struct perf_data_parts *parts);
void perf_data_parts_done(struct perf_data_parts *parts);

#endif
