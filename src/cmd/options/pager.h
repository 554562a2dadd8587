/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a viewing command prints on a terminal goes through a pager, as with git: $PROSPECT_PAGER, else
 * $PAGER, else less, which ends at once if one screen is enough. The pager starts with the first output,
 * so that nothing comes between an error message and the terminal. The command prints all of its
 * output, however early the user leaves the pager, and its exit status stays what it is.
 */
#ifndef CMD_OPTIONS_PAGER_H
#define CMD_OPTIONS_PAGER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/cleanup.h"

struct pager;

/* @wanted: false for output that goes to standard output as it is. So does all that is not for a
 * terminal that a pager can use. */
struct pager *pager_new(bool wanted);
/* Ends the output, and waits until the user leaves the pager. NULL is fine. */
void pager_free(struct pager *pager);
DEFINE_CLEANUP(struct pager *, pager_free);

/* Where to print: standard output, or on the way to the pager. */
FILE *pager_stream(struct pager *pager);

#endif
