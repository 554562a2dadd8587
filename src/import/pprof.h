/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of pprof (model/pprof.h), gzipped or not. Everything except the samples is read into
 * tables. References to missing rows become row 0, which is empty.
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
	PPROF_MAX_FRAMES = 8192, /* of a sample; the outermost ones beyond are omitted */
	PPROF_MAX_LABELS = 64,	 /* of a sample; further ones are omitted */
};

/* The largest profile, decompressed. */
#define PPROF_MAX_BYTES (1ULL << 30)

/* Texts are never NULL. All are borrowed from the profile. */
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

struct pprof;

/* True if a file that begins with @bytes may be a profile. All gzipped files may be. */
bool pprof_is(const void *bytes, size_t size);

/* Reads the rest of @input. -EBADMSG: not a profile, or damaged; -EFBIG: over PPROF_MAX_BYTES. */
int pprof_read(struct perf_data_input *input, struct pprof **ret_pprof, struct err *err);
void pprof_free(struct pprof *pprof); /* NULL is fine */
DEFINE_CLEANUP(struct pprof *, pprof_free);

const struct pprof_type *pprof_types(const struct pprof *pprof, size_t *ret_count);
const struct pprof_mapping *pprof_mapping(const struct pprof *pprof, uint32_t row);
const struct pprof_function *pprof_function(const struct pprof *pprof, uint32_t row);
const struct pprof_location *pprof_location(const struct pprof *pprof, uint32_t row);
const struct pprof_line *pprof_lines(const struct pprof *pprof,
				     const struct pprof_location *location);
/* Number of rows, row 0 included. */
size_t pprof_location_count(const struct pprof *pprof);
size_t pprof_mapping_count(const struct pprof *pprof);
/* The comment at @index; NULL after the last. */
const char *pprof_comment(const struct pprof *pprof, size_t index);
/* When the profile was taken, since 1970, and for how long; 0: unknown. */
int64_t pprof_time_ns(const struct pprof *pprof);
int64_t pprof_duration_ns(const struct pprof *pprof);

/* Calls @take for each sample until it returns non-zero, and returns that. May be called again. */
int pprof_each(const struct pprof *pprof,
	       int (*take)(void *context, const struct pprof_sample *sample), void *context);

#endif
