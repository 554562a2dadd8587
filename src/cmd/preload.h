/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiling with a preloaded library, for 'prospect preload' and where nothing else is permitted. */
#ifndef CMD_PRELOAD_H
#define CMD_PRELOAD_H

#include "cmd/options/report_options.h"
#include "record/preload_run.h"

/* Runs the command, prints the report, and returns the exit status. @command: on whose behalf. */
int preload_and_report(struct preload_options *options, const struct report_values *report,
		       const struct command *command);

#endif
