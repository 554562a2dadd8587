/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quality of a profile as the first screen has it: one line if all is well, and a sentence for
 * each figure that would change the reader's mind, with the remedy. report --quality has everything.
 */
#ifndef PRESENT_TEXT_SCREEN_NOTES_H
#define PRESENT_TEXT_SCREEN_NOTES_H

#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "present/view.h"

/* Prints the sentences, each after a "!". Returns the number of lines of @width characters. Sentences
 * for which @most lines have no room are counted in a last line; SIZE_MAX: there is room for all. */
size_t screen_notes_print(const struct view *view, size_t width, size_t most, FILE *out);
/* Appends the samples, losses, complete stacks and own cost in a few words. */
void screen_notes_add_quality(const struct view *view, struct buf *text);

#endif
