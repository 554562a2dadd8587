/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a perf-PID.map, in which a program announces its JIT code: "START SIZE NAME", both
 * numbers in hexadecimal, one line for each piece
 * (linux:tools/perf/Documentation/jit-interface.txt). Only parsing. Some writers put 0x before the
 * numbers.
 */
#ifndef PLACE_JIT_PERF_MAP_H
#define PLACE_JIT_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map_line {
	uint64_t start, size;
	const char *name; /* not NUL-terminated, borrowed from the text; at least one byte */
	size_t name_length;
};

/* Calls @take for each valid line and skips the others. The last line counts only if its newline is
 * there, or with @whole: nothing will follow. Returns the number of bytes consumed. */
size_t perf_map_parse(const char *text, size_t size, bool whole,
		      void (*take)(void *context, const struct perf_map_line *line), void *context);

#endif
