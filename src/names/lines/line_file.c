/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/lines/line_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_split.h"
#include "dwarf/unit_walk.h"
#include "names/debug_files/debug_packages.h"
#include "names/lines/line_cache.h"

enum {
	/* Sections of a debug file are freed beyond this... */
	MOST_SECTION_BYTES = 48 << 20,
	/* ... and the least recently used units beyond this. */
	MOST_UNIT_BYTES = 64 << 20,
};

struct loaded_unit {
	struct line_unit *unit; /* NULL: not needed yet */
	size_t bytes;
	uint64_t used;
	bool is_partial; /* not kept on disk: a part of it was not found */
};

struct line_file {
	struct line_source source; /* with copies of its texts */
	char *path, *kernel_release, *module;
	struct debug_files *debug_files;
	struct cache_folder *cache_folder;
	struct line_cache *cache; /* NULL: nothing kept */
	struct dwarf_finder finder;
	struct dwarf_file *debug; /* NULL: not opened */
	char *debug_path;
	bool open_tried, map_known;
	struct readers readers; /* grows with each file that was opened */
	bool names_opened;	/* includes the owners of the files that names come from */
	struct interval_map map;
	struct loaded_unit *units; /* by index, unit_count of them */
	uint32_t unit_count;
	size_t unit_bytes;
	uint64_t uses;
	bool any_new;
	struct err problem; /* why nothing is known, or what was missing */
	bool has_problem, needs_advice;
	struct line_place places[LINE_FILE_MOST_LEVELS];
};

static void set_problem(struct line_file *file, const struct err *err)
{
	if (!file->has_problem)
		file->problem = *err;
	file->has_problem = true;
}

/* Reports that the split file with the rest of a unit was not found. */
static void miss_split(struct line_file *file, const char *folder, const char *name)
{
	struct err err;

	err_set(&err, -ENOENT,
		"%s: some inlined functions are not known: the split debug file %s%s%s is missing "
		"or does not match",
		file->path, name[0] == '/' ? "" : folder, name[0] == '/' ? "" : "/", name);
	set_problem(file, &err);
}

/* Adds the owner of a file whose names are read from now on. Returns @fd. */
static int note_owner(struct line_file *file, int fd)
{
	if (fd >= 0)
		readers_add_owner(&file->readers, fd);
	return fd;
}

static int find_supplementary(void *context, const char *name, const struct elf_build_id *build_id)
{
	struct line_file *file = context;

	return note_owner(file, debug_files_open_supplementary(file->debug_files, &file->readers,
							       file->debug_path, name, build_id));
}

static int find_split(void *context, const char *folder, const char *name)
{
	struct line_file *file = context;

	int fd =
		debug_files_open_split(file->debug_files, &file->readers, file->path, folder, name);

	if (fd < 0)
		miss_split(file, folder, name);
	return note_owner(file, fd);
}

static int find_package(void *context)
{
	struct line_file *file = context;
	int fd = debug_files_open_package(file->debug_files, &file->readers, file->path);

	if (fd < 0)
		fd = debug_files_open_package(file->debug_files, &file->readers, file->debug_path);
	return note_owner(file, fd);
}

struct line_file *line_file_new(const struct line_source *source, struct debug_files *debug_files,
				struct cache_folder *cache)
{
	struct line_file *file = xcalloc(1, sizeof(*file));

	file->source = *source;
	file->readers = source->readers;
	file->path = xstrdup(source->path);
	file->kernel_release = source->kernel_release ? xstrdup(source->kernel_release) : NULL;
	file->module = source->module ? xstrdup(source->module) : NULL;
	file->debug_files = debug_files;
	file->cache_folder = cache;
	file->finder = (struct dwarf_finder){ find_supplementary, find_split, find_package, file };
	if (cache && source->build_id.size)
		file->cache = line_cache_open(cache, &source->build_id);
	return file;
}

/* Describes the file for the chain of debug files. The file may no longer exist. */
static void describe(struct line_file *file, struct elf_file *elf, struct debug_wanted *wanted)
{
	*wanted = (struct debug_wanted){ .path = file->path,
					 .build_id = file->source.build_id,
					 .readers = &file->readers,
					 .kernel_release = file->kernel_release,
					 .module = file->module };
	if (!elf)
		return;
	if (!wanted->build_id.size)
		wanted->build_id = *elf_file_build_id(elf);
	wanted->has_link = debug_link_read(elf, &wanted->link);
}

