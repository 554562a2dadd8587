/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of the kernel proper and the extent of its code, as offsets from _text. Offsets do
 * not depend on where the kernel was placed at boot (KASLR). Read from /proc/kallsyms, a System.map
 * (-K), or an uncompressed vmlinux with symbols (-L).
 */
#ifndef PLACE_KERNEL_KERNEL_CORE_H
#define PLACE_KERNEL_KERNEL_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/elf_file.h"
#include "model/profile.h"
#include "place/kernel/kallsyms.h"
#include "place/kernel/kernel_table.h"

enum kernel_bound {
	KERNEL_BOUND_TEXT,
	KERNEL_BOUND_STEXT,
	KERNEL_BOUND_ETEXT,
	KERNEL_BOUND_SINITTEXT,
	KERNEL_BOUND_EINITTEXT,
	KERNEL_BOUND_COUNT
};

/* Zero-initialised is empty. */
struct kernel_core {
	uint64_t text; /* the address of _text; 0 after kernel_core_finish: addresses are hidden */
	enum kernel_bound origin;	   /* KERNEL_BOUND_STEXT if _text is not listed (arm64) */
	struct kernel_table table;	   /* not settled */
	struct kernel_segment segments[2]; /* permanent code, and init code freed after boot */
	size_t segment_count;
	bool full; /* the table has no room for some names */
	/* while lines are added */
	uint64_t bounds[KERNEL_BOUND_COUNT];
	uint64_t first; /* table.list's offsets count from here */
};

/* Takes a line; ignores modules, data and hidden addresses. */
void kernel_core_add(struct kernel_core *core, const struct kallsyms_line *line);
/* After the last line. @origin: the bound that offsets count from; KERNEL_BOUND_COUNT: _text, else
 * _stext. */
void kernel_core_finish(struct kernel_core *core, enum kernel_bound origin);
/* To be called after kernel_core_finish. Moves the core so that @bound is at @address: the same
 * kernel in another boot. Without any symbols the core is @size bytes long from there. */
void kernel_core_move(struct kernel_core *core, enum kernel_bound bound, uint64_t address,
		      uint64_t size);
void kernel_core_done(struct kernel_core *core);

/* Replaces @core's functions by those of the System.map at @path. Refused (-EINVAL) unless the map
 * has each of them under the same name at the same distance from _text. */
int kernel_core_use_map(struct kernel_core *core, const char *path, struct err *err);
/* Replaces @core's functions by the symbols of the vmlinux at @path, which have sizes. Refused
 * (-EINVAL) unless its build id is @running, that of the running kernel. 0 or a negative errno. */
int kernel_core_use_vmlinux(struct kernel_core *core, const char *path,
			    const struct elf_build_id *running, struct err *err);

/* Opens a vmlinux to read the code of a recorded kernel, @image of the profile. *ret_fd is the
 * caller's; add *ret_shift to an offset in the image to get the file's ELF address. Refused
 * (-EINVAL) unless it has the image's build id and a sampled function that shows where offsets
 * count from. */
int kernel_core_open_vmlinux(const char *path, const struct profile *profile, uint32_t image,
			     int *ret_fd, uint64_t *ret_shift, struct err *err);

/*
 * Names each frame of the profile in the kernel proper that has no name, by its offset from _text,
 * regardless of where the kernel was loaded. @path is /proc/kallsyms or System.map of the machine
 * that was recorded. Nothing proves that the file is of that kernel: the caller must know. Modules
 * are left alone, because the start of their code is not recorded. -EINVAL if the file has no _text
 * (or its addresses are hidden: all 0), and errors of kallsyms_read; then nothing changed.
 */
int kernel_core_name_frames(struct profile *profile, const char *path, struct err *err);

#endif
