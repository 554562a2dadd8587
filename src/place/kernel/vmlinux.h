/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An uncompressed kernel image with symbols (-L): names with sizes for the kernel proper. */
#ifndef PLACE_KERNEL_VMLINUX_H
#define PLACE_KERNEL_VMLINUX_H

#include "base/err.h"
#include "elf/elf_file.h"
#include "model/profile.h"
#include "place/kernel/kernel_core.h"

/* Reads the symbols of the file in place of @core's functions. Refused (-EINVAL) unless its build
 * id is @running, that of the running kernel. 0 or a negative errno. */
int vmlinux_use(struct kernel_core *core, const char *path, const struct elf_build_id *running,
		struct err *err);

/* Opens the file for reading the code of a kernel that was recorded, @image of the profile. *ret_fd
 * is the caller's, *ret_shift what has to be added to an offset in the image to get the file's ELF
 * address. Refused (-EINVAL) unless its build id is the image's and one of the functions that were
 * hit tells where the offsets count from. */
int vmlinux_open(const char *path, const struct profile *profile, uint32_t image, int *ret_fd,
		 uint64_t *ret_shift, struct err *err);

#endif
