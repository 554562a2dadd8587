/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of one large section, compressed or not, at stable addresses. Contents are read on
 * demand (pread, never mapped from the file), so looking at a few places of a 1 GB section costs a
 * few pages. Compressed contents (SHF_COMPRESSED with zlib or zstd, and the older .zdebug_*) are
 * decompressed at once, into memory or, if large, into an unnamed file. In relocatable files (a
 * kernel module, its debug file, an object file) the relocations are applied that a linker would
 * still apply, and the contents stay in memory.
 */
#ifndef ELF_SECTION_DATA_H
#define ELF_SECTION_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/reader.h"
#include "elf/elf_file.h"

struct section_data;

/* Nothing is copied: @file must outlive the result, and @section is one of its own. -EFBIG: beyond
 * the size limit; -ENODATA: the section has no bytes in the file; -ENOTSUP: a relocation of an
 * unknown type, so the contents would give wrong values. */
int section_data_open(const struct elf_file *file, const struct elf_section *section,
		      struct section_data **ret_data, struct err *err);
void section_data_free(struct section_data *data); /* NULL is fine */
DEFINE_CLEANUP(struct section_data *, section_data_free);

/* Uncompressed size; 0 for NULL. */
uint64_t section_data_size(const struct section_data *data);
/* @size bytes at @offset, borrowed until section_data_forget. NULL: not all of them exist, or they
 * cannot be read. @data may be NULL. */
const uint8_t *section_data_bytes(struct section_data *data, uint64_t offset, uint64_t size);
/* A reader for these bytes; `bad` where section_data_bytes returns NULL. */
struct reader section_data_reader(struct section_data *data, uint64_t offset, uint64_t size);
/* A reader from @offset to the end, for at most @most bytes. */
struct reader section_data_tail(struct section_data *data, uint64_t offset, uint64_t most);
/* A NUL-terminated string, borrowed until section_data_forget; "" if there is none or it is longer
 * than any real name. */
const char *section_data_string(struct section_data *data, uint64_t offset);
/* Frees memory whose contents can be read again. */
void section_data_forget(struct section_data *data);
/* Memory held, in bytes. */
size_t section_data_held(const struct section_data *data);

#endif
