/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which compile unit tells of an address. */
#ifndef DWARF_UNIT_MAP_H
#define DWARF_UNIT_MAP_H

#include "dwarf/dwarf_file.h"
#include "dwarf/interval_map.h"
#include "dwarf/unit_walk.h"

/* Values are indices into file->units. Looks at the first entry of every unit, and at nothing else
 * of those that tell there what they cover. */
void unit_map_read(struct dwarf_file *file, const struct unit_code *code,
		   struct interval_map *ret_map);

#endif
