/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May a program have fibers, stacks of its own making? The kernel keeps the return addresses it has
 * exchanged in the order of their entries, and a program that returns in another order is killed.
 */
#ifndef PIPELINE_WATCH_FIBERS_H
#define PIPELINE_WATCH_FIBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/watch_sources.h"

/* Of one watch; zero-initialised but for the first two. */
struct watch_fibers {
	struct watch_sources *sources; /* borrowed */
	int32_t pid;		       /* the process; 0: none is chosen */
	bool found, asked;
	const struct watch_image *last; /* that was asked for */
};

/* Does the program, the image, or a library that one of them needs or the process has, switch
 * stacks by a function that is known for it? */
bool watch_fibers_may_be(struct watch_fibers *fibers, const struct watch_image *image);

#endif
