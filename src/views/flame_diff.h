/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From two profiles to a flame graph of the changes. */
#ifndef VIEWS_FLAME_DIFF_H
#define VIEWS_FLAME_DIFF_H

#include "views/flame.h"

/* Writes the page for the main event of the profile at @new; the profile at @old must have it too
 * (-ENOMSG). If both are of a command, shows only the command and its children, unless @machine.
 * @options must have passed flame_check. Errors as report_print. */
int flame_diff_write(const char *old, const char *new, const struct flame_options *options,
		     bool machine, FILE *out, struct err *err);

#endif
