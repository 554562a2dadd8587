/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One entry of a unit, with all its attributes (DWARF 5 section 2.1). */
#ifndef DWARF_DWARF_ENTRY_H
#define DWARF_DWARF_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/dwarf_unit.h"

/* Takes an attribute, in the order of the entry; it takes no notice of those it does not know. It
 * must not look for abbreviations of the unit. */
typedef void (*dwarf_entry_sink)(void *context, uint16_t name, struct dwarf_value value);

/* Gives the attributes of the entry at @reader (dwarf_unit_entries) to the sink, each of which was
 * there as a whole; the reader is at the next entry then. The tag is 0 where a row of siblings
 * ends. False: damaged, or cut off; some attributes may have been given. */
bool dwarf_entry_read(struct dwarf_unit *unit, struct reader *reader, dwarf_entry_sink sink,
		      void *context, uint16_t *ret_tag);
/* The same of the entry at an offset of .debug_info. The first attributes of a long one are given
 * twice, with the same values: the sink must not mind. Returns its tag; 0: there is none, or it is
 * damaged. */
uint16_t dwarf_entry_at(struct dwarf_unit *unit, uint64_t offset, dwarf_entry_sink sink,
			void *context);

/* Takes note of what an entry is an instance of, which says more than the declaration it
 * completes (DW_AT_abstract_origin, DW_AT_specification). @origin: CLASS_NONE as long as nothing
 * came. */
static inline void dwarf_entry_take_origin(struct dwarf_value *origin, uint16_t name,
					   struct dwarf_value value)
{
	if (name == AT_ABSTRACT_ORIGIN || (name == AT_SPECIFICATION && origin->class == CLASS_NONE))
		*origin = value;
}

#endif
