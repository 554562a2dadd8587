/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An archive of a profile and its files, unpacked for views. It is unpacked once, into a private
 * folder of the cache, under a name that identifies the archive; without a cache, into a folder
 * that is removed at the end. If the cache has many, the least recently used are removed.
 *
 * Archives come from other people. An archive may unpack to at most 64 MiB plus 100 times its own
 * size; archive/tar.h has the other limits.
 */
#ifndef ARCHIVE_UNPACKED_H
#define ARCHIVE_UNPACKED_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"

/* The contents of an archive: */
#define UNPACKED_PROFILE  "profile.prof"
#define UNPACKED_FILES	  "files" /* below it the files of images and debug files, by their paths */
#define UNPACKED_SOURCES  "sources"  /* below it source files, likewise */
#define UNPACKED_CONTENTS "contents" /* for people: what is in it and what is not */

struct unpacked;

/* True if the file's first bytes are those of an archive. */
bool unpacked_is_archive(const char *path);

/* -EINVAL: an archive without a profile; or an error of tar_unpack, or of creating the
 * folder. */
int unpacked_open(const char *path, struct unpacked **ret_unpacked, struct err *err);
void unpacked_close(struct unpacked *unpacked); /* NULL is fine */
DEFINE_CLEANUP(struct unpacked *, unpacked_close);

/* Paths, borrowed. */
const char *unpacked_folder(const struct unpacked *unpacked);
const char *unpacked_profile(const struct unpacked *unpacked);
const char *unpacked_files(const struct unpacked *unpacked);
const char *unpacked_sources(const struct unpacked *unpacked);

#endif
