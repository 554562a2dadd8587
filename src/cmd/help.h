/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What prospect says about itself when it is called without a word. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include <stdio.h>

/* The usage in three lines. */
void help_print_usage(FILE *stream);

#endif
