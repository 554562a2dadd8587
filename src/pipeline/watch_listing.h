/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What could be watched: functions, their basic blocks, their instructions. Nothing is attached. */
#ifndef PIPELINE_WATCH_LISTING_H
#define PIPELINE_WATCH_LISTING_H

#include "base/buf.h"
#include "base/err.h"
#include "pipeline/watch_targets.h"

/* --list: appends a line for each function the words mean: its name, where it is in the source,
 * where in memory or in its file, by which mechanism it would be watched, or why it cannot be. The
 * words, module, pid, command and lines of @options count. Errors as watch_targets_new has them. */
int watch_listing_functions(const struct watch_target_options *options, struct buf *text,
			    struct err *err);

/* --blocks: appends the basic blocks of options->blocks, each with where it begins, how many
 * instructions it has, its source lines and where it leads. */
int watch_listing_blocks(const struct watch_target_options *options, struct buf *text,
			 struct err *err);

/* --disassemble: appends the instructions of a function as they are in its file, and where memory
 * has other bytes now, in the process options->pid or in the kernel, those too. */
int watch_listing_code(const struct watch_target_options *options, const char *word,
		       struct buf *text, struct err *err);

#endif
