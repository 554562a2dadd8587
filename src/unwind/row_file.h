/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table as one piece of bytes, the same in memory and on disk:
 *
 *     header | page_count + 1 pages | rules | rows
 *
 * all in the machine's own byte order, for a file is read where it was written. Nothing of a file
 * is believed: it is used only if its checksum is right and every index in it leads inside, so that
 * whoever searches the table (the kernel side, too) need not check again.
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

/* A table of its own of what was built, which is finished. Never NULL. */
struct row_table *row_file_make(const struct row_builder *builder, uint16_t machine,
				uint32_t unreadable);
/* The bytes to be written; borrowed from the table. */
const void *row_file_bytes(const struct row_table *table, size_t *ret_size);

/* Writes the checksum of a whole file's bytes into them. */
void row_file_seal(void *bytes, size_t size);

/* Maps the file (@fd borrowed for the call) of @size bytes, which nobody changes. -EBADMSG:
 * damaged, or of another version of the program. */
int row_file_map(int fd, uint64_t size, struct row_table **ret_table, struct err *err);
/* The same of bytes in memory, aligned to 8 and borrowed for the table's life. */
int row_file_read(const void *bytes, size_t size, struct row_table **ret_table, struct err *err);
/* Lets go of the bytes; for row_table_free. */
void row_file_release(struct row_table *table);

#endif
