/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --mode: who may read an output file. */
#ifndef CMD_OPTIONS_MODE_OPTION_H
#define CMD_OPTIONS_MODE_OPTION_H

#include <sys/types.h>

#include "base/err.h"

/* The default for output with files of other users: only the owner reads it. */
enum { MODE_OPTION_PRIVATE = 0600 };

/* Reads a file mode in octal digits, as in chmod(1), which must let the owner read and write. NULL
 * is MODE_OPTION_PRIVATE. -EINVAL and one line. */
int mode_option_parse(const char *text, mode_t *ret_mode, struct err *err);

#endif
