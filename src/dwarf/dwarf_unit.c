/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_unit.h"

#include "dwarf/dwarf_entry.h"
#include "dwarf/dwarf_value.h"

enum {
	LENGTH_64 = 0xffffffff, /* a 64-bit length follows */
	LONGEST_HEADER = 64,
	WINDOW_BYTES = 4096, /* for a first entry */
	OLDEST_VERSION = 2,
	NEWEST_VERSION = 5,
	VERSION_5 = 5,
};

static void read_header_5(struct reader *reader, struct dwarf_unit *unit)
{
	unit->type = reader_u8(reader);
	unit->sizes.address = reader_u8(reader);
	unit->abbrev_offset = dwarf_forms_fixed(reader, unit->sizes.offset);
	if (unit->type == UNIT_SKELETON || unit->type == UNIT_SPLIT_COMPILE) {
		unit->root.dwo_id = reader_u64(reader);
		unit->root.has_dwo_id = true;
	} else if (unit->type == UNIT_TYPE || unit->type == UNIT_SPLIT_TYPE) {
		reader_u64(reader); /* signature */
		dwarf_forms_fixed(reader, unit->sizes.offset);
	}
}

static bool is_readable(const struct dwarf_unit *unit)
{
	return unit->version >= OLDEST_VERSION && unit->version <= NEWEST_VERSION &&
	       (unit->sizes.address == 4 || unit->sizes.address == 8);
}

bool dwarf_unit_read(struct dwarf_file *file, uint64_t offset, struct dwarf_unit *ret_unit)
{
	struct section_data *info = file->sections[DWARF_INFO];
	struct reader reader = section_data_tail(info, offset, LONGEST_HEADER);
	const uint8_t *start = reader.at;
	struct dwarf_unit unit = { .file = file, .offset = offset, .sizes = { .offset = 4 } };
	uint64_t length = reader_u32(&reader);

	if (length == LENGTH_64) {
		unit.sizes.offset = 8;
		length = reader_u64(&reader);
	}
	offset += (uint64_t)(reader.at - start);
	if (reader.bad || length > section_data_size(info) - offset)
		return false;
	unit.end = offset + length;
	unit.version = reader_u16(&reader);
	unit.type = UNIT_COMPILE;
	if (unit.version >= VERSION_5) {
		read_header_5(&reader, &unit);
	} else {
		unit.abbrev_offset = dwarf_forms_fixed(&reader, unit.sizes.offset);
		unit.sizes.address = reader_u8(&reader);
	}
	unit.sizes.reference = unit.version == 2 ? unit.sizes.address : unit.sizes.offset;
	unit.entries = unit.offset + (uint64_t)(reader.at - start);
	if (reader.bad || unit.entries > unit.end || !is_readable(&unit))
		unit.version = 0;
	*ret_unit = unit;
	return true;
}

struct reader dwarf_unit_entries(const struct dwarf_unit *unit, uint64_t offset, uint64_t most)
{
	uint64_t left = offset < unit->end ? unit->end - offset : 0;

	if (offset < unit->entries)
		return (struct reader){ .bad = true };
	return section_data_reader(unit->file->sections[DWARF_INFO], offset,
				   left < most ? left : most);
}

static void take(void *context, uint16_t name, struct dwarf_value value)
{
	struct dwarf_unit *unit = context;
	struct dwarf_root *root = &unit->root;

	switch (name) {
	case AT_NAME:
		root->name = value;
		break;
	case AT_COMP_DIR:
		root->comp_dir = value;
		break;
	case AT_STMT_LIST:
		root->stmt_list = value;
		break;
	case AT_DWO_NAME:
	case AT_GNU_DWO_NAME:
		root->dwo_name = value;
		break;
	case AT_GNU_DWO_ID:
		root->dwo_id = value.number;
		root->has_dwo_id = true;
		break;
	case AT_STR_OFFSETS_BASE:
		unit->str_offsets_base = value.number;
		break;
	case AT_ADDR_BASE:
	case AT_GNU_ADDR_BASE:
		unit->addr_base = value.number;
		break;
	case AT_RNGLISTS_BASE:
		unit->rnglists_base = value.number;
		break;
	case AT_GNU_RANGES_BASE:
		unit->ranges_base = value.number;
		break;
	default:
		dwarf_extent_take(&root->extent, name, value);
		break;
	}
}

static bool read_root(struct dwarf_unit *unit, uint64_t most)
{
	struct reader reader = dwarf_unit_entries(unit, unit->entries, most);

	return dwarf_entry_read(unit, &reader, take, unit, &unit->root.tag) && unit->root.tag != 0;
}

/* Where the tables of a split unit begin if it does not say: after the header of their only
 * contribution (DWARF 5 sections 7.26 to 7.28). */
static void default_bases(struct dwarf_unit *unit)
{
	bool is_64 = unit->sizes.offset == 8;

	if (unit->version < VERSION_5 || !unit->file->is_split)
		return;
	unit->str_offsets_base += is_64 ? 16 : 8;
	unit->rnglists_base += is_64 ? 20 : 12;
}

bool dwarf_unit_root(struct dwarf_unit *unit)
{
	if (unit->version == 0)
		return false;
	if (unit->root_read)
		return unit->root.tag != 0;
	unit->root_read = true;
	default_bases(unit);
	if (!read_root(unit, WINDOW_BYTES) && !read_root(unit, unit->end - unit->entries)) {
		unit->root.tag = 0;
		return false;
	}
	if (unit->root.extent.low_pc.class != CLASS_NONE)
		dwarf_value_address(unit, unit->root.extent.low_pc, &unit->low_pc);
	return unit->root.tag != 0;
}
