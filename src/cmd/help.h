/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of prospect without arguments. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include <stdio.h>

/* Prints the usage in three lines. */
void help_print_usage(FILE *stream);

#endif
