/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/profile_readers.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/owner.h"
#include "foreign/foreign.h"

struct readers profile_readers_foreign(void)
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

void profile_readers_find(const struct profile *profile, const struct totals *totals, bool unpacked,
			  struct image_readers *readers)
{
	bool here = !unpacked && was_recorded_here(&profile->run);
	int fd = here ? store_find_origin(profile) : -1;

	*readers = (struct image_readers){ .all = profile_readers_foreign() };
	readers->all.foreign = foreign_new((struct pause){ 0 });
	if (fd < 0)
		return;
	readers->all.anybody = false;
	readers_add_owner(&readers->all, fd);
	image_readers_add_users(readers, profile, totals->rows.items, totals->rows.count);
}
