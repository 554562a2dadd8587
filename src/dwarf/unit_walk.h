/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the entries and line tables of compile units, of a file that is not split. Code of
 * functions that the linker dropped, whose debug information remains, is left out. */
#ifndef DWARF_UNIT_WALK_H
#define DWARF_UNIT_WALK_H

#include <stdbool.h>

#include "dwarf/dwarf_unit.h"
#include "dwarf/interval_map.h"
#include "dwarf/line_unit.h"

/* Makes the line_unit of a unit in one walk; never NULL. *ret_complete: nothing is missing. False
 * if the unit's split part was not found or something is damaged. */
struct line_unit *unit_walk(struct dwarf_unit *unit, bool *ret_complete);

/* Which compile unit covers an address: values are indices into file->units. Reads the first entry
 * of every unit, and more only if that entry does not give the unit's addresses. */
void unit_walk_map(struct dwarf_file *file, struct interval_map *ret_map);

#endif
