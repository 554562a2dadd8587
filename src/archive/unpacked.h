/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An archive of a profile and its files, unpacked for being looked at: once, into a folder of the
 * cache that is only ours, under a name that says which archive it was; or, where there is no
 * cache, into one that is removed at the end. The oldest are removed when there are many.
 *
 * Archives come from other people: an archive may unpack to a hundred times its size at most, and
 * see archive/tar_reader.h.
 */
#ifndef ARCHIVE_UNPACKED_H
#define ARCHIVE_UNPACKED_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"

/* What an archive has: */
#define UNPACKED_PROFILE  "profile.prof"
#define UNPACKED_FILES	  "files" /* below it the files of images and debug files, by their paths */
#define UNPACKED_SOURCES  "sources"  /* below it the same of source files */
#define UNPACKED_CONTENTS "contents" /* for people: what is in it and what is not */

struct unpacked;

/* Is this file an archive, as far as its first bytes tell? */
bool unpacked_is_archive(const char *path);

/* -EINVAL when it is the archive of something else, errors of tar_reader_unpack, or why nothing can
 * be written anywhere. */
int unpacked_open(const char *path, struct unpacked **ret_unpacked, struct err *err);
void unpacked_close(struct unpacked *unpacked); /* NULL is fine */
DEFINE_CLEANUP(struct unpacked *, unpacked_close);

/* Paths, borrowed. */
const char *unpacked_folder(const struct unpacked *unpacked);
const char *unpacked_profile(const struct unpacked *unpacked);
const char *unpacked_files(const struct unpacked *unpacked);
const char *unpacked_sources(const struct unpacked *unpacked);

#endif
