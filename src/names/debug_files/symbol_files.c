/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/debug_files/symbol_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "foreign/live_task.h"

/* Takes over @file. False: it cannot be read. */
static bool add(struct symbol_files *sources, struct elf_file *file)
{
	if (elf_file_read_sections(file, &sources->why) < 0) {
		elf_file_free(file);
		return false;
	}
	sources->files[sources->count++] = file;
	return true;
}

static void add_embedded(struct symbol_files *sources, const struct elf_file *file)
{
	struct elf_file *embedded;
	size_t size;

	if (debug_link_embedded(file, &sources->embedded, &size, NULL) == 0 &&
	    elf_file_open_memory(sources->embedded, size, &embedded, NULL) == 0)
		add(sources, embedded);
}

static void add_debug_file(struct symbol_files *sources, struct debug_files *debug_files,
			   const struct debug_wanted *wanted)
{
	struct elf_file *debug;

	sources->fd = debug_files_open(debug_files, wanted, DEBUG_SYMBOLS, &sources->debug_path,
				       &sources->why);
	if (sources->fd < 0 || elf_file_open(sources->fd, &debug, &sources->why) < 0)
		return;
	if (add(sources, debug))
		sources->debug = debug;
}

void symbol_files_find_debug(struct debug_files *debug_files, const struct debug_wanted *wanted,
			     struct symbol_files *ret_sources)
{
	*ret_sources = (struct symbol_files){ .fd = -1 };
	add_debug_file(ret_sources, debug_files, wanted);
}

/* Who owns a process decides what its root is. */
static void readers_add_owner_of(struct readers *readers, int32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%" PRId32, pid);
	if (stat(path, &st) == 0)
		readers_add(readers, st.st_uid);
	else
		readers->anybody = true;
}

void symbol_files_find(struct debug_files *debug_files, const struct elf_file *file,
		       const char *path, const struct readers *readers, int32_t pid,
		       struct symbol_files *ret_sources)
{
	_cleanup_free_ char *process_root = live_task_root(pid);
	struct readers all = readers ? *readers : (struct readers){ 0 };
	struct debug_wanted wanted = { .path = path,
				       .build_id = *elf_file_build_id(file),
				       .readers = &all,
				       .process_root = process_root };

	*ret_sources = (struct symbol_files){ .fd = -1 };
	if (debug_files_has(file, DEBUG_SYMBOLS))
		return;
	readers_add_owner(&all, elf_file_descriptor(file));
	if (process_root)
		readers_add_owner_of(&all, pid);
	wanted.has_link = debug_link_read(file, &wanted.link);
	add_embedded(ret_sources, file);
	add_debug_file(ret_sources, debug_files, &wanted);
}

void symbol_files_done(struct symbol_files *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		elf_file_free(sources->files[i]);
	cleanup_closep(&sources->fd);
	free(sources->debug_path);
	free(sources->embedded);
	*sources = (struct symbol_files){ .fd = -1 };
}
