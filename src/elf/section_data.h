/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of one large section, plain or compressed, at stable addresses: what is asked for is
 * read then (pread, never mapped from the file), so that looking at a few places of a section of a
 * gigabyte costs a few pages. Compressed contents (SHF_COMPRESSED with zlib or zstd, and the older
 * .zdebug_*) are made plain at once, in memory or, where they are large, in a file without a name.
 * Those of relocatable files are completed, see relocation.h, and stay in memory.
 */
#ifndef ELF_SECTION_DATA_H
#define ELF_SECTION_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/reader.h"
#include "elf/elf_file.h"

struct section_data;

/* Neither is copied: @file must outlive it; @section is one of its own. -EFBIG: beyond the limit of
 * a section; -ENODATA: it has no bytes in the file; else as relocation_apply. */
int section_data_open(const struct elf_file *file, const struct elf_section *section,
		      struct section_data **ret_data, struct err *err);
void section_data_free(struct section_data *data); /* NULL is fine */
DEFINE_CLEANUP(struct section_data *, section_data_free);

/* Plain bytes; 0 for NULL. */
uint64_t section_data_size(const struct section_data *data);
/* @size bytes at @offset, borrowed until section_data_forget. NULL: not all of them are there, or
 * they cannot be read. @data may be NULL. */
const uint8_t *section_data_bytes(struct section_data *data, uint64_t offset, uint64_t size);
/* A reader of them; `bad` where section_data_bytes gives NULL. */
struct reader section_data_reader(struct section_data *data, uint64_t offset, uint64_t size);
/* A reader from @offset to the end, of at most @most bytes. */
struct reader section_data_tail(struct section_data *data, uint64_t offset, uint64_t most);
/* A NUL-terminated string, borrowed likewise; "" when there is none or it is longer than any honest
 * name. */
const char *section_data_string(struct section_data *data, uint64_t offset);
/* Gives memory back that can be read again. */
void section_data_forget(struct section_data *data);
/* Memory held. */
size_t section_data_held(const struct section_data *data);

#endif
