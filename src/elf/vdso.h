/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's shared object, vdso(7). No file holds it, but every 64-bit process has the same one,
 * prospect too.
 */
#ifndef ELF_VDSO_H
#define ELF_VDSO_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Copies prospect's own vdso. The caller frees *ret_bytes. -ENOENT: this process has none. */
int vdso_copy(uint8_t **ret_bytes, size_t *ret_size, struct err *err);

#endif