/* Opens the file itself. @ret_elf borrows the descriptor. */
static int open_own(struct line_file *file, struct elf_file **ret_elf, struct err *err)
{
	_cleanup_close_ int fd = -1;
	int rc;

	if (!file->source.open)
		return err_set(err, -ENOENT, "the file was not found");
	fd = file->source.open(file->source.context, err);
	if (fd < 0)
		return fd;
	note_owner(file, fd);
	rc = elf_file_open(fd, ret_elf, err);
	if (rc == 0)
		rc = elf_file_read_sections(*ret_elf, err);
	return rc < 0 ? rc : steal_fd(fd);
}

/* Returns a descriptor of the file with the debug information: the file itself, or one from the
 * chain. */
static int find_debug(struct line_file *file, struct err *err)
{
	_cleanup_(elf_file_freep) struct elf_file *elf = NULL;
	_cleanup_close_ int fd = open_own(file, &elf, err);
	struct debug_wanted wanted;
	struct err why;
	int found;

	if (fd >= 0 && debug_files_has(elf, DEBUG_LINES)) {
		file->debug_path = xstrdup(file->path);
		return steal_fd(fd);
	}
	describe(file, fd >= 0 ? elf : NULL, &wanted);
	found = debug_files_open(file->debug_files, &wanted, DEBUG_LINES, &file->debug_path, &why);
	if (found < 0 && !file->source.open)
		return err_set(err, found, "%s: %s", file->path, why.text);
	if (found < 0 && fd < 0)
		return err_prefix(err, found, "%s", file->path);
	file->needs_advice = found < 0;
	return found < 0 ? err_set(err, found, "%s: no debug information: %s", file->path, why.text)
			 : found;
}

/* The debug information; NULL: there is none, and `problem` says why. */
static struct dwarf_file *open_debug(struct line_file *file)
{
	struct err err;
	int fd;

	if (file->open_tried)
		return file->debug;
	file->open_tried = true;
	fd = find_debug(file, &err);
	if (fd >= 0) {
		int rc = dwarf_file_open(note_owner(file, fd), &file->finder, &file->debug, &err);

		if (rc < 0)
			err_prefix(&err, rc, "%s", file->debug_path);
	}
	if (!file->debug)
		set_problem(file, &err);
	file->names_opened |= file->debug != NULL;
	return file->debug;
}

const struct readers *line_file_readers(struct line_file *file)
{
	if (!file->names_opened)
		open_debug(file);
	file->readers.anybody |= !file->names_opened;
	return &file->readers;
}

struct dwarf_file *line_file_debug(struct line_file *file)
{
	return open_debug(file);
}

static void make_units(struct line_file *file, uint32_t count)
{
	file->unit_count = count;
	file->units = xcalloc(count ? count : 1, sizeof(*file->units));
}

static void need_map(struct line_file *file)
{
	if (file->map_known)
		return;
	file->map_known = true;
	if (file->cache) {
		line_cache_map(file->cache, &file->map);
		make_units(file, line_cache_unit_count(file->cache));
		return;
	}
	if (!open_debug(file))
		return;
	unit_walk_map(file->debug, &file->map);
	make_units(file, (uint32_t)file->debug->units.count);
}

static struct line_unit *index_unit(struct line_file *file, uint32_t unit, bool *ret_complete)
{
	struct dwarf_file *debug = open_debug(file);
	struct line_unit *made;

	/* a cache of another file with that build id would be an attack */
	if (!debug || debug->units.count != file->unit_count)
		return NULL;
	made = unit_walk(debug->units.items[unit], ret_complete);
	if (dwarf_file_held(debug) > MOST_SECTION_BYTES) {
		dwarf_split_forget(debug);
		dwarf_file_forget(debug);
	}
	return made;
}

static void drop_unit(struct line_file *file, struct loaded_unit *loaded)
{
	line_unit_free(loaded->unit);
	file->unit_bytes -= loaded->bytes;
	*loaded = (struct loaded_unit){ .used = 0 };
}

static void write_cache(struct line_file *file)
{
	struct line_unit **units;

	if (!file->any_new || !file->cache_folder || !file->source.build_id.size)
		return;
	units = xcalloc(file->unit_count, sizeof(struct line_unit *));
	for (uint32_t i = 0; i < file->unit_count; i++) {
		if (!file->units[i].is_partial)
			units[i] = file->units[i].unit;
	}
	line_cache_write(file->cache_folder, &file->source.build_id, &file->map, units,
			 file->unit_count);
	free(units);
	file->any_new = false;
	line_cache_free(file->cache);
	file->cache = line_cache_open(file->cache_folder, &file->source.build_id);
}

