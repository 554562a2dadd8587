/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/debug_files/debug_files.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "dwarf/dwarf_file.h"
#include "names/debug_files/debuginfod.h"
#include "names/debug_files/kernel_places.h"

static const char SYSTEM_FOLDER[] = "/usr/lib/debug";

struct debug_files {
	struct debug_options options;
	struct debuginfod *debuginfod; /* NULL: not used yet */
};

/* One search and its result so far. */
struct search {
	struct debug_files *files;
	const struct debug_wanted *wanted;
	enum debug_part part;
	int fd;		/* -1: not found yet */
	char *path;	/* owned */
	char *known_as; /* its path in the system's folder; NULL: at its own path. Owned */
	struct err *err;
	bool refused; /* err is about a file that was refused */
};

struct debug_files *debug_files_new(const struct debug_options *options)
{
	struct debug_files *files = xcalloc(1, sizeof(*files));

	if (options)
		files->options = *options;
	return files;
}

void debug_files_free(struct debug_files *files)
{
	if (!files)
		return;
	debuginfod_free(files->debuginfod);
	free(files);
}

bool debug_files_has(const struct elf_file *elf, enum debug_part part)
{
	if (part == DEBUG_LINES)
		return dwarf_file_is_there(elf);
	for (size_t i = 0; i < elf_file_section_count(elf); i++) {
		if (elf_file_section(elf, i)->type == SHT_SYMTAB)
			return true;
	}
	return false;
}

struct door_root debug_files_root(const struct debug_files *files)
{
	return (struct door_root){ files->options.symfs, files->options.symfs_sealed };
}

static int open_below(const struct debug_files *files, const struct readers *readers,
		      const struct door_root *root, const char *name, const char *shown,
		      struct err *err)
{
	struct readers through = readers ? *readers : (struct readers){ 0 };
	struct err why;
	int fd;

	if (!through.foreign)
		through.foreign = files->options.foreign;
	fd = door_open(&through, root, name, &why);
	if ((fd == -EACCES || fd == -ETIMEDOUT) && files->options.refused)
		files->options.refused(files->options.opened_context, shown, why.text);
	return fd < 0 ? err_set(err, fd, "%s", why.text) : fd;
}

/* Opens a path that another file names. */
static int open_path(const struct debug_files *files, const struct readers *readers,
		     const char *path, struct err *err)
{
	const struct door_root root = debug_files_root(files);

	return open_below(files, readers, &root, path, path, err);
}

/* Opens a path below a folder that a user named, or below the system's. It begins with the folder's
 * path. */
static int open_in(const struct debug_files *files, const struct readers *readers,
		   const char *folder, const char *path, struct err *err)
{
	const struct door_root root = { .path = folder };

	if (files->options.symfs)
		return open_path(files, readers, path, err);
	return open_below(files, readers, &root, path + strlen(folder), path, err);
}

static int tell(const struct debug_files *files, const char *path, int fd)
{
	if (fd >= 0 && files->options.opened)
		files->options.opened(files->options.opened_context, path, fd);
	return fd;
}

static bool refuse(struct search *search, const char *path, const char *why)
{
	if (!search->refused)
		err_set(search->err, -ENOENT, "%s: not used: %s", path, why);
	search->refused = true;
	return false;
}

/* True if the open file belongs to the wanted one. Equal build ids prove it; without them, only the
 * checksum of a link does. */
static bool belongs(struct search *search, int fd, const char *path, const struct elf_file *elf,
		    bool by_link)
{
	const struct elf_build_id *build_id = elf_file_build_id(elf);
	const struct debug_wanted *wanted = search->wanted;
	uint32_t checksum;

	if (build_id->size && wanted->build_id.size)
		return elf_file_build_id_is(build_id, wanted->build_id.bytes,
					    wanted->build_id.size) ||
		       refuse(search, path, "its build id does not match");
	if (!by_link)
		return refuse(search, path,
			      build_id->size ? "the build id to expect is not known"
					     : "it has no build id");
	if (checksum_file(fd, &checksum) < 0 || checksum != wanted->link.checksum)
		return refuse(search, path, "its checksum does not match");
	return true;
}

