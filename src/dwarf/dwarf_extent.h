/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attributes that give the addresses of an entry. dwarf_ranges.h interprets them. */
#ifndef DWARF_DWARF_EXTENT_H
#define DWARF_DWARF_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/dwarf_forms.h"

/* CLASS_NONE where the entry has none. */
struct dwarf_extent {
	struct dwarf_value low_pc, high_pc, ranges;
};

/* Notes an attribute. False: it is not one of these. */
static inline bool dwarf_extent_take(struct dwarf_extent *extent, uint16_t name,
				     struct dwarf_value value)
{
	switch (name) {
	case AT_LOW_PC:
		extent->low_pc = value;
		return true;
	case AT_HIGH_PC:
		extent->high_pc = value;
		return true;
	case AT_RANGES:
		extent->ranges = value;
		return true;
	default:
		return false;
	}
}

#endif
