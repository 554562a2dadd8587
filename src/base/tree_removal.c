/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/tree_removal.h"

#include <fts.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

void tree_removal(const char *path)
{
	char *const paths[] = { (char *)path, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV | FTS_NOSTAT, NULL);
	const FTSENT *entry;

	if (!walk)
		return;
	while ((entry = fts_read(walk))) {
		if (entry->fts_info == FTS_DP)
			rmdir(entry->fts_accpath);
		else if (entry->fts_info != FTS_D)
			unlink(entry->fts_accpath);
	}
	fts_close(walk);
}

uint64_t tree_removal_bytes(const char *path)
{
	char *const paths[] = { (char *)path, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	const FTSENT *entry;
	uint64_t bytes = 0;

	while (walk && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_F)
			bytes += (uint64_t)entry->fts_statp->st_size;
	}
	if (walk)
		fts_close(walk);
	return bytes;
}
