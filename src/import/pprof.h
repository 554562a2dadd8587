/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of pprof (model/pprof.h), gzipped or not. Everything except the samples is read into
 * tables. What "go tool pprof" refuses is refused: wrong types of fields, missing strings, locations
 * and functions, ids that are 0 or occur twice, samples without a value for each type. A mapping
 * may be missing, as there: then it is row 0.
 */
#ifndef IMPORT_PPROF_H
#define IMPORT_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hashidx.h"
#include "base/reader.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "import/perf_data_input.h"

enum {
	PPROF_MAX_TYPES = 256,	 /* of values */
	PPROF_MAX_FRAMES = 8192, /* of a sample; the outermost ones beyond are omitted */
	PPROF_MAX_LABELS = 64,	 /* of a sample; further ones are omitted */
};

/* The largest profile, decompressed. */
#define PPROF_MAX_BYTES (1ULL << 30)

/* Texts are never NULL. They live as long as the profile. */
struct pprof_type {
	const char *name, *unit;
};

struct pprof_mapping {
	uint64_t start, limit, offset;
	const char *file, *build_id;
};

struct pprof_function {
	const char *name, *linkage, *file;
};

struct pprof_line {
	uint32_t function; /* row */
	uint64_t line;
};

struct pprof_location {
	uint32_t mapping; /* row */
	uint64_t address;
	uint32_t first_line, line_count; /* rows, innermost first */
};

struct pprof_label {
	const char *key, *text;
	int64_t number;
};

struct pprof_sample {
	const uint32_t *locations; /* rows, innermost first */
	size_t location_count;
	const int64_t *values; /* one for each type of values */
	const struct pprof_label *labels;
	size_t label_count;
};

/* The rows of the ids in the file; private. */
struct pprof_rows {
	struct hashidx index;
	VEC(uint64_t) ids; /* by row; 0: row 0 */
};

/* Row 0 of mappings, functions and locations is empty. */
struct pprof {
	VEC(struct pprof_type) types;
	VEC(struct pprof_mapping) mappings;
	VEC(struct pprof_function) functions;
	VEC(struct pprof_location) locations;
	VEC(struct pprof_line) lines;
	VEC(const char *) comments;
	int64_t time_ns,
		duration_ns; /* when it was taken, since 1970, and for how long; 0: unknown */
	/* private */
	struct buf bytes;
	struct strpool pool; /* texts from the file, with a NUL added */
	VEC(const char *) strings;
	VEC(struct reader) samples;
	struct pprof_rows location_rows;
};

/* True if a file that begins with @bytes may be a profile. All gzipped files may be. */
bool pprof_is(const void *bytes, size_t size);

/* Reads the rest of @input. -EBADMSG: not a profile, or invalid, and the reason says where; -EFBIG:
 * over PPROF_MAX_BYTES or PPROF_MAX_TYPES.
 * Free @ret_pprof with pprof_done in any case. */
int pprof_read(struct perf_data_input *input, struct pprof *ret_pprof, struct err *err);
void pprof_done(struct pprof *pprof);

/* Calls @take for each sample until it returns non-zero, and returns that. May be called again. */
int pprof_each(const struct pprof *pprof,
	       int (*take)(void *context, const struct pprof_sample *sample), void *context);

#endif
