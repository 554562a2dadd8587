/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One walk over the entries and the line table of a compile unit makes its line_unit. */
#ifndef DWARF_UNIT_WALK_H
#define DWARF_UNIT_WALK_H

#include <stdbool.h>

#include "dwarf/dwarf_unit.h"
#include "dwarf/line_unit.h"

/* Tells code from what a linker left out (it leaves debug information behind that says address 0 or
 * the like). */
struct unit_code {
	const struct elf_file *elf; /* borrowed, its sections were read */
};

bool unit_code_holds(const struct unit_code *code, uint64_t address);

/* Never NULL. *ret_complete: everything was there; false where the split part of the unit was not
 * found or something is damaged. */
struct line_unit *unit_walk(struct dwarf_unit *unit, const struct unit_code *code,
			    bool *ret_complete);

#endif
