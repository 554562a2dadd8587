/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_ranges.h"

#include "dwarf/dwarf_unit.h"

enum {
	/* in one list; no function is split into more pieces */
	MOST_RANGES = 1 << 16,
	WINDOW_BYTES = 1 << 20,
};

struct walk {
	const struct dwarf_unit *unit;
	struct reader reader;
	uint64_t base;
	dwarf_ranges_sink sink;
	void *context;
};

static bool give(struct walk *walk, uint64_t start, uint64_t end)
{
	return end <= start || walk->sink(walk->context, start, end);
}

static uint64_t next_address(struct walk *walk)
{
	return dwarf_forms_fixed(&walk->reader, walk->unit->sizes.address);
}

static uint64_t next_indexed(struct walk *walk)
{
	uint64_t address = 0;

	if (!dwarf_unit_indexed_address(walk->unit, reader_uleb(&walk->reader), &address))
		walk->reader.bad = true;
	return address;
}

/* .debug_ranges: pairs of addresses relative to the base. A pair that begins with the highest
 * address sets the base. */
static void walk_ranges(struct walk *walk)
{
	uint64_t greatest = walk->unit->sizes.address == 4 ? UINT32_MAX : UINT64_MAX;

	for (int i = 0; i < MOST_RANGES; i++) {
		uint64_t start = next_address(walk);
		uint64_t end = next_address(walk);

		if (walk->reader.bad || (start == 0 && end == 0))
			return;
		if (start == greatest)
			walk->base = end;
		else if (!give(walk, walk->base + start, walk->base + end))
			return;
	}
}

/* Reads one entry of .debug_rnglists. False: the list ends. */
static bool step_rnglist(struct walk *walk)
{
	struct reader *reader = &walk->reader;
	uint64_t start, end;

	switch (reader_u8(reader)) {
	case RLE_BASE_ADDRESSX:
		walk->base = next_indexed(walk);
		return !reader->bad;
	case RLE_BASE_ADDRESS:
		walk->base = next_address(walk);
		return !reader->bad;
	case RLE_STARTX_ENDX:
		start = next_indexed(walk);
		end = next_indexed(walk);
		break;
	case RLE_STARTX_LENGTH:
		start = next_indexed(walk);
		end = start + reader_uleb(reader);
		break;
	case RLE_OFFSET_PAIR:
		start = walk->base + reader_uleb(reader);
		end = walk->base + reader_uleb(reader);
		break;
	case RLE_START_END:
		start = next_address(walk);
		end = next_address(walk);
		break;
	case RLE_START_LENGTH:
		start = next_address(walk);
		end = start + reader_uleb(reader);
		break;
	default:
		return false;
	}
	return !reader->bad && give(walk, start, end);
}

static void walk_list(struct walk *walk, struct dwarf_value value)
{
	const struct dwarf_unit *unit = walk->unit;
	/* before version 5, the ranges of a split unit are in the main file */
	const struct dwarf_unit *owner =
		unit->skeleton && unit->version < 5 ? unit->skeleton : unit;
	enum dwarf_section id = unit->version < 5 ? DWARF_RANGES : DWARF_RNGLISTS;
	uint64_t offset = value.number;

	walk->base = unit->low_pc;
	if (value.class == CLASS_RANGES_INDEX) {
		/* a table at the unit's base has the offset, relative to that base */
		if (!dwarf_unit_table_entry(unit->file->sections[DWARF_RNGLISTS],
					    unit->rnglists_base, value.number, unit->sizes.offset,
					    &offset))
			return;
		offset += unit->rnglists_base;
	}
	if (unit->skeleton && unit->version < 5)
		offset += unit->ranges_base;
	walk->reader = section_data_tail(owner->file->sections[id], offset, WINDOW_BYTES);
	if (unit->version < 5) {
		walk_ranges(walk);
		return;
	}
	for (int i = 0; i < MOST_RANGES && step_rnglist(walk); i++)
		continue;
}

void dwarf_ranges_each(const struct dwarf_unit *unit, const struct dwarf_extent *extent,
		       dwarf_ranges_sink sink, void *context)
{
	struct walk walk = { .unit = unit, .sink = sink, .context = context };
	uint64_t start, end;

	if (extent->ranges.class == CLASS_NUMBER || extent->ranges.class == CLASS_RANGES_INDEX) {
		walk_list(&walk, extent->ranges);
		return;
	}
	if (!dwarf_unit_address(unit, extent->low_pc, &start))
		return;
	/* high_pc is the end, or, as a number, the distance to it */
	if (dwarf_unit_address(unit, extent->high_pc, &end))
		give(&walk, start, end);
	else if (extent->high_pc.class == CLASS_NUMBER)
		give(&walk, start, start + extent->high_pc.number);
}
