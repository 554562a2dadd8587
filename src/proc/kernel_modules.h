/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel and its modules: addresses from /proc/modules, build ids from the notes in /sys. */
#ifndef PROC_KERNEL_MODULES_H
#define PROC_KERNEL_MODULES_H

#include <stdint.h>

#include "base/vec.h"
#include "elf/elf_file.h"

struct kernel_module {
	char name[64];
	uint64_t base; /* of its code */
	uint64_t size; /* since 6.4 including its data, which is elsewhere */
};

struct kernel_modules {
	VEC(struct kernel_module) list; /* ascending by base */
};

/* Reads /proc/modules or a file of that format. A missing file gives an empty list (a kernel
 * without modules). Leaves out modules with a hidden (zero) address. 0 or a negative errno. */
int kernel_modules_read(const char *path, struct kernel_modules *ret_modules);
void kernel_modules_done(struct kernel_modules *modules);

/* The build id of the kernel (@module NULL) or of a module, from @sys ("/sys") /kernel/notes or
 * /module/NAME/notes/.note.gnu.build-id. Size 0: unknown. */
void kernel_modules_build_id(const char *sys, const char *module, struct elf_build_id *ret_id);
/* The same, from the bytes of ELF notes. */
void kernel_modules_parse_notes(const void *bytes, size_t size, struct elf_build_id *ret_id);
/* The address of a module's .text section; 0 if unknown or readable only by root. */
uint64_t kernel_modules_text(const char *sys, const char *module);

#endif
