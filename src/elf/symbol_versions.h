/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The versions of dynamic symbols (Linux Standard Base Core, "Symbol Versioning"): which of them
 * each entry of .dynsym has, and what it is called.
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

/* NULL: the file has no versions. Its sections have been read; it is not needed afterwards. */
struct symbol_versions *symbol_versions_new(const struct elf_file *file);
void symbol_versions_free(struct symbol_versions *versions); /* NULL is fine */
DEFINE_CLEANUP(struct symbol_versions *, symbol_versions_free);

/* What .gnu.version has for the symbol number @index of .dynsym; 0: no version. */
uint16_t symbol_versions_of(const struct symbol_versions *versions, size_t index);
/* Appends what objdump puts behind a name with that version: "@@VERSION" for the default one of a
 * symbol that is defined here, "@VERSION" for another, nothing for 0. @versions may be NULL when
 * all are 0. */
void symbol_versions_print(const struct symbol_versions *versions, uint16_t version, bool defined,
			   struct buf *text);

#endif
