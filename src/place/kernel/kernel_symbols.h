/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's address space as it is now: the kernel proper, modules, BPF programs and
 * trampolines, with their symbols. Sources: /proc/kallsyms and /proc/modules (proc(5)),
 * PERF_RECORD_KSYMBOL, and on request a System.map or an uncompressed vmlinux.
 *
 * An address is first placed into an image as of that moment (modules come and go, addresses are
 * reused) and stored as (image, offset); the name is looked up from that.
 */
#ifndef PLACE_KERNEL_KERNEL_SYMBOLS_H
#define PLACE_KERNEL_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/elf_file.h"
#include "model/profile.h"
#include "place/kernel/kernel_core.h"
#include "place/kernel/kernel_marks.h"

struct kernel_symbols;

/* A kernel that was recorded, maybe on another machine or in another boot. */
struct kernel_recorded {
	enum kernel_bound bound; /* the symbol of which the address is known */
	uint64_t address;	 /* 0: hidden */
	uint64_t size;		 /* of its code at most, from there */
	struct elf_build_id build_id;
};

struct kernel_symbols_options {
	/* NULL: the kernel that runs now. Else kallsyms, vmlinux tell its names, wherever they were
	 * in another boot (to be chosen with care: kallsyms are taken for its own), and modules and
	 * sys are not looked at: see kernel_symbols_add_module. */
	const struct kernel_recorded *recorded;
	const char *kallsyms;	/* NULL: /proc/kallsyms */
	const char *modules;	/* NULL: /proc/modules */
	const char *sys;	/* NULL: /sys */
	const char *system_map; /* -K: NULL none. Refused (-EINVAL) unless it matches kallsyms */
	const char *vmlinux;	/* -L: NULL none. Refused unless its build id is the running
				   kernel's; goes before -K */
};

/* @profile receives images and is borrowed; @options is not needed afterwards. -L and -K are
 * refused when kernel addresses are hidden, for then they cannot be checked. Otherwise hidden
 * addresses (all zero) are not an error: every address is then placed into "[kernel]" with state
 * HIDDEN and named "[kernel]". */
int kernel_symbols_new(struct profile *profile, const struct kernel_symbols_options *options,
		       struct kernel_symbols **ret_symbols, struct err *err);
void kernel_symbols_free(struct kernel_symbols *symbols);

/* Of a recorded kernel: do its names come from the very boot that was recorded? */
bool kernel_symbols_same_boot(const struct kernel_symbols *symbols);
bool kernel_symbols_hidden(const struct kernel_symbols *symbols);

/* Places an address: image id, and offset from _text (kernel) or from the module's .text. Code that
 * the kernel made at run time (image "[bpf]": BPF programs and trampolines; "[ftrace]",
 * "[kprobes]") has no file, and its addresses are used again: each piece gets a range of offsets of
 * its own in its image, the same one when the same piece (name and size) comes again. Addresses
 * that nothing covers go to the bucket "[kernel unmapped]" with the raw address. */
void kernel_symbols_place(struct kernel_symbols *symbols, uint64_t address, uint32_t *ret_image,
			  uint64_t *ret_offset);

/* The address that code of an image has now, the inverse of kernel_symbols_place. False: the image
 * is none of the kernel's, or was unloaded. */
bool kernel_symbols_address(const struct kernel_symbols *symbols, uint32_t image, uint64_t offset,
			    uint64_t *ret_address);
/* Where in an image a function of exactly this name and size begins, the first if there are
 * several. For code that was made at run time: its offsets are not those of another recording. */
bool kernel_symbols_find(const struct kernel_symbols *symbols, uint32_t image, const char *name,
			 uint64_t size, uint64_t *ret_offset);

/* The symbol of a place. Always gives a name: a symbol, "a->b" between neighbours, or the image's
 * own. The result's name is interned in the profile, start is relative as the offset is. */
void kernel_symbols_lookup(struct kernel_symbols *symbols, uint32_t image, uint64_t offset,
			   struct symbol *ret_symbol);

/* The mark of an exact address. Whether an idle processor waits is a matter of the innermost one.
 */
enum kernel_mark kernel_symbols_mark(const struct kernel_symbols *symbols, uint64_t address);

/* A stack, innermost address first: where it runs. The rule is explained in kernel_marks.c. */
enum context kernel_symbols_context(const struct kernel_symbols *symbols, const uint64_t *addresses,
				    size_t count);

/* Of a recorded kernel: a module, by its name without brackets, lay from @start on. */
void kernel_symbols_add_module(struct kernel_symbols *symbols, const char *name, uint64_t start,
			       uint64_t size, const struct elf_build_id *build_id);
/* When all of them are known: they have names if the kernel's come from its own boot. */
void kernel_symbols_name_modules(struct kernel_symbols *symbols);

/* PERF_RECORD_KSYMBOL: a BPF program, trampoline or out-of-line code appeared or went. What has no
 * size is one instruction long at least. */
void kernel_symbols_code_added(struct kernel_symbols *symbols, uint64_t start, uint64_t size,
			       const char *name);
void kernel_symbols_code_removed(struct kernel_symbols *symbols, uint64_t start, uint64_t size);

/* A module came or went (the module tracepoints), or at each flush where those are not to be had:
 * reads /proc/modules and the symbols of new ones. What is gone keeps its image and its names. */
void kernel_symbols_modules_changed(struct kernel_symbols *symbols);
/* The same when modules went and others came, and it is not known in which order against the
 * samples that are still to be placed: until kernel_symbols_modules_settled, what belonged to one
 * that is gone is placed there, what belongs to a new one there, and what to both into the bucket
 * "[module replaced]". With
 * @more_than_one of a kind everything that is gone goes to the bucket, for there may have been
 * others. */
void kernel_symbols_modules_replaced(struct kernel_symbols *symbols, bool more_than_one);
void kernel_symbols_modules_settled(struct kernel_symbols *symbols);

#endif
