/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profiles that have whole stacks. */
#ifndef TESTS_GOLDEN_STACK_PROFILES_H
#define TESTS_GOLDEN_STACK_PROFILES_H

#include "profile_maker.h"

/* Whole stacks of two processes and a kernel thread. */
void make_stacks(struct maker *maker);
/* Recursion of 1,000 frames that does something else at every level. */
void make_deep(struct maker *maker);
/* Names that want to leave the page, the string or the line they are in. */
void make_names(struct maker *maker);
/* Every kind of image and of event, every reason for a wait, and every end of a stack. */
void make_kinds(struct maker *maker);
/* More than 100,000 frames in stacks of up to 60, for measuring. */
void make_wide(struct maker *maker);
/* Functions that call themselves and each other, with calls that were recorded. */
void make_calls(struct maker *maker);
/* A program, and what was built of its next version. */
void make_before(struct maker *maker);
void make_after(struct maker *maker);
/* The second of these, of another event. */
void make_cycles(struct maker *maker);

#endif
