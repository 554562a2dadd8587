/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An uncompressed kernel image with symbols (-L): names with sizes for the kernel proper. */
#ifndef RESOLVE_VMLINUX_H
#define RESOLVE_VMLINUX_H

#include "base/err.h"
#include "resolve/elf_file.h"
#include "resolve/kernel_core.h"

/* Reads the symbols of the file in place of @core's functions. Refused (-EINVAL) unless its build
 * id is @running, that of the running kernel. 0 or a negative errno. */
int vmlinux_use(struct kernel_core *core, const char *path, const struct elf_build_id *running,
		struct err *err);

#endif
