/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_unit.h"

enum {
	LENGTH_64 = 0xffffffff, /* a 64-bit length follows */
	LONGEST_HEADER = 64,
	ROOT_BYTES = 4096,  /* for a first entry */
	ENTRY_BYTES = 1024, /* few entries are longer */
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

/* ---- entries and their values ---- */

bool dwarf_unit_read_entry(struct dwarf_unit *unit, struct reader *reader, dwarf_unit_sink sink,
			   void *context, uint16_t *ret_tag)
{
	const uint8_t *base = section_data_bytes(unit->file->sections[DWARF_INFO], 0, 0);
	struct dwarf_abbrevs *abbrevs = dwarf_file_abbrevs(unit);
	uint64_t code = reader_uleb(reader);
	const struct dwarf_abbrev *abbrev = code ? dwarf_abbrevs_find(abbrevs, code) : NULL;
	const struct dwarf_attribute_spec *specs;

	*ret_tag = 0;
	if (!abbrev)
		return !code && !reader->bad;
	*ret_tag = abbrev->tag;
	specs = dwarf_abbrevs_attributes(abbrevs, abbrev);
	for (uint32_t i = 0; i < abbrev->count; i++) {
		struct dwarf_value value = dwarf_forms_read(reader, specs[i], unit->sizes, base);

		if (reader->bad)
			return false;
		sink(context, specs[i].name, value);
	}
	return !reader->bad;
}

bool dwarf_unit_table_entry(struct section_data *table, uint64_t base, uint64_t index,
			    unsigned size, uint64_t *ret_number)
{
	struct reader reader;

	if (index > section_data_size(table) / size)
		return false;
	reader = section_data_reader(table, base + index * size, size);
	*ret_number = dwarf_forms_fixed(&reader, size);
	return !reader.bad;
}

/* DWARF 5 section 7.26: .debug_str_offsets holds offsets into .debug_str. */
static const char *indexed_string(const struct dwarf_unit *unit, uint64_t index)
{
	uint64_t offset;

	if (!dwarf_unit_table_entry(unit->file->sections[DWARF_STR_OFFSETS], unit->str_offsets_base,
				    index, unit->sizes.offset, &offset))
		return "";
	return section_data_string(unit->file->sections[DWARF_STR], offset);
}

const char *dwarf_unit_string(const struct dwarf_unit *unit, struct dwarf_value value)
{
	struct dwarf_file *file = unit->file;

	switch (value.class) {
	case CLASS_STRING:
		return section_data_string(file->sections[DWARF_STR], value.number);
	case CLASS_INLINE_STRING:
		return section_data_string(file->sections[DWARF_INFO], value.number);
	case CLASS_LINE_STRING:
		return section_data_string(file->sections[DWARF_LINE_STR], value.number);
	case CLASS_STRING_INDEX:
		return indexed_string(unit, value.number);
	case CLASS_ALT_STRING:
		file = dwarf_file_supplementary(file);
		return file ? section_data_string(file->sections[DWARF_STR], value.number) : "";
	default:
		return "";
	}
}

/* The addresses of a split unit are in the main file. */
bool dwarf_unit_indexed_address(const struct dwarf_unit *unit, uint64_t index,
				uint64_t *ret_address)
{
	const struct dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;

	return dwarf_unit_table_entry(owner->file->sections[DWARF_ADDR], owner->addr_base, index,
				      unit->sizes.address, ret_address);
}

bool dwarf_unit_address(const struct dwarf_unit *unit, struct dwarf_value value,
			uint64_t *ret_address)
{
	if (value.class == CLASS_ADDRESS_INDEX)
		return dwarf_unit_indexed_address(unit, value.number, ret_address);
	*ret_address = value.number;
	return value.class == CLASS_ADDRESS;
}

struct dwarf_unit *dwarf_unit_referred(const struct dwarf_unit *unit, struct dwarf_value value,
				       uint64_t *ret_offset)
{
	struct dwarf_file *file = unit->file;

	*ret_offset = value.number;
	switch (value.class) {
	case CLASS_UNIT_REFERENCE:
		*ret_offset += unit->offset;
		break;
	case CLASS_REFERENCE:
		break;
	case CLASS_ALT_REFERENCE:
		file = dwarf_file_supplementary(file);
		break;
	default:
		return NULL;
	}
	return file ? dwarf_file_unit(file, *ret_offset) : NULL;
}

/* ---- the first entry ---- */

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
		dwarf_unit_take_extent(&root->extent, name, value);
		break;
	}
}

static bool read_root(struct dwarf_unit *unit, uint64_t most)
{
	struct reader reader = dwarf_unit_entries(unit, unit->entries, most);

	return dwarf_unit_read_entry(unit, &reader, take, unit, &unit->root.tag) &&
	       unit->root.tag != 0;
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
	if (!read_root(unit, ROOT_BYTES) && !read_root(unit, unit->end - unit->entries)) {
		unit->root.tag = 0;
		return false;
	}
	if (unit->root.extent.low_pc.class != CLASS_NONE)
		dwarf_unit_address(unit, unit->root.extent.low_pc, &unit->low_pc);
	return unit->root.tag != 0;
}

uint16_t dwarf_unit_entry_at(struct dwarf_unit *unit, uint64_t offset, dwarf_unit_sink sink,
			     void *context)
{
	struct reader window, whole;
	uint16_t tag;

	if (!dwarf_unit_root(unit))
		return 0;
	window = dwarf_unit_entries(unit, offset, ENTRY_BYTES);
	if (dwarf_unit_read_entry(unit, &window, sink, context, &tag))
		return tag;
	whole = dwarf_unit_entries(unit, offset, unit->end - offset);
	return dwarf_unit_read_entry(unit, &whole, sink, context, &tag) ? tag : 0;
}
