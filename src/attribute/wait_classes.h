/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread waits for, told from the frames of its kernel stack (place/kernel/wait_marks.h). */
#ifndef ATTRIBUTE_WAIT_CLASSES_H
#define ATTRIBUTE_WAIT_CLASSES_H

#include <stddef.h>
#include <stdint.h>

#include "model/words.h"

struct frames;
struct wait_classes;

/* @frames is borrowed, with its kernel, which may come later. */
struct wait_classes *wait_classes_new(const struct frames *frames);
void wait_classes_free(struct wait_classes *classes); /* NULL is fine */

/* What a frame of the kernel says by itself; WAIT_OTHER: nothing. Remembered for each frame. */
enum wait wait_classes_frame(struct wait_classes *classes, uint32_t frame);

/* The one frame (of profile.frames) that stands, as the innermost, for a wait that @waker, a task
 * of the profile, ended; 0: nobody did, or nobody knows. */
uint32_t wait_classes_leaf(struct wait_classes *classes, enum wait wait, uint32_t waker);

#endif
