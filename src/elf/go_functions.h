/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a Go program from its runtime's table, which has names even without a symbol
 * table. */
#ifndef ELF_GO_FUNCTIONS_H
#define ELF_GO_FUNCTIONS_H

#include <stdbool.h>

#include "elf/elf_file.h"
#include "elf/functions.h"

/* Adds the functions; the file's sections must have been read. False: no table, no functions, or an
 * unknown layout. *ret_all: the functions cover all code except the startup code of the C library.
 * C code that is linked in (cgo) has no names in this table. */
bool go_functions_read(const struct elf_file *file, struct functions *functions, bool *ret_all);

#endif
