/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of pprof (model/pprof.h), gzipped or not. Everything but the samples is taken apart into
 * tables; references that lead nowhere lead to row 0 of them, which is empty.
 */
#ifndef IMPORT_PPROF_H
#define IMPORT_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "import/perf_data_input.h"

enum {
	PPROF_MAX_TYPES = 256,	 /* of values */
	PPROF_MAX_FRAMES = 8192, /* of a sample; the outermost of more are left out */
	PPROF_MAX_LABELS = 64,	 /* of a sample; more are left out */
};

/* All of a profile, unpacked. */
#define PPROF_MAX_BYTES (1ULL << 30)

/* Texts are not NULL; all are borrowed from the profile. */
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
	uint32_t first_line, line_count; /* rows, the innermost first */
};

struct pprof_label {
	const char *key, *text;
	int64_t number;
};

struct pprof_sample {
	const uint32_t *locations; /* rows, the innermost first */
	size_t location_count;
	const int64_t *values; /* one for each type */
	const struct pprof_label *labels;
	size_t label_count;
};

struct pprof;

/* Does a file that begins like this seem to be one? Of compressed bytes only that can be told. */
bool pprof_is(const void *bytes, size_t size);

/* Reads the rest of @input. -EBADMSG: it is none, or damaged; -EFBIG: more than PPROF_MAX_BYTES. */
int pprof_read(struct perf_data_input *input, struct pprof **ret_pprof, struct err *err);
void pprof_free(struct pprof *pprof); /* NULL is fine */
DEFINE_CLEANUP(struct pprof *, pprof_free);

const struct pprof_type *pprof_types(const struct pprof *pprof, size_t *ret_count);
const struct pprof_mapping *pprof_mapping(const struct pprof *pprof, uint32_t row);
const struct pprof_function *pprof_function(const struct pprof *pprof, uint32_t row);
const struct pprof_location *pprof_location(const struct pprof *pprof, uint32_t row);
const struct pprof_line *pprof_lines(const struct pprof *pprof,
				     const struct pprof_location *location);
/* How many rows there are of each, row 0 counted. */
size_t pprof_location_count(const struct pprof *pprof);
size_t pprof_mapping_count(const struct pprof *pprof);
/* Comments one after the other; NULL behind the last. */
const char *pprof_comment(const struct pprof *pprof, size_t index);
/* When it was taken, since 1970, and for how long; 0: not told. */
int64_t pprof_time_ns(const struct pprof *pprof);
int64_t pprof_duration_ns(const struct pprof *pprof);

/* Gives every sample; 0 goes on, else it is returned. May be called again. */
int pprof_each(const struct pprof *pprof,
	       int (*take)(void *context, const struct pprof_sample *sample), void *context);

#endif