static int open_elf(const struct debug_wanted *wanted, int fd, struct elf_file **ret_elf)
{
	return wanted->module ? elf_file_open_any(fd, ret_elf, NULL)
			      : elf_file_open(fd, ret_elf, NULL);
}

/* Tries an open file, and takes over its descriptor. */
static bool try_fd(struct search *search, int opened, const char *path, bool by_link)
{
	_cleanup_close_ int fd = opened;
	_cleanup_(elf_file_freep) struct elf_file *elf = NULL;

	if (fd < 0)
		return false;
	if (open_elf(search->wanted, fd, &elf) < 0 || elf_file_read_sections(elf, NULL) < 0)
		return refuse(search, path, "it is not a readable ELF file");
	if (!belongs(search, fd, path, elf, by_link))
		return false;
	if (!debug_files_has(elf, search->part))
		return false;
	search->path = xstrdup(path);
	search->fd = steal_fd(fd);
	return true;
}

/* A missing file is not reported; an unreadable one is. */
static bool try_opened(struct search *search, int opened, const char *path, bool by_link,
		       const struct err *why)
{
	if (opened == -EACCES)
		return refuse(search, path, why->text);
	return try_fd(search, opened, path, by_link);
}

static bool try_path(struct search *search, const char *path, bool by_link)
{
	struct err why;
	int fd = open_path(search->files, search->wanted->readers, path, &why);

	return try_opened(search, fd, path, by_link, &why);
}

/* @path begins with the @folder. */
static bool try_path_in(struct search *search, const char *folder, const char *path, bool by_link)
{
	struct err why;
	int fd = open_in(search->files, search->wanted->readers, folder, path, &why);

	return try_opened(search, fd, path, by_link, &why);
}

/* Calls @try with each folder of debug files until it returns true. */
static bool each_folder(const struct debug_files *files,
			bool (*try)(void *context, const char *folder), void *context)
{
	for (size_t i = 0; i < files->options.folder_count; i++) {
		if (try(context, files->options.folders[i]))
			return true;
	}
	return try(context, SYSTEM_FOLDER);
}

/* "FOLDER/.build-id/xx/yyyy.debug" */
static char *build_id_path(const char *folder, const struct elf_build_id *build_id)
{
	char digits[2 * BUILD_ID_MAX + 1];

	for (int i = 0; i < build_id->size; i++)
		snprintf(digits + 2 * i, 3, "%02x", build_id->bytes[i]);
	return xasprintf("%s/.build-id/%.2s/%s.debug", folder, digits, digits + 2);
}

static bool try_build_id(void *context, const char *folder)
{
	struct search *search = context;
	_cleanup_free_ char *path = build_id_path(folder, &search->wanted->build_id);

	if (!try_path_in(search, folder, path, false))
		return false;
	search->known_as = build_id_path(SYSTEM_FOLDER, &search->wanted->build_id);
	return true;
}

static bool find_by_build_id(struct search *search)
{
	return search->wanted->build_id.size > 1 &&
	       each_folder(search->files, try_build_id, search);
}

/* The folder of a path, with its slash; "" if it has none. Owned by the caller. */
static char *folder_of(const char *path)
{
	return xasprintf("%.*s", (int)(file_base(path) - path), path);
}

static bool try_linked(void *context, const char *folder)
{
	struct search *search = context;
	_cleanup_free_ char *beside = folder_of(search->wanted->path);
	_cleanup_free_ char *path = xasprintf("%s/%s%s", folder, beside, search->wanted->link.name);

	if (!try_path_in(search, folder, path, true))
		return false;
	search->known_as = xasprintf("%s/%s%s", SYSTEM_FOLDER, beside, search->wanted->link.name);
	return true;
}

