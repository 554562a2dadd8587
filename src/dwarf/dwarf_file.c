/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/search.h"
#include "base/xalloc.h"
#include "dwarf/dwarf_abbrevs.h"
#include "dwarf/dwarf_unit.h"

enum {
	MOST_UNITS = 1 << 20,
	MOST_ALT_LINK_BYTES = 8192, /* a path and a build id */
};

static const char *const section_names[] = {
#define ROW(id, name) name,
	DWARF_SECTIONS(ROW)
#undef ROW
};

/* True for ".debug_NAME" and ".zdebug_NAME"; in split files the name ends in ".dwo". */
static bool is_section(const struct elf_section *section, const char *name, bool split)
{
	const char *text = section->name;
	size_t length = strlen(name);

	if (strncmp(text, ".debug_", 7) == 0)
		text += 7;
	else if (strncmp(text, ".zdebug_", 8) == 0)
		text += 8;
	else
		return false;
	if (strncmp(text, name, length) != 0)
		return false;
	text += length;
	/* a package's index section has no suffix */
	return strcmp(text, split && strcmp(name, "cu_index") != 0 ? ".dwo" : "") == 0;
}

static const struct elf_section *find_section(const struct elf_file *elf, enum dwarf_section id,
					      bool split)
{
	for (size_t i = 0; i < elf_file_section_count(elf); i++) {
		const struct elf_section *section = elf_file_section(elf, i);

		if (is_section(section, section_names[id], split) && section->type != SHT_NOBITS &&
		    section->size > 0)
			return section;
	}
	return NULL;
}

bool dwarf_file_is_there(const struct elf_file *elf)
{
	return find_section(elf, DWARF_INFO, false);
}

static int open_sections(struct dwarf_file *file, struct err *err)
{
	for (int id = 0; id < DWARF_SECTION_COUNT; id++) {
		const struct elf_section *section =
			find_section(file->elf, (enum dwarf_section)id, file->is_split);
		int rc;

		if (!section)
			continue;
		rc = section_data_open(file->elf, section, &file->sections[id], err);
		if (rc < 0)
			return rc;
	}
	if (!file->sections[DWARF_INFO] || !file->sections[DWARF_ABBREV])
		return err_set(err, -ENODATA, "no debug information");
	return 0;
}

/* Stops at a damaged header, because the next unit cannot be found. */
static void read_units(struct dwarf_file *file)
{
	uint64_t size = section_data_size(file->sections[DWARF_INFO]);
	struct dwarf_unit unit;

	for (uint64_t at = 0; at < size && file->units.count < MOST_UNITS; at = unit.end) {
		if (!dwarf_unit_read(file, at, &unit))
			break;
		*vec_push(&file->units) = xmemdup(&unit, sizeof(unit));
	}
}

static int open_file(int fd, bool split, const struct dwarf_finder *finder,
		     struct dwarf_file **ret_file, struct err *err)
{
	_cleanup_(dwarf_file_freep) struct dwarf_file *file = xcalloc(1, sizeof(*file));
	int rc;

	file->fd = fd;
	file->is_split = split;
	file->finder = finder;
	rc = elf_file_open_any(fd, &file->elf, err);
	if (rc == 0)
		rc = elf_file_read_sections(file->elf, err);
	if (rc == 0)
		rc = open_sections(file, err);
	if (rc < 0)
		return rc;
	read_units(file);
	*ret_file = steal_ptr(file);
	return 0;
}

int dwarf_file_open(int fd, const struct dwarf_finder *finder, struct dwarf_file **ret_file,
		    struct err *err)
{
	return open_file(fd, false, finder, ret_file, err);
}

int dwarf_file_open_split(int fd, struct dwarf_file **ret_file, struct err *err)
{
	return open_file(fd, true, NULL, ret_file, err);
}

static void free_abbrevs(struct dwarf_file *file)
{
	for (size_t i = 0; i < file->abbrevs.count; i++)
		dwarf_abbrevs_free(file->abbrevs.items[i]);
	file->abbrevs.count = 0;
	hashidx_done(&file->abbrev_index);
	for (size_t i = 0; i < file->units.count; i++)
		file->units.items[i]->abbrevs = NULL;
}

void dwarf_file_free(struct dwarf_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->splits.count; i++)
		dwarf_file_free(file->splits.items[i]);
	vec_free(&file->splits);
	dwarf_file_free(file->supplementary);
	dwarf_file_free(file->package);
	free_abbrevs(file);
	vec_free(&file->abbrevs);
	for (size_t i = 0; i < file->units.count; i++)
		free(file->units.items[i]);
	vec_free(&file->units);
	for (int id = 0; id < DWARF_SECTION_COUNT; id++)
		section_data_free(file->sections[id]);
	elf_file_free(file->elf);
	cleanup_closep(&file->fd);
	free(file);
}

