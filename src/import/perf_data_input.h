/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of a recording, from a file or a pipe: read in order, and, where that is possible, at
 * any place. What cannot be gone back in but has to be is copied to a temporary file first.
 */
#ifndef IMPORT_PERF_DATA_INPUT_H
#define IMPORT_PERF_DATA_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { PERF_DATA_BUFFER_BYTES = 256 * 1024 };

/* Zero-initialised but for fd is at the beginning. */
struct perf_data_input {
	int fd; /* owned; -1: none */
	bool seekable;
	uint64_t size; /* of the file; not seekable: UINT64_MAX */
	uint64_t at;   /* where the next byte read in order stands */
	uint64_t end;  /* reading in order stops here */
	uint8_t *buffer;
	size_t first, filled; /* what is buffered and not read yet: [first, filled) */
	int error;	      /* negative errno of a read that failed; 0: none */
};

/* Takes @fd over. */
void perf_data_input_begin(struct perf_data_input *input, int fd);
void perf_data_input_done(struct perf_data_input *input);

/* Looks at the next bytes without taking them: as many as there are, at most @size
 * (<= PERF_DATA_BUFFER_BYTES). *ret_bytes is borrowed until the next call. */
size_t perf_data_input_peek(struct perf_data_input *input, size_t size, const uint8_t **ret_bytes);
/* Reads in order. False: fewer were left; these are gone. */
bool perf_data_input_read(struct perf_data_input *input, void *bytes, size_t size);
/* Passes over @size bytes. False: fewer were left. */
bool perf_data_input_skip(struct perf_data_input *input, uint64_t size);
/* Reads in order the next line, without its end, into @line, which it empties first; of one longer
 * than @limit so many bytes, and *ret_cut is set. False: nothing is left. The last line needs no
 * end. */
bool perf_data_input_line(struct perf_data_input *input, size_t limit, struct buf *line,
			  bool *ret_cut);
/* Reads from now on in order from @offset to before @end. Only where seekable. */
void perf_data_input_seek(struct perf_data_input *input, uint64_t offset, uint64_t end);

/* At any place of a file, nothing of the order is changed: returns how many bytes were there. Only
 * where seekable. */
size_t perf_data_input_at(struct perf_data_input *input, uint64_t offset, void *bytes, size_t size);

/* Makes a pipe seekable by copying the rest of it to a file without a name in $TMPDIR, at most
 * PERF_DATA_MAX_COPY bytes. Nothing must have been taken yet. */
#define PERF_DATA_MAX_COPY (64ULL << 30)
int perf_data_input_make_seekable(struct perf_data_input *input, struct err *err);

#endif
