/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names kernel code of a profile that has no names, from /proc/kallsyms or System.map of the
 * machine that was recorded. */
#ifndef PLACE_KERNEL_KERNEL_NAMES_H
#define PLACE_KERNEL_KERNEL_NAMES_H

#include "base/err.h"
#include "model/profile.h"

/*
 * Names each frame in the kernel proper that has no name, by its offset from _text, regardless of
 * where the kernel was loaded. Nothing proves that the file is of that kernel: the caller must
 * know. Modules are left alone, because the start of their code is not recorded. -EINVAL if the
 * file has no _text (or its addresses are hidden: all 0), and errors of kallsyms_read; then nothing
 * changed.
 */
int kernel_names_add(struct profile *profile, const char *path, struct err *err);

#endif
