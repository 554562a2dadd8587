/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What prospect is when it starts itself to read files that may never answer. No command: nobody
 * else has a use for it, and without the socket it ends. */
#ifndef CMD_INTERNAL_READER_H
#define CMD_INTERNAL_READER_H

#include <stdbool.h>

bool internal_reader_is_meant(int argc, char **argv);
/* Returns the exit status. */
int internal_reader_run(void);

#endif
