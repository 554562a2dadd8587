/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for samples that stand for code with interrupts off (FRAME_ENABLES): the function where
 * interrupts were enabled, and the one whose section with interrupts off ended there.
 */
#ifndef LOAD_SECTION_NAMES_H
#define LOAD_SECTION_NAMES_H

#include "model/profile.h"

/* How such a name goes on after the function's own; what follows differs. */
#define SECTION_NAME_MARK " (end of interrupts-off section"

/* Gives the innermost frame of each such stack of a loaded profile a symbol "NAME (end of
 * interrupts-off section in CALLER)", or without CALLER if that is unknown or the function itself.
 * place/kernel/kernel_marks.c explains how CALLER is found. Image, start and addresses stay. Call it
 * once all frames have their symbols, and before labels are made. */
void section_names_add(struct profile *profile);

#endif
