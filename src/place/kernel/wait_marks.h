/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel functions that show what a thread waits for. */
#ifndef PLACE_KERNEL_WAIT_MARKS_H
#define PLACE_KERNEL_WAIT_MARKS_H

#include "model/words.h"

/* What a thread that waits in a function of this name waits for; compiler suffixes (".cold",
 * ".isra.0") are ignored. WAIT_OTHER: the name does not say. Read a stack from the innermost
 * function outward: the first that says something decides. */
enum wait wait_marks_by_name(const char *name);

#endif
