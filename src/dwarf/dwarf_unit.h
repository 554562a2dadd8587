/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A unit of .debug_info: its header (DWARF 5 section 7.5.1) and the contents of its first entry. */
#ifndef DWARF_DWARF_UNIT_H
#define DWARF_DWARF_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/dwarf_abbrevs.h"
#include "dwarf/dwarf_extent.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_forms.h"

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

#endif