bool dwarf_file_is_code(const struct dwarf_file *file, uint64_t address)
{
	if (!elf_file_code(file->elf, 0))
		return address != 0;
	return elf_file_code_section(file->elf, address);
}

struct dwarf_unit *dwarf_file_unit(const struct dwarf_file *file, uint64_t offset)
{
	size_t before = search_before(file->units.items, file->units.count, item,
				      (*item)->offset <= offset);

	if (before == 0 || offset >= file->units.items[before - 1]->end)
		return NULL;
	return file->units.items[before - 1];
}

struct abbrev_key {
	uint64_t offset;
	struct dwarf_sizes sizes;
};

static bool is_abbrevs(const void *owner, uint32_t id, const void *key)
{
	const struct dwarf_abbrevs *abbrevs = ((const struct dwarf_file *)owner)->abbrevs.items[id];
	const struct abbrev_key *wanted = key;

	return abbrevs->offset == wanted->offset &&
	       memcmp(&abbrevs->sizes, &wanted->sizes, sizeof(wanted->sizes)) == 0;
}

struct dwarf_abbrevs *dwarf_file_abbrevs(struct dwarf_unit *unit)
{
	struct dwarf_file *file = unit->file;
	const struct abbrev_key key = { unit->abbrev_offset, unit->sizes };
	uint64_t hash = hash_u64(unit->abbrev_offset);
	uint32_t id;

	if (unit->abbrevs)
		return unit->abbrevs;
	if (!hashidx_find(&file->abbrev_index, hash, is_abbrevs, file, &key, &id)) {
		id = (uint32_t)file->abbrevs.count;
		*vec_push(&file->abbrevs) = dwarf_abbrevs_new(file->sections[DWARF_ABBREV],
							      unit->abbrev_offset, unit->sizes);
		hashidx_add(&file->abbrev_index, hash, id);
	}
	unit->abbrevs = file->abbrevs.items[id];
	return unit->abbrevs;
}

/* .gnu_debugaltlink has the file's name, a NUL, and its build id. */
static int open_supplementary(struct dwarf_file *file)
{
	const struct elf_section *link = elf_file_find(file->elf, ".gnu_debugaltlink");
	_cleanup_free_ uint8_t *bytes = NULL;
	struct elf_build_id build_id = { .size = 0 };
	struct reader reader;
	const char *name;

	if (!file->finder || !link || link->size > MOST_ALT_LINK_BYTES ||
	    elf_file_read(file->elf, link, &bytes, NULL) < 0)
		return -ENOENT;
	reader = elf_file_reader(file->elf, bytes, link->size);
	name = reader_cstr(&reader);
	if (reader.bad || reader_left(&reader) > sizeof(build_id.bytes))
		return -EINVAL;
	build_id.size = (uint8_t)reader_left(&reader);
	memcpy(build_id.bytes, reader.at, build_id.size);
	return file->finder->supplementary(file->finder->context, name, &build_id);
}

struct dwarf_file *dwarf_file_supplementary(struct dwarf_file *file)
{
	if (!file->asked_supplementary) {
		int fd = open_supplementary(file);

		file->asked_supplementary = true;
		if (fd >= 0)
			open_file(fd, false, NULL, &file->supplementary, NULL);
	}
	return file->supplementary;
}

static size_t own_bytes(const struct dwarf_file *file)
{
	size_t bytes =
		sizeof(*file) + file->units.count * (sizeof(struct dwarf_unit) + sizeof(void *));

	for (int id = 0; id < DWARF_SECTION_COUNT; id++)
		bytes += section_data_held(file->sections[id]);
	for (size_t i = 0; i < file->abbrevs.count; i++)
		bytes += dwarf_abbrevs_bytes(file->abbrevs.items[i]);
	return bytes;
}

size_t dwarf_file_held(const struct dwarf_file *file)
{
	size_t bytes = file ? own_bytes(file) : 0;

	if (!file)
		return 0;
	for (size_t i = 0; i < file->splits.count; i++)
		bytes += own_bytes(file->splits.items[i]);
	return bytes + dwarf_file_held(file->supplementary) + dwarf_file_held(file->package);
}

size_t dwarf_file_forget(struct dwarf_file *file)
{
	if (!file)
		return 0;
	free_abbrevs(file);
	for (int id = 0; id < DWARF_SECTION_COUNT; id++)
		section_data_forget(file->sections[id]);
	for (size_t i = 0; i < file->splits.count; i++)
		dwarf_file_forget(file->splits.items[i]);
	dwarf_file_forget(file->supplementary);
	dwarf_file_forget(file->package);
	return dwarf_file_held(file);
}