/* Frees the least recently used units. */
static void make_room(struct line_file *file, uint32_t keep)
{
	if (file->unit_bytes <= MOST_UNIT_BYTES)
		return;
	write_cache(file);
	while (file->unit_bytes > MOST_UNIT_BYTES / 2) {
		uint32_t oldest = keep;

		for (uint32_t i = 0; i < file->unit_count; i++) {
			if (file->units[i].unit && file->units[i].used < file->units[oldest].used)
				oldest = i;
		}
		if (oldest == keep)
			return;
		drop_unit(file, &file->units[oldest]);
	}
}

static struct line_unit *load_unit(struct line_file *file, uint32_t unit)
{
	struct loaded_unit *loaded = &file->units[unit];
	bool complete = true;

	loaded->used = ++file->uses;
	if (loaded->unit)
		return loaded->unit;
	if (file->cache)
		loaded->unit = line_cache_unit(file->cache, unit);
	if (!loaded->unit) {
		loaded->unit = index_unit(file, unit, &complete);
		loaded->is_partial = !complete;
		file->any_new |= loaded->unit && complete;
	}
	if (!loaded->unit)
		return NULL;
	line_unit_block(loaded->unit, &loaded->bytes);
	file->unit_bytes += loaded->bytes;
	make_room(file, unit);
	return loaded->unit;
}

/* The unit that holds an address; NULL: none. */
static struct line_unit *unit_at(struct line_file *file, uint64_t address)
{
	uint32_t unit;

	need_map(file);
	unit = interval_map_find(&file->map, address);
	return unit == INTERVAL_NONE || unit >= file->unit_count ? NULL : load_unit(file, unit);
}

const struct line_place *line_file_find(struct line_file *file, uint64_t address, size_t *ret_count)
{
	const struct line_unit *unit = unit_at(file, address);

	*ret_count = unit ? line_unit_find(unit, address, file->places, LINE_FILE_MOST_LEVELS) : 0;
	return file->places;
}

bool line_file_each_line(struct line_file *file, uint64_t address,
			 void (*give)(void *context, uint64_t start, uint64_t end,
				      const char *file_name, uint32_t line),
			 void *context)
{
	const struct line_unit *unit = unit_at(file, address);

	if (unit)
		line_unit_each_line(unit, give, context);
	return unit;
}

struct dwarf_unit *line_file_debug_unit(struct line_file *file, uint64_t address)
{
	struct dwarf_file *debug = open_debug(file);
	uint32_t unit;

	need_map(file);
	unit = interval_map_find(&file->map, address);
	return debug && unit < debug->units.count ? debug->units.items[unit] : NULL;
}

/* Looking for the package takes a while, so it is done only when the problem is reported. */
static void add_advice(struct line_file *file)
{
	struct buf advice = { 0 };
	struct err why = file->problem;

	debug_packages_advise(DEBUG_PACKAGES_LISTS, file->path, "set DEBUGINFOD_URLS",
			      "compile it with -g", &advice);
	err_set(&file->problem, -ENOENT, "%s; %s", why.text, buf_text(&advice));
	buf_done(&advice);
	file->needs_advice = false;
}

const char *line_file_problem(struct line_file *file)
{
	if (file->needs_advice)
		add_advice(file);
	return file->has_problem ? file->problem.text : NULL;
}

size_t line_file_bytes(const struct line_file *file)
{
	return sizeof(*file) + file->unit_bytes + file->unit_count * sizeof(struct loaded_unit) +
	       file->map.pieces.capacity * sizeof(struct interval_piece) +
	       dwarf_file_held(file->debug);
}

void line_file_rest(struct line_file *file)
{
	write_cache(file);
	for (uint32_t i = 0; i < file->unit_count; i++) {
		if (file->units[i].unit)
			drop_unit(file, &file->units[i]);
	}
	dwarf_file_free(file->debug);
	file->debug = NULL;
	file->open_tried = file->has_problem;
	free(file->debug_path);
	file->debug_path = NULL;
}

void line_file_free(struct line_file *file)
{
	if (!file)
		return;
	line_file_rest(file);
	free(file->units);
	interval_map_done(&file->map);
	line_cache_free(file->cache);
	free(file->path);
	free(file->kernel_release);
	free(file->module);
	free(file);
}
