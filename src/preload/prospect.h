/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * For programs that are profiled by 'prospect preload': they choose what is profiled, and mark moments.
 * Link with -lprospect. In a program that nothing profiles, the functions do nothing.
 */
#ifndef PROSPECT_H
#define PROSPECT_H

#ifdef __cplusplus
extern "C" {
#endif

/* The process takes samples from now on, as it does from its start. */
void prospect_start(void);
/* It takes no samples until the next prospect_start; nor do the processes that it makes meanwhile. */
void prospect_stop(void);
/* Notes a moment under a name of at most 200 bytes, for --since mark:NAME and --until mark:NAME. */
void prospect_mark(const char *text);

#ifdef __cplusplus
}
#endif

#endif