static bool find_by_link(struct search *search)
{
	const struct debug_wanted *wanted = search->wanted;
	_cleanup_free_ char *beside = folder_of(wanted->path);
	_cleanup_free_ char *same = xasprintf("%s%s", beside, wanted->link.name);
	_cleanup_free_ char *hidden = xasprintf("%s.debug/%s", beside, wanted->link.name);

	if (!wanted->has_link || !*wanted->path)
		return false;
	/* a link may name its own file */
	if (strcmp(same, wanted->path) != 0 && try_path(search, same, true))
		return true;
	return try_path(search, hidden, true) || each_folder(search->files, try_linked, search);
}

char *debug_files_named(const char *folder, const char *path, int number)
{
	static const struct {
		bool whole; /* the path below the folder, else the name alone */
		const char *suffix;
	} names[] = { { true, ".debug" }, { true, "" }, { false, ".debug" }, { false, "" } };

	if (*path != '/' || number >= (int)(sizeof(names) / sizeof(*names)))
		return NULL;
	return xasprintf("%s/%s%s", folder,
			 names[number].whole ? path + strspn(path, "/") : file_base(path),
			 names[number].suffix);
}

/* Finds a file that a user put into a folder under the file's own name. */
static bool find_by_name(struct search *search)
{
	const struct debug_options *options = &search->files->options;

	for (size_t i = 0; i < options->folder_count; i++) {
		char *path;

		for (int j = 0;
		     (path = debug_files_named(options->folders[i], search->wanted->path, j));
		     j++) {
			bool found = try_path_in(search, options->folders[i], path, false);

			free(path);
			if (found)
				return true;
		}
	}
	return false;
}

/* Tries one place of a kernel or module. */
static bool try_place(void *context, const char *path)
{
	struct search *search = context;

	if (!try_path(search, path, false))
		return false;
	if (search->wanted->build_id.size > 1)
		search->known_as = build_id_path(SYSTEM_FOLDER, &search->wanted->build_id);
	return true;
}

static bool try_kernel_folder(void *context, const char *folder)
{
	struct search *search = context;

	return kernel_places_under(folder, search->wanted->kernel_release, search->wanted->module,
				   search->files->options.symfs, try_place, search);
}

static bool find_kernel(struct search *search)
{
	const struct debug_wanted *wanted = search->wanted;

	if (!wanted->kernel_release)
		return false;
	return each_folder(search->files, try_kernel_folder, search) ||
	       kernel_places_system(wanted->kernel_release, wanted->module,
				    search->files->options.symfs, try_place, search);
}

/* The path that is found means nothing outside. */
static bool find_in_process(struct search *search)
{
	struct debug_files inside = { .options = { .symfs = search->wanted->process_root,
						   .foreign = search->files->options.foreign } };
	struct debug_files *outside = search->files;
	bool found;

	if (!inside.options.symfs || outside->options.symfs)
		return false;
	search->files = &inside;
	found = find_by_build_id(search) || find_by_link(search);
	search->files = outside;
	return found;
}

static struct debuginfod *servers(struct debug_files *files)
{
	if (!files->debuginfod)
		files->debuginfod =
			debuginfod_new(files->options.progress, files->options.progress_context);
	return files->debuginfod;
}

static bool find_on_servers(struct search *search)
{
	_cleanup_free_ char *path = NULL;
	struct err err;
	int fd;

	if (!search->files->options.debuginfod || !search->wanted->build_id.size)
		return false;
	fd = debuginfod_fetch(servers(search->files), &search->wanted->build_id, &path, &err);
	if (fd < 0 && !search->refused) {
		err_set(search->err, -ENOENT, "%s", err.text);
		search->refused = true;
	}
	if (fd < 0 || !try_fd(search, fd, path, false))
		return false;
	search->known_as = build_id_path(SYSTEM_FOLDER, &search->wanted->build_id);
	return true;
}

