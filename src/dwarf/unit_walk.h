/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the entries and the line table of a compile unit once and makes its line_unit. */
#ifndef DWARF_UNIT_WALK_H
#define DWARF_UNIT_WALK_H

#include <stdbool.h>

#include "dwarf/dwarf_unit.h"
#include "dwarf/line_unit.h"

/* Distinguishes code from functions the linker dropped, whose debug information remains, with
 * address 0 or similar. */
struct unit_code {
	const struct elf_file *elf; /* borrowed; its sections have been read */
};

bool unit_code_holds(const struct unit_code *code, uint64_t address);

/* Never NULL. *ret_complete: nothing is missing. False if the unit's split part was not found or
 * something is damaged. */
struct line_unit *unit_walk(struct dwarf_unit *unit, const struct unit_code *code,
			    bool *ret_complete);

#endif
