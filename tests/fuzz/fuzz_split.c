/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split debug information: a main file with skeletons, and the .dwo file or the .dwp package that
 * has the rest. An input is a byte that says which (PACKAGE, or else a .dwo), the sizes of the
 * sections of both, two bytes each, least significant first, and the sections. make_fuzz_corpus
 * makes inputs of what gcc, clang and dwp write.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_file.h"
#include "dwarf/unit_walk.h"
#include "target.h"
#include "wrapped_sections.h"

enum { PACKAGE = 1, MOST_UNITS_LOOKED_AT = 16, MOST_LEVELS = 16 };

static const char *const main_names[] = { ".debug_info",     ".debug_abbrev",	   ".debug_str",
					  ".debug_line",     ".debug_line_str",	   ".debug_ranges",
					  ".debug_rnglists", ".debug_str_offsets", ".debug_addr" };
static const char *const split_names[] = { ".debug_info.dwo",	  ".debug_abbrev.dwo",
					   ".debug_str.dwo",	  ".debug_line.dwo",
					   ".debug_rnglists.dwo", ".debug_str_offsets.dwo",
					   ".debug_cu_index" };

enum {
	IN_MAIN = sizeof(main_names) / sizeof(*main_names),
	IN_SPLIT = sizeof(split_names) / sizeof(*split_names),
};

struct other {
	int fd;
	bool is_package;
};

static int give(const struct other *other, bool package)
{
	return other->is_package == package ? dup(other->fd) : -1;
}

static int find_split(void *context, const char *folder, const char *name)
{
	if (folder && name && strlen(folder) + strlen(name) == SIZE_MAX)
		abort();
	return give(context, false);
}

static int find_package(void *context)
{
	return give(context, true);
}

static int find_supplementary(void *context, const char *name, const struct elf_build_id *build_id)
{
	return -1;
}

static void ask(const struct line_unit *made)
{
	struct line_place places[MOST_LEVELS];

	for (uint64_t address = TEXT_ADDRESS; address < TEXT_ADDRESS + 0x100; address++)
		line_unit_find((struct line_unit *)made, address, places, MOST_LEVELS);
}

static void look_at(struct dwarf_file *file)
{
	struct interval_map map;
	bool complete;

	unit_walk_map(file, &map);
	interval_map_done(&map);
	for (size_t i = 0; i < file->units.count && i < MOST_UNITS_LOOKED_AT; i++) {
		struct line_unit *made = unit_walk(file->units.items[i], &complete);

		ask(made);
		line_unit_free(made);
	}
	dwarf_file_forget(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct reader reader = reader_make(bytes, size);
	struct other other = { .is_package = reader_u8(&reader) & PACKAGE };
	const struct dwarf_finder finder = { find_supplementary, find_split, find_package, &other };
	uint16_t sizes[IN_MAIN + IN_SPLIT];
	struct dwarf_file *file;
	int main_fd;

	for (size_t i = 0; i < IN_MAIN + IN_SPLIT; i++)
		sizes[i] = reader_u16(&reader);
	if (reader.bad)
		return 0;
	main_fd = wrap_sections(main_names, sizes, IN_MAIN, &reader);
	other.fd = wrap_sections(split_names, sizes + IN_MAIN, IN_SPLIT, &reader);
	if (dwarf_file_open(main_fd, &finder, &file, NULL) == 0) {
		look_at(file);
		dwarf_file_free(file);
	}
	close(other.fd);
	return 0;
}
