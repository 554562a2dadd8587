/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind rows of an ELF file, compiled from .eh_frame (Linux Standard Base Core, "Exception
 * Frames") and, for code it does not describe, .debug_frame (DWARF 5 section 6.4). x86-64 and
 * arm64.
 */
#ifndef UNWIND_ROW_TABLE_H
#define UNWIND_ROW_TABLE_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/pause.h"
#include "bpf/unwind_rows.h"
#include "elf/elf_file.h"

struct row_table;

/* Reads all frame descriptions; the file's sections must have been read. Descriptions that cannot
 * be read leave rows without a rule (UNWIND_CFA_NONE) and are counted. A large file takes tens of
 * milliseconds; @pause (NULL: none) is taken several times in each. -ENODATA: the file has no
 * descriptions; -ENOTSUP: unsupported machine. */
int row_table_compile(const struct elf_file *file, const struct pause *pause,
		      struct row_table **ret_table, struct err *err);
void row_table_free(struct row_table *table); /* NULL is fine */
DEFINE_CLEANUP(struct row_table *, row_table_free);

/* Says that the table will not be used for a while: memory that the kernel can read again from the
 * cache file is freed. */
void row_table_rest(const struct row_table *table);
/* The rows; valid as long as the table. */
const struct unwind_table *row_table_rows(const struct row_table *table);
/* The rule in force at an ELF virtual address; NULL: none, or UNWIND_CFA_NONE. */
const struct unwind_rule *row_table_find(const struct unwind_table *table, uint64_t address);
/* Number of frame descriptions that were skipped. */
uint32_t row_table_unreadable(const struct row_table *table);

#endif