/* The chain. */
static bool (*const sources[])(struct search *) = {
	find_by_build_id, find_by_link, find_by_name, find_kernel, find_in_process, find_on_servers,
};

int debug_files_open(struct debug_files *files, const struct debug_wanted *wanted,
		     enum debug_part part, char **ret_path, struct err *err)
{
	struct err unwanted;
	struct search search = { .files = files,
				 .wanted = wanted,
				 .part = part,
				 .fd = -1,
				 .err = err ? err : &unwanted };

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		if (sources[i](&search)) {
			*ret_path = search.path;
			tell(files, search.known_as ? search.known_as : search.path, search.fd);
			free(search.known_as);
			return search.fd;
		}
	}
	if (!search.refused)
		err_set(err, -ENOENT, "no debug file was found");
	return -ENOENT;
}

static bool has_build_id(int fd, const struct elf_build_id *build_id)
{
	_cleanup_(elf_file_freep) struct elf_file *elf = NULL;

	return elf_file_open_any(fd, &elf, NULL) == 0 && elf_file_read_sections(elf, NULL) == 0 &&
	       elf_file_build_id_is(elf_file_build_id(elf), build_id->bytes, build_id->size);
}

struct supplementary {
	struct debug_files *files;
	const struct readers *readers;
	const char *name;
	const struct elf_build_id *build_id;
	int fd;
};

/* Takes over @opened, which may be an error. */
static bool is_supplementary(struct supplementary *wanted, int opened)
{
	_cleanup_close_ int fd = opened;

	if (fd < 0 || !has_build_id(fd, wanted->build_id))
		return false;
	wanted->fd = steal_fd(fd);
	return true;
}

static bool try_supplementary(void *context, const char *folder)
{
	struct supplementary *wanted = context;
	_cleanup_free_ char *by_id = build_id_path(folder, wanted->build_id);
	_cleanup_free_ char *by_name = xasprintf("%s/.dwz/%s", folder, file_base(wanted->name));

	return is_supplementary(wanted,
				open_in(wanted->files, wanted->readers, folder, by_id, NULL)) ||
	       is_supplementary(wanted,
				open_in(wanted->files, wanted->readers, folder, by_name, NULL));
}

int debug_files_open_supplementary(struct debug_files *files, const struct readers *readers,
				   const char *path, const char *name,
				   const struct elf_build_id *build_id)
{
	struct supplementary wanted = { files, readers, name, build_id, -1 };
	_cleanup_free_ char *folder = folder_of(path);
	_cleanup_free_ char *full =
		name[0] == '/' ? xstrdup(name) : xasprintf("%s%s", folder, name);
	_cleanup_free_ char *fetched = NULL, *by_id = NULL;

	if (build_id->size < 2)
		return -ENOENT;
	if (is_supplementary(&wanted, open_path(files, readers, full, NULL)))
		return tell(files, full, wanted.fd);
	by_id = build_id_path(SYSTEM_FOLDER, build_id);
	if (each_folder(files, try_supplementary, &wanted))
		return tell(files, by_id, wanted.fd);
	if (!files->options.debuginfod)
		return -ENOENT;
	return tell(files, by_id, debuginfod_fetch(servers(files), build_id, &fetched, NULL));
}

int debug_files_open_split(struct debug_files *files, const struct readers *readers,
			   const char *path, const char *folder, const char *name)
{
	_cleanup_free_ char *full =
		name[0] == '/' ? xstrdup(name) : xasprintf("%s/%s", folder, name);
	int fd = open_path(files, readers, full, NULL);

	if (fd < 0) {
		_cleanup_free_ char *near = folder_of(path);
		_cleanup_free_ char *beside = xasprintf("%s%s", near, file_base(name));

		return tell(files, beside, open_path(files, readers, beside, NULL));
	}
	return tell(files, full, fd);
}

int debug_files_open_package(struct debug_files *files, const struct readers *readers,
			     const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s.dwp", path);

	return tell(files, full, open_path(files, readers, full, NULL));
}
