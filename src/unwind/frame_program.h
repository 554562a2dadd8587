/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the program of a frame description (call frame instructions, DWARF 5 section 6.4.2, and the
 * GNU and Arm extensions) and passes on each row of the table that the program encodes.
 */
#ifndef UNWIND_FRAME_PROGRAM_H
#define UNWIND_FRAME_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/frame_sections.h"
#include "unwind/frame_rules.h"

/* Receives the rules in force from an address on, in ascending order of addresses. */
typedef void (*frame_program_row)(void *context, uint64_t address, const struct frame_rules *rules);

/* Passes on the rows that begin in [fde->start, @end); the first begins at fde->start. False: the
 * program cannot be read; the last row passed on then has no rules. */
bool frame_program_run(const struct frame_sections *sections, const struct frame_fde *fde,
		       const struct frame_machine *machine, uint64_t end, frame_program_row row,
		       void *context);

#endif
