/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One entry of a unit, with all its attributes (DWARF 5 section 2.1). */
#ifndef DWARF_DWARF_ENTRY_H
#define DWARF_DWARF_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/dwarf_unit.h"

/* Receives the attributes of an entry, in order, and ignores those it does not know. It must not
 * look up abbreviations of the unit. */
typedef void (*dwarf_entry_sink)(void *context, uint16_t name, struct dwarf_value value);

/* Passes the attributes of the entry at @reader (dwarf_unit_entries) to the sink; only complete
 * ones are passed. Afterwards the reader is at the next entry. The tag is 0 at the end of a list of
 * siblings. False: damaged or truncated; the sink may have received some attributes. */
bool dwarf_entry_read(struct dwarf_unit *unit, struct reader *reader, dwarf_entry_sink sink,
		      void *context, uint16_t *ret_tag);
/* Like dwarf_entry_read, for the entry at an offset of .debug_info. The sink must tolerate
 * repetition: it receives the first attributes of a long entry twice, with the same values. Returns
 * the tag; 0: no entry, or a damaged one. */
uint16_t dwarf_entry_at(struct dwarf_unit *unit, uint64_t offset, dwarf_entry_sink sink,
			void *context);

/* Notes which entry this one refers to. DW_AT_abstract_origin wins over DW_AT_specification because
 * it says more. @origin is CLASS_NONE until one of them comes. */
static inline void dwarf_entry_take_origin(struct dwarf_value *origin, uint16_t name,
					   struct dwarf_value value)
{
	if (name == AT_ABSTRACT_ORIGIN || (name == AT_SPECIFICATION && origin->class == CLASS_NONE))
		*origin = value;
}

#endif
