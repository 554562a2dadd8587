/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads libarchive only when an archive is written or read: linking it with all its dependencies
 * would slow every start of the program.
 */
#ifndef ARCHIVE_LIBARCHIVE_H
#define ARCHIVE_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "base/err.h"

#define LIBARCHIVE_FUNCTIONS(X)                  \
	X(archive_entry_filetype)                \
	X(archive_entry_free)                    \
	X(archive_entry_hardlink)                \
	X(archive_entry_mtime)                   \
	X(archive_entry_mtime_nsec)              \
	X(archive_entry_new)                     \
	X(archive_entry_pathname)                \
	X(archive_entry_set_filetype)            \
	X(archive_entry_set_mtime)               \
	X(archive_entry_set_pathname)            \
	X(archive_entry_set_perm)                \
	X(archive_entry_set_size)                \
	X(archive_error_string)                  \
	X(archive_read_data)                     \
	X(archive_read_free)                     \
	X(archive_read_new)                      \
	X(archive_read_next_header)              \
	X(archive_read_open_fd)                  \
	X(archive_read_support_filter_zstd)      \
	X(archive_read_support_format_tar)       \
	X(archive_write_add_filter_zstd)         \
	X(archive_write_close)                   \
	X(archive_write_data)                    \
	X(archive_write_free)                    \
	X(archive_write_header)                  \
	X(archive_write_new)                     \
	X(archive_write_open)                    \
	X(archive_write_set_bytes_in_last_block) \
	X(archive_write_set_format_pax)

/* Each function with the library's own type. */
struct libarchive {
#define FUNCTION(name) typeof(name) *name;
	LIBARCHIVE_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* -ENOENT, and the package to install in @err, if it is not installed; -ENOENT too if it is too
 * old. It is never unloaded. */
int libarchive_load(struct libarchive *ret_library, struct err *err);

#endif
