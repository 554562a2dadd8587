/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel tells of itself and its modules: /proc/modules and the notes in /sys. */
#ifndef PROC_KERNEL_MODULES_H
#define PROC_KERNEL_MODULES_H

#include <stdint.h>

#include "base/vec.h"
#include "elf/elf_file.h"

struct kernel_module {
	char name[64];
	uint64_t base; /* of its code */
	uint64_t size; /* since 6.4 that of its data as well, which lies elsewhere */
};

struct kernel_modules {
	VEC(struct kernel_module) list; /* ascending by base */
};

/* Reads /proc/modules or a file like it; one that is not there is an empty list (a kernel without
 * modules). Modules with a hidden (zero) address are left out. 0 or a negative errno. */
int kernel_modules_read(const char *path, struct kernel_modules *ret_modules);
void kernel_modules_done(struct kernel_modules *modules);

/* The build id of the kernel (@module NULL) or of a module, from @sys ("/sys") /kernel/notes or
 * /module/NAME/notes/.note.gnu.build-id; size 0: not known. */
void kernel_modules_build_id(const char *sys, const char *module, struct elf_build_id *ret_id);
/* The same from the bytes of ELF notes. */
void kernel_modules_parse_notes(const void *bytes, size_t size, struct elf_build_id *ret_id);
/* Where the section .text of a module lies; 0: not known, or only for root. */
uint64_t kernel_modules_text(const char *sys, const char *module);

#endif
