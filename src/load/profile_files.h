/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that the names of a profile come from: names that are added after the recording, and
 * the users who must be allowed to read a file that a profile names.
 *
 * For a profile recorded here these are the users whose processes ran the file's code, the owner of
 * the profile, and under sudo the user who typed the command; also the owners of the files that the
 * name comes from (names/lines/line_file.h).
 *
 * Any other profile is foreign, and its users mean nothing here. Then only the user who typed the
 * command counts; root without sudo may read everything. A profile is foreign if it was imported,
 * unpacked from an archive or recorded on another host, or if its file is not the one that the
 * recording made (store/origin.c) but, for example, a copy.
 */
#ifndef LOAD_PROFILE_FILES_H
#define LOAD_PROFILE_FILES_H

#include <stdbool.h>

#include "names/late_names.h"
#include "names/lines/line_service.h"
#include "place/files/image_readers.h"
#include "store/store.h"

/* Call it while the profile's file is open. Free @readers with image_readers_done. */
void profile_files_readers(const struct profile *profile, const struct totals *totals,
			   bool unpacked, struct image_readers *readers);
/* The readers for names from a file that was not recorded here. */
struct readers profile_files_foreign_readers(void);

/* True if the options name a source of symbols that the recording may have lacked. */
bool profile_files_wanted(const struct line_options *lines);
/* Calls late_names_add, with files looked for as for lines. Texts are borrowed. */
void profile_files_add_names(struct profile *profile, const struct line_options *lines,
			     bool by_build_id_only, bool force, struct late_names *ret_names);

#endif
