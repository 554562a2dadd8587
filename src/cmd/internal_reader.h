/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect as the process that reads files which may never answer. Only prospect itself starts it.
 * Without its socket it ends at once. */
#ifndef CMD_INTERNAL_READER_H
#define CMD_INTERNAL_READER_H

#include <stdbool.h>

bool internal_reader_is_meant(int argc, char **argv);
/* Returns the exit status. */
int internal_reader_run(void);

#endif
