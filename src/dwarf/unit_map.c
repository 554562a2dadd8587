/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/unit_map.h"

#include "dwarf/dwarf_ranges.h"
#include "dwarf/dwarf_unit.h"
#include "dwarf/line_program.h"

enum {
	MOST_RANGES = 1 << 24,
	/* Bytes that may be held before what was read is freed: the first entries of many units are
	 * far apart. */
	MOST_HELD_BYTES = 64 << 20,
	FORGET_INTERVAL = 256, /* units */
};

struct mapping {
	const struct unit_code *code;
	struct interval_map *map;
	uint32_t unit;
	bool any; /* the unit has a range */
	uint64_t sequence;
	bool in_sequence;
};

static bool take_range(void *context, uint64_t start, uint64_t end)
{
	struct mapping *mapping = context;

	mapping->any = true;
	if (unit_code_holds(mapping->code, start))
		interval_map_add(mapping->map, start, end, mapping->unit);
	return mapping->map->intervals.count < MOST_RANGES;
}

/* Takes the extent of each sequence of lines. */
static bool take_row(void *context, const struct line_row *row)
{
	struct mapping *mapping = context;

	if (!mapping->in_sequence)
		mapping->sequence = row->address;
	mapping->in_sequence = !row->end;
	return !row->end || take_range(mapping, mapping->sequence, row->address);
}

/* For units that do not give their addresses. */
static void map_by_lines(struct mapping *mapping, const struct dwarf_unit *unit)
{
	struct line_program program;

	if (!line_program_open(unit, &program))
		return;
	line_program_run(&program, take_row, mapping);
	line_program_done(&program);
}

static void map_unit(struct mapping *mapping, struct dwarf_unit *unit)
{
	mapping->any = mapping->in_sequence = false;
	dwarf_ranges_each(unit, &unit->root.extent, take_range, mapping);
	if (!mapping->any)
		map_by_lines(mapping, unit);
}

void unit_map_read(struct dwarf_file *file, const struct unit_code *code,
		   struct interval_map *ret_map)
{
	struct mapping mapping = { .code = code, .map = ret_map };

	*ret_map = (struct interval_map){ 0 };
	for (size_t i = 0; i < file->units.count; i++) {
		struct dwarf_unit *unit = file->units.items[i];

		mapping.unit = (uint32_t)i;
		if (dwarf_unit_root(unit) &&
		    (unit->root.tag == TAG_COMPILE_UNIT || unit->root.tag == TAG_SKELETON_UNIT))
			map_unit(&mapping, unit);
		if (i % FORGET_INTERVAL == 0 && dwarf_file_held(file) > MOST_HELD_BYTES)
			dwarf_file_forget(file);
	}
	interval_map_flatten(ret_map);
}
