/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An uncompressed kernel image with symbols (-L): names with sizes for the kernel proper. */
#ifndef PLACE_KERNEL_VMLINUX_H
#define PLACE_KERNEL_VMLINUX_H

#include "base/err.h"
#include "elf/elf_file.h"
#include "model/profile.h"
#include "place/kernel/kernel_core.h"

/* Replaces @core's functions by the file's symbols. Refused (-EINVAL) unless its build id is
 * @running, that of the running kernel. 0 or a negative errno. */
int vmlinux_use(struct kernel_core *core, const char *path, const struct elf_build_id *running,
		struct err *err);

/* Opens the file to read the code of a recorded kernel, @image of the profile. *ret_fd is the
 * caller's; add *ret_shift to an offset in the image to get the file's ELF address. Refused
 * (-EINVAL) unless it has the image's build id and a sampled function that shows where offsets
 * count from. */
int vmlinux_open(const char *path, const struct profile *profile, uint32_t image, int *ret_fd,
		 uint64_t *ret_shift, struct err *err);

#endif
