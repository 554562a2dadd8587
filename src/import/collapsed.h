/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collapsed stacks, FlameGraph's input: "root;caller;function COUNT", one line for each stack, with
 * any blanks and tabs around the count and before the stack. Also
 * what its stackcollapse programs add: marks after names (_[k] kernel, _[i] inlined, _[j] JIT code,
 * _[w] of a waker), and the thread at the root as COMM-PID/TID.
 */
#ifndef IMPORT_COLLAPSED_H
#define IMPORT_COLLAPSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/perf_data_input.h"

enum {
	COLLAPSED_MAX_FRAMES = 8192,  /* in one line; further ones are omitted */
	COLLAPSED_MAX_LINE = 4 << 20, /* bytes; a longer line is malformed */
};

struct collapsed_frame {
	const char *name; /* as in the file, without its mark */
	char mark;	  /* 'k', 'i', 'j', 'w'; 0: none */
};

/* Texts are borrowed. */
struct collapsed_stack {
	const char *comm; /* the thread at the root; NULL: none, and pid and tid are 0 */
	int32_t pid, tid;
	const struct collapsed_frame *frames; /* root first, without the thread */
	size_t frame_count;
	uint64_t count;
};

/* What the caller can report about the text. */
struct collapsed_facts {
	uint64_t odd;		   /* lines that are malformed */
	uint64_t odd_line;	   /* the first malformed line; from 1 */
	const char *fault;	   /* of that line, a constant */
	uint64_t rounded, to_zero; /* counts that had a fraction; those of them that became 0 */
	uint64_t numbered;	   /* stacks whose last name ends in a number of its own */
	bool differential;	   /* each stack has two counts: nothing was read */
};

/* True if a text that begins with @bytes consists of collapsed stacks. */
bool collapsed_is(const void *bytes, size_t size);

/* Calls @take for each stack until it returns non-zero, and returns that. Skips empty lines and
 * lines that begin with '#'. Rounds a count with a fraction. Reads nothing of a differential file, as
 * difffolded.pl makes: all its stacks (of the first PERF_DATA_BUFFER_BYTES) have two counts. */
int collapsed_read(struct perf_data_input *input,
		   int (*take)(void *context, const struct collapsed_stack *stack), void *context,
		   struct collapsed_facts *ret_facts);

#endif
