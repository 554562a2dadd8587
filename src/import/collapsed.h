/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collapsed stacks, FlameGraph's input: "root;caller;function COUNT", a line for each stack, with
 * what its stackcollapse programs add: marks behind names (_[k] kernel, _[i] inlined, _[j] made at
 * run time, _[w] of a waker), and a thread as COMM-PID/TID at the root.
 */
#ifndef IMPORT_COLLAPSED_H
#define IMPORT_COLLAPSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/perf_data_input.h"

enum {
	COLLAPSED_MAX_FRAMES = 8192,  /* of a line; those behind are left out */
	COLLAPSED_MAX_LINE = 4 << 20, /* bytes; longer lines are odd ones */
};

struct collapsed_frame {
	const char *name; /* as it stands in the file, without its mark */
	char mark;	  /* 'k', 'i', 'j', 'w'; 0: none */
};

/* Texts are borrowed. */
struct collapsed_stack {
	const char *comm; /* of a thread at the root; NULL: there is none, the rest is 0 */
	int32_t pid, tid;
	const struct collapsed_frame *frames; /* root first, the thread is none of them */
	size_t frame_count;
	uint64_t count;
};

/* What may be wrong with a line: enum, and the words behind its number. */
#define COLLAPSED_FAULTS(X)                           \
	X(COLLAPSED_FINE, "nothing")                  \
	X(COLLAPSED_NO_COUNT, "a stack has no count") \
	X(COLLAPSED_NEGATIVE, "negative count")       \
	X(COLLAPSED_TOO_LARGE, "count too large")     \
	X(COLLAPSED_TOO_LONG, "line too long")        \
	X(COLLAPSED_NUL, "NUL byte in the line")

#define COLLAPSED_FAULT_ENUM(name, text) name,
enum collapsed_fault { COLLAPSED_FAULTS(COLLAPSED_FAULT_ENUM) };
#undef COLLAPSED_FAULT_ENUM

/* What is to be said of a text that was read. */
struct collapsed_facts {
	uint64_t odd;		    /* lines that could not be understood */
	uint64_t odd_line;	    /* the first of them; from 1 */
	enum collapsed_fault fault; /* of that one */
	uint64_t rounded, to_zero;  /* counts that had a fraction; that are 0 without it */
};

/* Does a text that begins like this consist of collapsed stacks? */
bool collapsed_is(const void *bytes, size_t size);

/* Gives the stacks of all lines; 0 goes on, else it is returned. Empty lines and those that begin
 * with '#' are passed over; a count with a fraction is rounded. */
int collapsed_read(struct perf_data_input *input,
		   int (*take)(void *context, const struct collapsed_stack *stack), void *context,
		   struct collapsed_facts *ret_facts);

const char *collapsed_fault_text(enum collapsed_fault fault);

#endif
