/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who must be allowed to read the files that a profile names.
 *
 * Of a profile that was recorded here: the users whose processes ran the code that the file is
 * wanted for, the owner of the profile, and under sudo the user who typed the command; besides, the
 * owners of the files that the name comes from (names/lines/line_file.h).
 *
 * Any other profile is foreign: what it says of users means nothing here. Then it is the user who
 * typed the command; of root without sudo, who may read everything, everybody. Foreign is a profile
 * that is imported, unpacked from an archive or of a machine with another host name, and a file
 * that is not the very one that a recording made (store/origin.h), such as a copy.
 */
#ifndef LOAD_PROFILE_READERS_H
#define LOAD_PROFILE_READERS_H

#include <stdbool.h>

#include "place/files/image_readers.h"
#include "store/store.h"

/* Asked while the profile's file is open. @readers is to be ended with image_readers_done. */
void profile_readers_find(const struct profile *profile, const struct totals *totals, bool unpacked,
			  struct image_readers *readers);
/* Those of names from a file that was not recorded here, whatever it is. */
struct readers profile_readers_foreign(void);

#endif
