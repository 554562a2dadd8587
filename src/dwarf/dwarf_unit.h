/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A unit of .debug_info: its header (DWARF 5 section 7.5.1), the contents of its first entry, and
 * how to read the others. */
#ifndef DWARF_DWARF_UNIT_H
#define DWARF_DWARF_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/dwarf_abbrevs.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_forms.h"

/* The attributes that give the addresses of an entry; CLASS_NONE where it has none. dwarf_ranges.h
 * interprets them. */
struct dwarf_extent {
	struct dwarf_value low_pc, high_pc, ranges;
};

/* Notes an attribute. False: it is not one of these. */
static inline bool dwarf_unit_take_extent(struct dwarf_extent *extent, uint16_t name,
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

/* Attributes of the first entry, as stored. */
struct dwarf_root {
	uint16_t tag;
	struct dwarf_extent extent;
	struct dwarf_value name, comp_dir, dwo_name;
	struct dwarf_value stmt_list;
	uint64_t dwo_id; /* 0: unknown */
	bool has_dwo_id;
};

struct dwarf_unit {
	struct dwarf_file *file; /* borrowed */
	uint64_t offset, end;	 /* in .debug_info; offset is that of the header */
	uint64_t entries;	 /* offset of the first entry */
	uint64_t abbrev_offset;
	uint16_t version;
	uint8_t type; /* enum dwarf_unit_type; UNIT_COMPILE before version 5 */
	struct dwarf_sizes sizes;
	/* From the first entry; valid after dwarf_unit_root. */
	bool root_read;
	struct dwarf_root root;
	uint64_t str_offsets_base, addr_base, rnglists_base;
	uint64_t ranges_base;	     /* GNU: added to a split unit's .debug_ranges offsets */
	uint64_t low_pc;	     /* base of its range lists */
	struct dwarf_unit *skeleton; /* of a split unit: its skeleton in the main file */
	struct dwarf_unit *split;    /* of a skeleton: see dwarf_split.h */
	bool split_asked;
	struct dwarf_abbrevs *abbrevs; /* dwarf_file_abbrevs */
};

/* Reads the header at @offset; the next one is at ret_unit->end. False: the header is damaged, and
 * the next one cannot be found. A unit with an unknown version gets version 0. */
bool dwarf_unit_read(struct dwarf_file *file, uint64_t offset, struct dwarf_unit *ret_unit);
/* Reads the first entry, once. False: damaged. */
bool dwarf_unit_root(struct dwarf_unit *unit);
/* A reader from @offset of .debug_info to the unit's end, for at most @most bytes. */
struct reader dwarf_unit_entries(const struct dwarf_unit *unit, uint64_t offset, uint64_t most);

/* ---- entries (DWARF 5 section 2.1) ---- */

/* Receives the attributes of an entry, in order, and ignores those it does not know. It must not
 * look up abbreviations of the unit. */
typedef void (*dwarf_unit_sink)(void *context, uint16_t name, struct dwarf_value value);

/* Passes the attributes of the entry at @reader (dwarf_unit_entries) to the sink; only complete
 * ones are passed. Afterwards the reader is at the next entry. The tag is 0 at the end of a list of
 * siblings. False: damaged or truncated; the sink may have received some attributes. */
bool dwarf_unit_read_entry(struct dwarf_unit *unit, struct reader *reader, dwarf_unit_sink sink,
			   void *context, uint16_t *ret_tag);
/* Like dwarf_unit_read_entry, for the entry at an offset of .debug_info. The sink must tolerate
 * repetition: it receives the first attributes of a long entry twice, with the same values. Returns
 * the tag; 0: no entry, or a damaged one. */
uint16_t dwarf_unit_entry_at(struct dwarf_unit *unit, uint64_t offset, dwarf_unit_sink sink,
			     void *context);

/* Notes which entry this one refers to. DW_AT_abstract_origin wins over DW_AT_specification because
 * it says more. @origin is CLASS_NONE until one of them comes. */
static inline void dwarf_unit_take_origin(struct dwarf_value *origin, uint16_t name,
					  struct dwarf_value value)
{
	if (name == AT_ABSTRACT_ORIGIN || (name == AT_SPECIFICATION && origin->class == CLASS_NONE))
		*origin = value;
}

/* ---- the meaning of an attribute's value in its unit ---- */

/* The text, borrowed until dwarf_file_forget; "" if the value is not a string. */
const char *dwarf_unit_string(const struct dwarf_unit *unit, struct dwarf_value value);
/* False: the value is not an address. */
bool dwarf_unit_address(const struct dwarf_unit *unit, struct dwarf_value value,
			uint64_t *ret_address);
/* Number @index, of @size bytes, of a table that begins at offset @base of a section. False: there
 * is none. */
bool dwarf_unit_table_entry(struct section_data *table, uint64_t base, uint64_t index,
			    unsigned size, uint64_t *ret_number);
/* The address at an index of .debug_addr. */
bool dwarf_unit_indexed_address(const struct dwarf_unit *unit, uint64_t index,
				uint64_t *ret_address);
/* The entry that a reference points to: returns its unit, and its offset in that unit's
 * .debug_info. NULL: none. */
struct dwarf_unit *dwarf_unit_referred(const struct dwarf_unit *unit, struct dwarf_value value,
				       uint64_t *ret_offset);

#endif
