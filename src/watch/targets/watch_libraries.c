/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_libraries.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "place/files/library_search.h"

enum { MOST_ENTRIES = 4096 };

/* The dynamic section of a file, and its strings. */
struct dynamic {
	struct foreign *foreign;
	const struct elf_file *elf;
	const char *path;
	const struct elf_section *section, *strings;
	uint8_t *entries;
	char *names; /* NUL-terminated */
};

static bool read_dynamic(struct dynamic *dynamic)
{
	uint8_t *names = NULL;

	dynamic->section = elf_file_find(dynamic->elf, ".dynamic");
	dynamic->strings = elf_file_find(dynamic->elf, ".dynstr");
	if (!dynamic->section || !dynamic->strings ||
	    elf_file_read(dynamic->elf, dynamic->section, &dynamic->entries, NULL) < 0 ||
	    elf_file_read(dynamic->elf, dynamic->strings, &names, NULL) < 0)
		return false;
	dynamic->names = xmalloc(dynamic->strings->size + 1);
	memcpy(dynamic->names, names, dynamic->strings->size);
	dynamic->names[dynamic->strings->size] = '\0';
	free(names);
	return true;
}

/* The text of entry @number of kind @kind; NULL: none. */
static const char *text_of(const struct dynamic *dynamic, uint64_t kind, size_t number)
{
	struct reader reader =
		elf_file_reader(dynamic->elf, dynamic->entries, dynamic->section->size);

	for (size_t i = 0; i < MOST_ENTRIES && reader_left(&reader); i++) {
		uint64_t tag = elf_file_word(dynamic->elf, &reader);
		uint64_t value = elf_file_word(dynamic->elf, &reader);

		if (reader.bad || tag == DT_NULL)
			return NULL;
		if (tag == kind && value < dynamic->strings->size && number-- == 0)
			return dynamic->names + value;
	}
	return NULL;
}

/* Appends one folder of a run path; $ORIGIN (ld.so(8)) is the file's own folder. */
static void add_folder(const struct dynamic *dynamic, const char *folder, struct buf *path)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };

	for (size_t i = 0; i < sizeof(origins) / sizeof(*origins); i++) {
		size_t length = strlen(origins[i]);

		if (strncmp(folder, origins[i], length) == 0) {
			const char *base = file_base(dynamic->path);
			size_t before = (size_t)(base - dynamic->path);

			if (before == 0)
				buf_add_str(path, ".");
			buf_add(path, dynamic->path, before);
			buf_add_str(path, folder + length);
			return;
		}
	}
	buf_add_str(path, folder);
}

static bool find_in_run_path(const struct dynamic *dynamic, const char *name, struct buf *path)
{
	static const uint64_t kinds[] = { DT_RUNPATH, DT_RPATH };
	struct stat st;
	bool found = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !found; i++) {
		const char *text = text_of(dynamic, kinds[i], 0), *folder;
		char *folders = xstrdup(text ? text : ""), *rest = folders;

		while (!found && (folder = strsep(&rest, ":"))) {
			buf_clear(path);
			if (!*folder)
				continue;
			add_folder(dynamic, folder, path);
			buf_printf(path, "/%s", name);
			found = door_stat(dynamic->foreign, buf_text(path), &st) == 0;
		}
		free(folders);
	}
	return found;
}

static void find_library(const struct dynamic *dynamic, const char *name, struct buf *path)
{
	if (strchr(name, '/')) {
		buf_add_str(path, name);
		return;
	}
	if (find_in_run_path(dynamic, name, path))
		return;
	buf_clear(path);
	if (!library_search_find(dynamic->foreign, "", name, path))
		buf_clear(path);
}

void watch_libraries_each(struct foreign *foreign, const struct watch_image *image,
			  void (*give)(void *context, const char *path), void *context)
{
	struct dynamic dynamic = { .foreign = foreign,
				   .elf = watch_image_elf(image),
				   .path = watch_image_path(image) };
	const char *name;

	if (read_dynamic(&dynamic)) {
		for (size_t i = 0; (name = text_of(&dynamic, DT_NEEDED, i)); i++) {
			struct buf found = { 0 };

			find_library(&dynamic, name, &found);
			if (found.size)
				give(context, buf_text(&found));
			buf_done(&found);
		}
	}
	free(dynamic.entries);
	free(dynamic.names);
}
