/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for kernel code of a profile that has none: from the /proc/kallsyms or System.map of the
 * machine it was recorded on. */
#ifndef PLACE_KERNEL_KERNEL_NAMES_H
#define PLACE_KERNEL_KERNEL_NAMES_H

#include "base/err.h"
#include "model/profile.h"

/*
 * Gives each frame in the kernel proper that has no name the function of the file it is in, counted
 * from _text, wherever the kernel lay. Whether the file is of that kernel nobody can tell: it is
 * believed. Modules are left alone, for where their code began is not told. -EINVAL when the file
 * has no _text (or its addresses are hidden: all 0), errors of kallsyms_read; then nothing changed.
 */
int kernel_names_add(struct profile *profile, const char *path, struct err *err);

#endif
