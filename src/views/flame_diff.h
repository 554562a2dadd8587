/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From two profiles to a flame graph of what changed. */
#ifndef VIEWS_FLAME_DIFF_H
#define VIEWS_FLAME_DIFF_H

#include "views/flame.h"

/* Writes the page about the main event of the profile at @new, which @old must have too (-ENOMSG).
 * Where both are of a command, it is about the command and its children alone, unless @machine.
 * Options are checked by flame_check; errors as report_print. */
int flame_diff_write(const char *old, const char *new, const struct flame_options *options,
		     bool machine, FILE *out, struct err *err);

#endif
