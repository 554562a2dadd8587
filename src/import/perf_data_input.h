/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of a recording, from a file or a pipe: read in order and, where possible, at any place.
 * A pipe that must be read twice is copied to a temporary file first.
 */
#ifndef IMPORT_PERF_DATA_INPUT_H
#define IMPORT_PERF_DATA_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { PERF_DATA_BUFFER_BYTES = 256 * 1024 };

/* At the beginning when zero-initialised except for fd. */
struct perf_data_input {
	int fd; /* owned; -1: none */
	bool seekable;
	uint64_t size; /* of the file; UINT64_MAX: not seekable */
	uint64_t at;   /* place of the next byte read in order */
	uint64_t end;  /* reading in order stops here */
	uint8_t *buffer;
	size_t first, filled; /* bytes in the buffer that are not read yet: [first, filled) */
	int error;	      /* negative errno of a failed read; 0: none */
};

/* Takes ownership of @fd. */
void perf_data_input_begin(struct perf_data_input *input, int fd);
void perf_data_input_done(struct perf_data_input *input);

/* Returns the next bytes without taking them, at most @size (<= PERF_DATA_BUFFER_BYTES), fewer at
 * the end. *ret_bytes is borrowed until the next call. */
size_t perf_data_input_peek(struct perf_data_input *input, size_t size, const uint8_t **ret_bytes);
/* Reads in order. False: fewer bytes were left, and they are consumed. */
bool perf_data_input_read(struct perf_data_input *input, void *bytes, size_t size);
/* Skips @size bytes. False: fewer were left. */
bool perf_data_input_skip(struct perf_data_input *input, uint64_t size);
/* Reads the next line in order into @line, which it empties first, without the line's end. Of a
 * line longer than @limit it keeps @limit bytes and sets *ret_cut. False: nothing is left. The last
 * line may lack its end. */
bool perf_data_input_line(struct perf_data_input *input, size_t limit, struct buf *line,
			  bool *ret_cut);
/* Continues to read in order at @offset, up to @end. Only where seekable. */
void perf_data_input_seek(struct perf_data_input *input, uint64_t offset, uint64_t end);

/* Reads at any place of a file, without moving the place read in order. Returns how many bytes were
 * there. Only where seekable. */
size_t perf_data_input_at(struct perf_data_input *input, uint64_t offset, void *bytes, size_t size);

/* Makes a pipe seekable: copies it to a file without a name in $TMPDIR, at most PERF_DATA_MAX_COPY
 * bytes. Nothing may have been read before. */
#define PERF_DATA_MAX_COPY (64ULL << 30)
int perf_data_input_make_seekable(struct perf_data_input *input, struct err *err);

#endif
