/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which compile unit covers an address. */
#ifndef DWARF_UNIT_MAP_H
#define DWARF_UNIT_MAP_H

#include "dwarf/dwarf_file.h"
#include "dwarf/interval_map.h"
#include "dwarf/unit_walk.h"

/* Values are indices into file->units. Reads the first entry of every unit, and more only if that
 * entry does not give the unit's addresses. */
void unit_map_read(struct dwarf_file *file, const struct unit_code *code,
		   struct interval_map *ret_map);

#endif
