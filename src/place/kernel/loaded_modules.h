/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modules that are in the kernel now (or were, in a recording), each with its image, whose
 * names come from /proc/kallsyms. Private to kernel_symbols.c.
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
	uint64_t text; /* offsets in the image are from here; <= every function's address */
	uint32_t image;
	bool nameless; /* its functions are still to be read */
};

/* The first three are set by the owner, the rest is zero. */
struct loaded_modules {
	struct kernel_images *images;	/* borrowed */
	const char *path;		/* of /proc/modules; borrowed */
	const char *sys;		/* of /sys; borrowed */
	VEC(struct loaded_module) list; /* those of /proc/modules ascending by base */
	/* Of the last line, for those of a module come together: */
	const struct loaded_module *entered;
	struct kernel_table *table;
};

/* Brings the list up to date with /proc/modules. True when it changed. */
bool loaded_modules_update(struct loaded_modules *modules);
/* One that was told of by a recording. Its names are wanted only with @nameless. False: it is there
 * already. */
bool loaded_modules_insert(struct loaded_modules *modules, const struct kernel_module *module,
			   const struct elf_build_id *build_id, bool nameless);
/* The same module at the same place; NULL: none. Borrowed until the list changes. */
const struct loaded_module *loaded_modules_find(const struct loaded_modules *modules,
						const struct kernel_module *module);
/* Where it lies. */
struct mapping loaded_modules_mapping(const struct loaded_module *module);

/* Does any of them lack its names? Then every line of kallsyms is to be added, and after the last
 * they are settled; if there were none, the module stays without. */
bool loaded_modules_want_names(const struct loaded_modules *modules);
void loaded_modules_add(struct loaded_modules *modules, const struct kallsyms_line *line);
void loaded_modules_settle(struct loaded_modules *modules);

/* Frees the list; what it borrows stays. */
void loaded_modules_done(struct loaded_modules *modules);

#endif
