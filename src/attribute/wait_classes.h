/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread waits for, from the frames of its kernel stack (place/kernel/wait_marks.h). */
#ifndef ATTRIBUTE_WAIT_CLASSES_H
#define ATTRIBUTE_WAIT_CLASSES_H

#include <stddef.h>
#include <stdint.h>

#include "model/words.h"

struct frames;
struct wait_classes;

/* @frames is borrowed; its kernel may be set later. */
struct wait_classes *wait_classes_new(const struct frames *frames);
void wait_classes_free(struct wait_classes *classes); /* NULL is fine */

/* What a kernel frame alone says; WAIT_OTHER: nothing. The answer is remembered for each frame. */
enum wait wait_classes_frame(struct wait_classes *classes, uint32_t frame);

/* The frame (row of profile.frames) that stands for a wait, innermost in its stack. @waker: the
 * task of the profile that ended the wait; 0: none, or unknown. */
uint32_t wait_classes_leaf(struct wait_classes *classes, enum wait wait, uint32_t waker);

#endif
