/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information. An input begins with the sizes of its sections, two bytes each, least
 * significant first, in the order of `names`; the sections follow. An ELF file is wrapped around
 * them. make_lines_corpus makes inputs of what compilers write.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_file.h"
#include "dwarf/unit_walk.h"
#include "target.h"
#include "wrapped_sections.h"

enum { MOST_LEVELS = 16 };

static const char *const names[] = { ".debug_info",	".debug_abbrev",      ".debug_str",
				     ".debug_line",	".debug_line_str",    ".debug_ranges",
				     ".debug_rnglists", ".debug_str_offsets", ".debug_addr" };

enum { GIVEN = sizeof(names) / sizeof(*names) };

/* What was made of a unit is what would be believed when it comes from the cache, and can be asked
 * about every address. */
static void check_unit(struct line_unit *made)
{
	struct line_place places[MOST_LEVELS];
	size_t size;
	const void *block = line_unit_block(made, &size);
	void *copy = malloc(size);

	if (!copy)
		abort();
	memcpy(copy, block, size);
	if (!line_unit_adopt(copy, size))
		abort();
	for (uint64_t address = TEXT_ADDRESS; address < TEXT_ADDRESS + 0x400; address++)
		line_unit_find(made, address, places, MOST_LEVELS);
	free(copy);
}

static void check_file(struct dwarf_file *file)
{
	struct interval_map map;
	bool complete;

	unit_walk_map(file, &map);
	interval_map_find(&map, TEXT_ADDRESS);
	interval_map_done(&map);
	for (size_t i = 0; i < file->units.count && i < MOST_LEVELS; i++) {
		struct line_unit *made = unit_walk(file->units.items[i], &complete);

		check_unit(made);
		line_unit_free(made);
	}
	dwarf_file_forget(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct reader reader = reader_make(bytes, size);
	struct dwarf_file *file;
	uint16_t sizes[GIVEN];

	for (size_t i = 0; i < GIVEN; i++)
		sizes[i] = reader_u16(&reader);
	if (reader.bad ||
	    dwarf_file_open(wrap_sections(names, sizes, GIVEN, &reader), NULL, &file, NULL) < 0)
		return 0;
	check_file(file);
	dwarf_file_free(file);
	return 0;
}
