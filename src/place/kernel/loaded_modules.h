/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modules loaded now (or then, in a recording), each with its image. Their names come from
 * /proc/kallsyms. Private to kernel_symbols.c.
 */
#ifndef PLACE_KERNEL_LOADED_MODULES_H
#define PLACE_KERNEL_LOADED_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/elf_file.h"
#include "model/address_space.h"
#include "place/kernel/kallsyms.h"
#include "place/kernel/kernel_images.h"
#include "proc/kernel_modules.h"

struct loaded_module {
	struct kernel_module module;
	uint64_t text; /* offsets in the image count from here; <= every function's address */
	uint32_t image;
	bool nameless; /* its functions are not read yet */
};

/* The owner sets the first three; the rest starts as zero. */
struct loaded_modules {
	struct kernel_images *images;	/* borrowed */
	const char *path;		/* of /proc/modules; borrowed */
	const char *sys;		/* of /sys; borrowed */
	VEC(struct loaded_module) list; /* those from /proc/modules are ascending by base */
	/* Of the last line added, since the lines of a module are adjacent: */
	const struct loaded_module *entered;
	struct kernel_table *table;
};

/* Updates the list from /proc/modules. True: it changed. */
bool loaded_modules_update(struct loaded_modules *modules);
/* Inserts a module of a recording. @nameless: its names are wanted. False: it is already there. */
bool loaded_modules_insert(struct loaded_modules *modules, const struct kernel_module *module,
			   const struct elf_build_id *build_id, bool nameless);
/* The same module at the same place; NULL: none. Borrowed until the list changes. */
const struct loaded_module *loaded_modules_find(const struct loaded_modules *modules,
						const struct kernel_module *module);
/* The addresses of a module. */
struct mapping loaded_modules_mapping(const struct loaded_module *module);

/* True if any module lacks its names. Then call loaded_modules_add for every line of kallsyms, and
 * loaded_modules_settle after the last. A module without lines stays without names. */
bool loaded_modules_want_names(const struct loaded_modules *modules);
void loaded_modules_add(struct loaded_modules *modules, const struct kallsyms_line *line);
void loaded_modules_settle(struct loaded_modules *modules);

/* Frees the list, not what it borrows. */
void loaded_modules_done(struct loaded_modules *modules);

#endif
