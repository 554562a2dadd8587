/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The versions of dynamic symbols (Linux Standard Base Core, "Symbol Versioning"): the version of
 * each .dynsym entry, and its name.
 */
#ifndef ELF_SYMBOL_VERSIONS_H
#define ELF_SYMBOL_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "elf/elf_file.h"

struct symbol_versions;

/* NULL: no versions. The file's sections must have been read; the file is not needed afterwards. */
struct symbol_versions *symbol_versions_new(const struct elf_file *file);
void symbol_versions_free(struct symbol_versions *versions); /* NULL is fine */
DEFINE_CLEANUP(struct symbol_versions *, symbol_versions_free);

/* The .gnu.version entry of symbol number @index of .dynsym; 0: no version. */
uint16_t symbol_versions_of(const struct symbol_versions *versions, size_t index);
/* Appends what objdump prints after a name with that version: "@@VERSION" for the default version
 * of a symbol defined here, "@VERSION" for others, nothing for 0. @versions may be NULL if all are
 * 0. */
void symbol_versions_print(const struct symbol_versions *versions, uint16_t version, bool defined,
			   struct buf *text);

#endif
