/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions begin and end according to the unwind tables (.eh_frame: Linux Standard Base
 * Core, "Exception Frames"). The tables survive stripping, so they separate functions that have no
 * names.
 */
#ifndef ELF_EH_RANGES_H
#define ELF_EH_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/elf_file.h"

struct eh_ranges;

/* Reads all frame descriptions. The file's sections must have been read. -ENODATA: it has none. */
int eh_ranges_read(const struct elf_file *file, struct eh_ranges **ret_ranges, struct err *err);
void eh_ranges_free(struct eh_ranges *ranges); /* NULL is fine */

size_t eh_ranges_count(const struct eh_ranges *ranges);
/* Memory held, in bytes. */
size_t eh_ranges_bytes(const struct eh_ranges *ranges);

/* Narrows [*start, *end), which contains the address. True: to the range that covers the address.
 * False: to the gap between ranges that the address is in. */
bool eh_ranges_narrow(const struct eh_ranges *ranges, uint64_t address, uint64_t *start,
		      uint64_t *end);

#endif
