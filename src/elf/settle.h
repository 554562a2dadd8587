/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the functions of a file in order: sorted by start; of aliases only the best name, and worse
 * ones only where they reach further; functions without a size reach to the next one; labels inside
 * a function are dropped.
 */
#ifndef ELF_SETTLE_H
#define ELF_SETTLE_H

#include <stdint.h>

#include "elf/elf_file.h"
#include "elf/functions.h"

#define SETTLE_NONE UINT32_MAX

/* @file tells where the sections of code end. Afterwards functions that begin at one address are
 * outermost first, and `outer` is the index of the nearest one before that ends later, or
 * SETTLE_NONE. */
void settle_functions(struct functions *functions, const struct elf_file *file);

#endif
