/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that keeps a recorder at work until it is stopped. */
#ifndef HISTORY_SUPERVISOR_H
#define HISTORY_SUPERVISOR_H

#include "base/err.h"

struct history_options;

/* Runs in @folder, which exists, until SIGTERM, SIGINT or "stop". Writes a line to the descriptor
 * @started (-1: none) and closes it: empty when the first recorder is at work, else why there is none;
 * then it has ended with that error. */
int supervisor_run(const struct history_options *options, const char *folder, int started,
		   struct err *err);

#endif
