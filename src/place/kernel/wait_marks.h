/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which routines of the kernel tell what a thread waits for. */
#ifndef PLACE_KERNEL_WAIT_MARKS_H
#define PLACE_KERNEL_WAIT_MARKS_H

#include "model/words.h"

/* What a routine's name says about a thread that waits in it; a suffix of the compiler's (".cold",
 * ".isra.0") changes nothing. WAIT_OTHER: nothing. Read a stack from the innermost routine outward:
 * the first that says something decides. */
enum wait wait_marks_by_name(const char *name);

#endif
