/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program of a command that is to be preloaded. */
#ifndef RECORD_PRELOAD_COMMAND_H
#define RECORD_PRELOAD_COMMAND_H

#include "preload/preload_wire.h"

/* What @word will execute, by PATH if it has no slash, as far as it can be found: the caller frees *ret_path.
 * Returns why the library will not be loaded into it; NONE also if that is not known. */
enum preload_refusal preload_command_judge(const char *word, char **ret_path);

#endif
