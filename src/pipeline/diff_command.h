/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was profiled on one side of a comparison: the command, and what it is called. */
#ifndef PIPELINE_DIFF_COMMAND_H
#define PIPELINE_DIFF_COMMAND_H

#include <stdbool.h>

#include "aggregate/keys.h"

/* Was a command profiled, so that it alone may be compared? */
bool diff_command_is_known(const struct profile *profile);
/* Was the sample taken in it or in one of its children? */
bool diff_command_has(const struct profile *profile, const struct point *point);

/* The process the command became last; 0: there is none. */
uint32_t diff_command_process(const struct profile *profile);
/* The path of its executable; NULL: not known. */
const char *diff_command_image(const struct profile *profile);

#endif
