/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --mode: who may read what is written. */
#ifndef CMD_OPTIONS_MODE_OPTION_H
#define CMD_OPTIONS_MODE_OPTION_H

#include <sys/types.h>

#include "base/err.h"

/* Of what holds files of other users: nobody else reads it unless that was asked for. */
enum { MODE_OPTION_PRIVATE = 0600 };

/* A file mode in octal digits, as chmod(1) has it, that lets its owner read and write; NULL is
 * MODE_OPTION_PRIVATE. -EINVAL and one line. */
int mode_option_parse(const char *text, mode_t *ret_mode, struct err *err);

#endif
