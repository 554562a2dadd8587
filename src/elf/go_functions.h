/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a Go program by the table of its run time, which has names also where there is
 * no symbol table. */
#ifndef ELF_GO_FUNCTIONS_H
#define ELF_GO_FUNCTIONS_H

#include <stdbool.h>

#include "elf/elf_file.h"
#include "elf/functions.h"

/* Adds the functions; the file's sections have been read. False: there are none, or the table is
 * none of a layout that is known. *ret_all: they are all the code there is, but for what every C
 * library starts programs with; what C code was linked to them (cgo) has no names there. */
bool go_functions_read(const struct elf_file *file, struct functions *functions, bool *ret_all);

#endif
