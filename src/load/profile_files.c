/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/profile_files.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/owner.h"
#include "foreign/foreign.h"

struct readers profile_files_foreign_readers(void)
{
	struct readers readers = { 0 };
	struct owner owner;

	owner_find(&owner);
	if (owner.other)
		readers_add(&readers, owner.uid);
	else
		readers.anybody = geteuid() == 0;
	return readers;
}

/* Imported files say "perf", whatever their source. */
static bool was_recorded_here(const struct run_facts *run)
{
	struct utsname name;

	return run->scope && strcmp(run->scope, "perf") != 0 && run->hostname &&
	       uname(&name) == 0 && strcmp(run->hostname, name.nodename) == 0;
}

void profile_files_readers(const struct profile *profile, const struct totals *totals,
			   bool unpacked, struct image_readers *readers)
{
	bool here = !unpacked && was_recorded_here(&profile->run);
	int fd = here ? store_find_origin(profile) : -1;

	*readers = (struct image_readers){ .all = profile_files_foreign_readers() };
	readers->all.foreign = foreign_new((struct pause){ 0 });
	if (fd < 0)
		return;
	readers->all.anybody = false;
	readers_add_owner(&readers->all, fd);
	image_readers_add_users(readers, profile, totals->rows.items, totals->rows.count);
}

bool profile_files_wanted(const struct line_options *lines)
{
	return lines->debug_folder_count || lines->debuginfod;
}

void profile_files_add_names(struct profile *profile, const struct line_options *lines,
			     bool by_build_id_only, bool force, struct late_names *ret_names)
{
	struct line_options without_cache = *lines;
	struct line_service service;

	without_cache.no_cache = true; /* no lines are needed */
	line_service_start(&service, profile, &without_cache, NULL, NULL);
	late_names_add(profile,
		       &(struct late_options){ .debug_files = service.debug_files,
					       .readers = lines->readers,
					       .by_build_id_only = by_build_id_only,
					       .force = force,
					       .folders = lines->debug_folders,
					       .folder_count = lines->debug_folder_count },
		       ret_names);
	line_service_stop(&service);
}
