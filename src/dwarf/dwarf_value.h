/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The meaning of an attribute's value in its unit. */
#ifndef DWARF_DWARF_VALUE_H
#define DWARF_DWARF_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/dwarf_unit.h"

/* The text, borrowed until dwarf_file_forget; "" if the value is not a string. */
const char *dwarf_value_string(const struct dwarf_unit *unit, struct dwarf_value value);
/* False: the value is not an address. */
bool dwarf_value_address(const struct dwarf_unit *unit, struct dwarf_value value,
			 uint64_t *ret_address);
/* The address at an index of .debug_addr. */
bool dwarf_value_indexed_address(const struct dwarf_unit *unit, uint64_t index,
				 uint64_t *ret_address);
/* The entry that a reference points to: returns its unit, and its offset in that unit's
 * .debug_info. NULL: none. */
struct dwarf_unit *dwarf_value_entry(const struct dwarf_unit *unit, struct dwarf_value value,
				     uint64_t *ret_offset);

#endif
