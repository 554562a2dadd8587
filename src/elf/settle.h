/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the functions of a file in order: sorts them by start, keeps the best name of aliases (and
 * worse ones only where they reach further), extends functions without a size to the next one, and
 * drops labels inside a function.
 */
#ifndef ELF_SETTLE_H
#define ELF_SETTLE_H

#include <stdint.h>

#include "elf/elf_file.h"
#include "elf/functions.h"

#define SETTLE_NONE UINT32_MAX

/* @file gives the ends of code sections. Afterwards functions that begin at one address are in
 * order, outermost first, and `outer` is the index of the nearest earlier one that ends later, or
 * SETTLE_NONE. */
void settle_functions(struct functions *functions, const struct elf_file *file);

#endif
