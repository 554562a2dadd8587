/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The users who must be allowed to read a file that a profile names.
 *
 * For a profile recorded here these are the users whose processes ran the file's code, the owner of
 * the profile, and under sudo the user who typed the command; also the owners of the files that the
 * name comes from (names/lines/line_file.h).
 *
 * Any other profile is foreign, and its users mean nothing here. Then only the user who typed the
 * command counts; root without sudo may read everything. A profile is foreign if it was imported,
 * unpacked from an archive or recorded on another host, or if its file is not the one that the
 * recording made (store/origin.h) but, for example, a copy.
 */
#ifndef LOAD_PROFILE_READERS_H
#define LOAD_PROFILE_READERS_H

#include <stdbool.h>

#include "place/files/image_readers.h"
#include "store/store.h"

/* Call it while the profile's file is open. Free @readers with image_readers_done. */
void profile_readers_find(const struct profile *profile, const struct totals *totals, bool unpacked,
			  struct image_readers *readers);
/* The readers for names from a file that was not recorded here. */
struct readers profile_readers_foreign(void);

#endif
