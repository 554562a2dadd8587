/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_entry.h"

enum { WINDOW_BYTES = 1024 }; /* few entries are longer */

bool dwarf_entry_read(struct dwarf_unit *unit, struct reader *reader, dwarf_entry_sink sink,
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

uint16_t dwarf_entry_at(struct dwarf_unit *unit, uint64_t offset, dwarf_entry_sink sink,
			void *context)
{
	struct reader window, whole;
	uint16_t tag;

	if (!dwarf_unit_root(unit))
		return 0;
	window = dwarf_unit_entries(unit, offset, WINDOW_BYTES);
	if (dwarf_entry_read(unit, &window, sink, context, &tag))
		return tag;
	whole = dwarf_unit_entries(unit, offset, unit->end - offset);
	return dwarf_entry_read(unit, &whole, sink, context, &tag) ? tag : 0;
}
