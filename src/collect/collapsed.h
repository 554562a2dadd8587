/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collapsed stacks, FlameGraph's input: "root;caller;function COUNT", a line for each stack, with
 * what its stackcollapse programs add: marks behind names (_[k] kernel, _[i] inlined, _[j] made at
 * run time, _[w] of a waker), and a thread as COMM-PID/TID at the root.
 */
#ifndef COLLECT_COLLAPSED_H
#define COLLECT_COLLAPSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/perf_data_input.h"

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

/* Does a text that begins like this consist of collapsed stacks? */
bool collapsed_is(const void *bytes, size_t size);

/* Gives the stacks of all lines; 0 goes on, else it is returned. *ret_odd: lines that could not be
 * understood; empty ones and those that begin with '#' are none. */
int collapsed_read(struct perf_data_input *input,
		   int (*take)(void *context, const struct collapsed_stack *stack), void *context,
		   uint64_t *ret_odd);

#endif
