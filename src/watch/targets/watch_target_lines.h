/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --at-line: the code of source lines as targets. Private to watch_targets.c. */
#ifndef WATCH_TARGETS_WATCH_TARGET_LINES_H
#define WATCH_TARGETS_WATCH_TARGET_LINES_H

#include "watch/targets/watch_target_list.h"
#include "watch/targets/watch_targets.h"

/* Adds each stretch of code of each of options->at_lines, in the files given as words, else in
 * --module, else in the program. -ENOENT: no such code, with the next line that has code. */
int watch_target_lines_add(struct watch_target_list *targets,
			   const struct watch_target_options *options, struct err *err);

#endif
