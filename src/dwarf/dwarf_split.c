/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_split.h"

#include "dwarf/dwarf_unit.h"

/* Columns of a package's index (DWARF 5 section 7.3.5.3, and version 2, GNU's). */
enum {
	COLUMN_INFO = 1,
	COLUMN_ABBREV = 3,
	COLUMN_STR_OFFSETS = 6,
	COLUMN_RNGLISTS = 8, /* version 5; in version 2, 8 is .debug_macro */
	MOST_COLUMNS = 16,
	MOST_SLOTS = 1 << 22,
	HEADER_BYTES = 16,
};

struct package_index {
	struct section_data *section;
	uint32_t version, columns, units, slots;
};

bool dwarf_split_is_skeleton(const struct dwarf_unit *unit)
{
	return unit->root.has_dwo_id && unit->root.dwo_name.class != CLASS_NONE;
}

static bool read_index(struct dwarf_file *package, struct package_index *ret_index)
{
	struct section_data *section = package->sections[DWARF_CU_INDEX];
	struct reader reader = section_data_reader(section, 0, HEADER_BYTES);
	struct package_index index = { .section = section };

	/* version 5: 2 bytes, 2 of padding; version 2: 4 bytes, the first two 0 if big-endian */
	index.version = reader_u16(&reader);
	if (index.version == 0)
		index.version = reader_u16(&reader);
	else
		reader_u16(&reader);
	index.columns = reader_u32(&reader);
	index.units = reader_u32(&reader);
	index.slots = reader_u32(&reader);
	*ret_index = index;
	return !reader.bad && (index.version == 2 || index.version == 5) && index.columns > 0 &&
	       index.columns <= MOST_COLUMNS && index.slots > 0 && index.slots <= MOST_SLOTS &&
	       (index.slots & (index.slots - 1)) == 0 && index.units <= index.slots;
}

static uint64_t word_at(struct section_data *section, uint64_t offset, unsigned size)
{
	struct reader reader = section_data_reader(section, offset, size);

	return dwarf_forms_fixed(&reader, size);
}

/* The row of a unit, counted from 1; 0: not found. */
static uint32_t find_row(const struct package_index *index, uint64_t id)
{
	uint64_t mask = index->slots - 1;
	uint64_t slot = id & mask;
	uint64_t step = (id >> 32 & mask) | 1;

	for (uint32_t i = 0; i < index->slots; i++, slot = (slot + step) & mask) {
		uint64_t rows = HEADER_BYTES + 8ULL * index->slots;
		uint64_t row = word_at(index->section, rows + 4 * slot, 4);

		if (row == 0)
			return 0;
		if (word_at(index->section, HEADER_BYTES + 8 * slot, 8) == id)
			return row <= index->units ? (uint32_t)row : 0;
	}
	return 0;
}

/* Where the unit's part begins in the section of a column; 0 if there is no such column. */
static uint64_t part_of(const struct package_index *index, uint32_t row, uint32_t column)
{
	uint64_t table = HEADER_BYTES + 12ULL * index->slots;

	for (uint32_t i = 0; i < index->columns; i++) {
		if (word_at(index->section, table + 4ULL * i, 4) == column)
			return word_at(index->section,
				       table + 4ULL * ((uint64_t)row * index->columns + i), 4);
	}
	return 0;
}

static struct dwarf_file *package_of(struct dwarf_file *main)
{
	if (!main->asked_package && main->finder) {
		int fd = main->finder->package(main->finder->context);

		if (fd >= 0)
			dwarf_file_open_split(fd, &main->package, NULL);
	}
	main->asked_package = true;
	return main->package;
}

static struct dwarf_unit *find_in_package(struct dwarf_file *main, uint64_t id)
{
	struct dwarf_file *package = package_of(main);
	struct package_index index;
	struct dwarf_unit *unit;
	uint32_t row;

	if (!package || !read_index(package, &index))
		return NULL;
	row = find_row(&index, id);
	unit = row ? dwarf_file_unit(package, part_of(&index, row, COLUMN_INFO)) : NULL;
	if (!unit || unit->root_read)
		return unit;
	unit->abbrev_offset += part_of(&index, row, COLUMN_ABBREV);
	unit->str_offsets_base = part_of(&index, row, COLUMN_STR_OFFSETS);
	if (index.version == 5)
		unit->rnglists_base = part_of(&index, row, COLUMN_RNGLISTS);
	return unit;
}

static struct dwarf_unit *find_in_file(struct dwarf_file *file, uint64_t id)
{
	for (size_t i = 0; i < file->units.count; i++) {
		struct dwarf_unit *unit = file->units.items[i];

		if (dwarf_unit_root(unit) && unit->root.has_dwo_id && unit->root.dwo_id == id)
			return unit;
	}
	return NULL;
}

static struct dwarf_unit *find_in_dwo(struct dwarf_unit *skeleton)
{
	struct dwarf_file *main = skeleton->file;
	const char *folder = dwarf_unit_string(skeleton, skeleton->root.comp_dir);
	const char *name = dwarf_unit_string(skeleton, skeleton->root.dwo_name);
	struct dwarf_file *file;
	struct dwarf_unit *unit;
	int fd = main->finder ? main->finder->split(main->finder->context, folder, name) : -1;

	if (fd < 0 || dwarf_file_open_split(fd, &file, NULL) < 0)
		return NULL;
	unit = find_in_file(file, skeleton->root.dwo_id);
	if (unit)
		*vec_push(&main->splits) = file;
	else
		dwarf_file_free(file);
	return unit;
}

/* Copies what a split unit needs from its skeleton. */
static void join(struct dwarf_unit *unit, struct dwarf_unit *skeleton)
{
	unit->skeleton = skeleton;
	unit->low_pc = skeleton->low_pc;
	unit->ranges_base = skeleton->ranges_base;
}

struct dwarf_unit *dwarf_split_unit(struct dwarf_unit *skeleton)
{
	if (!skeleton->split_asked) {
		struct dwarf_unit *unit = find_in_package(skeleton->file, skeleton->root.dwo_id);

		skeleton->split_asked = true;
		if (!unit)
			unit = find_in_dwo(skeleton);
		if (unit && dwarf_unit_root(unit)) {
			join(unit, skeleton);
			skeleton->split = unit;
		}
	}
	return skeleton->split;
}

void dwarf_split_forget(struct dwarf_file *file)
{
	if (file->splits.count == 0)
		return;
	for (size_t i = 0; i < file->units.count; i++) {
		struct dwarf_unit *unit = file->units.items[i];

		if (unit->split && unit->split->file != file->package) {
			unit->split = NULL;
			unit->split_asked = false;
		}
	}
	for (size_t i = 0; i < file->splits.count; i++)
		dwarf_file_free(file->splits.items[i]);
	file->splits.count = 0;
}
