/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions out of .symtab and .dynsym. */
#ifndef ELF_ELF_SYMBOLS_H
#define ELF_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_file.h"
#include "elf/elf_symbol.h"
#include "elf/functions.h"

/* Adds the functions of every symbol table of the file; its sections have been read.
 * *ret_has_symtab tells whether .symtab named any. A table that is damaged is left out. */
void elf_symbols_read(const struct elf_file *file, struct functions *functions,
		      bool *ret_has_symtab);

/* Adds the functions of .symtab alone: of a file that has the symbols of another one, which
 * *ret_has_symtab tells. */
void elf_symbols_read_static(const struct elf_file *file, struct functions *functions,
			     bool *ret_has_symtab);

#endif
