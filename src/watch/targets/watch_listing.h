/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What could be watched: functions, their basic blocks, their instructions. Nothing is attached. */
#ifndef WATCH_TARGETS_WATCH_LISTING_H
#define WATCH_TARGETS_WATCH_LISTING_H

#include "base/buf.h"
#include "base/err.h"
#include "watch/targets/watch_targets.h"

/* Of @options the words, module, pid, command and lines count. Errors as watch_targets_new has
 * them; several functions of a name are no error, all are listed. */

/* --list: appends a line for each function: its name, where it is in the source, its address, by
 * which mechanism it would be watched, or why it cannot be. */
int watch_listing_functions(const struct watch_target_options *options, struct buf *text,
			    struct err *err);

/* --blocks: appends the basic blocks of each function: where they begin, how many instructions they
 * have, their source lines and where they lead. */
int watch_listing_blocks(const struct watch_target_options *options, struct buf *text,
			 struct err *err);

/* --disassemble: appends the instructions of each function as they are in its file, and where
 * memory has other bytes now, in the process options->pid, those too; of the kernel as they are in
 * memory now. */
int watch_listing_code(const struct watch_target_options *options, struct buf *text,
		       struct err *err);

#endif
