/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table as one block of bytes, the same in memory and on disk:
 *
 *     header | page_count + 1 pages | rules | rows
 *
 * The byte order is the machine's own, because a file is read where it was written. Files are
 * untrusted: one is used only if its checksum is right and all its indices are in range, so code
 * that searches the table, also on the kernel side, need not check again.
 */
#ifndef UNWIND_ROW_FILE_H
#define UNWIND_ROW_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "unwind/row_builder.h"
#include "unwind/row_table.h"

enum row_file_owned { ROW_FILE_BORROWED, ROW_FILE_ALLOCATED, ROW_FILE_MAPPED };

struct row_table {
	struct unwind_table rows; /* points into the bytes */
	uint32_t unreadable;
	enum row_file_owned owned;
	void *bytes;
	size_t size;
};

/* Makes a table from a finished builder; nothing is borrowed. Never NULL. */
struct row_table *row_file_make(const struct row_builder *builder, uint16_t machine,
				uint32_t unreadable);
/* The bytes to write to a file; borrowed from the table. */
const void *row_file_bytes(const struct row_table *table, size_t *ret_size);

/* Computes the checksum of a whole file's bytes and stores it in them. */
void row_file_seal(void *bytes, size_t size);

/* Maps a file of @size bytes that no one changes; @fd is borrowed for the call. -EBADMSG: damaged,
 * or written by another version of the program. */
int row_file_map(int fd, uint64_t size, struct row_table **ret_table, struct err *err);
/* Like row_file_map, for bytes in memory, aligned to 8 and borrowed until row_table_free. */
int row_file_read(const void *bytes, size_t size, struct row_table **ret_table, struct err *err);
/* Releases the bytes; called by row_table_free. */
void row_file_release(struct row_table *table);

#endif
