/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions from .symtab and .dynsym. */
#ifndef ELF_ELF_SYMBOLS_H
#define ELF_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_file.h"
#include "elf/elf_symbol.h"
#include "elf/functions.h"

/* Adds the functions of all symbol tables; the file's sections must have been read.
 * *ret_has_symtab: .symtab named at least one. Damaged tables are skipped. */
void elf_symbols_read(const struct elf_file *file, struct functions *functions,
		      bool *ret_has_symtab);

/* Adds the functions of .symtab only, for a file that holds another file's symbols.
 * *ret_has_symtab: .symtab named at least one. */
void elf_symbols_read_static(const struct elf_file *file, struct functions *functions,
			     bool *ret_has_symtab);

#endif
