/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a Go program by the table its run time walks stacks with (.gopclntab): it is
 * there also when the program was linked without symbol tables (-ldflags=-s), as most are that are
 * shipped. The layouts of Go 1.2, 1.16, 1.18 and 1.20 (go:src/debug/gosym/pclntab.go,
 * go:src/internal/abi/symtab.go).
 */
#ifndef RESOLVE_GO_FUNCTIONS_H
#define RESOLVE_GO_FUNCTIONS_H

#include <stdbool.h>

#include "elf/elf_file.h"
#include "resolve/functions.h"

enum { GO_FUNCTIONS_MAX = 1 << 23 };

/* Adds the functions; the file's sections have been read. False: there are none, or the table is
 * none of a layout that is known. */
bool go_functions_read(const struct elf_file *file, struct functions *functions);

#endif
