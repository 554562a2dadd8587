/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profiled command of one side of a comparison, and its names. */
#ifndef LOAD_DIFF_COMMAND_H
#define LOAD_DIFF_COMMAND_H

#include <stddef.h>

#include "model/profile.h"

/* The process that the command became last; 0: none. */
uint32_t diff_command_process(const struct profile *profile);
/* The image of its executable: the file named like the process; of several, the one with most of
 * the process's weight in @rows. 0: unknown. */
uint32_t diff_command_image(const struct profile *profile, const struct total *rows, size_t count);

#endif
