/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists what can be watched: functions, basic blocks, instructions. Attaches nothing. */
#ifndef WATCH_TARGETS_WATCH_LISTING_H
#define WATCH_TARGETS_WATCH_LISTING_H

#include "base/buf.h"
#include "base/err.h"
#include "watch/targets/watch_targets.h"

enum watch_listing {
	WATCH_LISTING_NONE,
	/* --list: a line for each function: name, source line, address, and the mechanism that
	 * would watch it, or why it cannot be watched. */
	WATCH_LISTING_FUNCTIONS,
	/* --blocks: the basic blocks of each function: start, number of instructions, source lines
	 * and successors. */
	WATCH_LISTING_BLOCKS,
	/* --disassemble: the instructions of each function. Those of a file are from the file; where
	 * the memory of process options->pid differs, both versions. Those of the kernel are from
	 * its current memory. */
	WATCH_LISTING_CODE,
};

/* Appends the list of a @kind other than none. Only words, module, pid, command, foreign and lines of
 * @options count. Errors as watch_targets_new, except that several functions with the same name are
 * all listed. */
int watch_listing_make(enum watch_listing kind, const struct watch_target_options *options,
		       struct buf *text, struct err *err);

#endif
