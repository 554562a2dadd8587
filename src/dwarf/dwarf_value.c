/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_value.h"

/* DWARF 5 section 7.26: .debug_str_offsets holds offsets into .debug_str. */
static const char *indexed_string(const struct dwarf_unit *unit, uint64_t index)
{
	unsigned size = unit->sizes.offset;
	struct section_data *offsets = unit->file->sections[DWARF_STR_OFFSETS];
	struct reader reader;
	uint64_t offset;

	if (index > section_data_size(offsets) / size)
		return "";
	reader = section_data_reader(offsets, unit->str_offsets_base + index * size, size);
	offset = dwarf_forms_fixed(&reader, size);
	return reader.bad ? "" : section_data_string(unit->file->sections[DWARF_STR], offset);
}

const char *dwarf_value_string(const struct dwarf_unit *unit, struct dwarf_value value)
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
bool dwarf_value_indexed_address(const struct dwarf_unit *unit, uint64_t index,
				 uint64_t *ret_address)
{
	const struct dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;
	struct section_data *addresses = owner->file->sections[DWARF_ADDR];
	unsigned size = unit->sizes.address;
	struct reader reader;

	if (index > section_data_size(addresses) / size)
		return false;
	reader = section_data_reader(addresses, owner->addr_base + index * size, size);
	*ret_address = dwarf_forms_fixed(&reader, size);
	return !reader.bad;
}

bool dwarf_value_address(const struct dwarf_unit *unit, struct dwarf_value value,
			 uint64_t *ret_address)
{
	if (value.class == CLASS_ADDRESS_INDEX)
		return dwarf_value_indexed_address(unit, value.number, ret_address);
	*ret_address = value.number;
	return value.class == CLASS_ADDRESS;
}

struct dwarf_unit *dwarf_value_entry(const struct dwarf_unit *unit, struct dwarf_value value,
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
