/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's current address space: the kernel proper, modules, BPF programs and trampolines,
 * with their symbols. Sources: /proc/kallsyms and /proc/modules (proc(5)), PERF_RECORD_KSYMBOL, and
 * on request a System.map or an uncompressed vmlinux.
 *
 * An address is first placed into the image that is there at that moment (modules come and go,
 * addresses are reused) and stored as (image, offset). Names are looked up from that pair.
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

/* A recorded kernel, maybe of another machine or another boot. */
struct kernel_recorded {
	enum kernel_bound bound; /* the symbol whose address is known */
	uint64_t address;	 /* 0: hidden */
	uint64_t size;		 /* upper limit of its code's size, from there */
	struct elf_build_id build_id;
};

struct kernel_symbols_options {
	/* NULL: the running kernel. Else names come from kallsyms and vmlinux, also if those are of
	 * another boot. The caller must choose them with care: kallsyms is taken for the recorded
	 * kernel's own. modules and sys are not read then: see kernel_symbols_add_module. */
	const struct kernel_recorded *recorded;
	const char *kallsyms;	/* NULL: /proc/kallsyms */
	const char *modules;	/* NULL: /proc/modules */
	const char *sys;	/* NULL: /sys */
	const char *system_map; /* -K; NULL: none. Refused (-EINVAL) unless it matches kallsyms */
	const char *vmlinux;	/* -L; NULL: none. Refused unless it has the running kernel's build
				   id; preferred to -K */
};

/* @profile gets images and is borrowed; @options is not needed afterwards. If kernel addresses are
 * hidden, -L and -K are refused, because they cannot be checked. Otherwise hidden addresses (all
 * zero) are not an error: every address is then placed into "[kernel]" with state HIDDEN and named
 * "[kernel]". */
int kernel_symbols_new(struct profile *profile, const struct kernel_symbols_options *options,
		       struct kernel_symbols **ret_symbols, struct err *err);
void kernel_symbols_free(struct kernel_symbols *symbols);

/* Of a recorded kernel: true if its names come from the recorded boot. */
bool kernel_symbols_same_boot(const struct kernel_symbols *symbols);
bool kernel_symbols_hidden(const struct kernel_symbols *symbols);

/* Places an address: image id, and offset from _text (kernel) or from the module's .text. JIT code
 * (image "[bpf]": BPF programs and trampolines; "[ftrace]", "[kprobes]") has no file, and its
 * addresses are reused. So each piece gets its own range of offsets in its image, and the same
 * piece (name and size) gets the same range again. Addresses in no image go to the bucket "[kernel
 * unmapped]" with the raw address. */
void kernel_symbols_place(struct kernel_symbols *symbols, uint64_t address, uint32_t *ret_image,
			  uint64_t *ret_offset);

/* The current address of code in an image, the inverse of kernel_symbols_place. False: not an image
 * of the kernel, or unloaded. */
bool kernel_symbols_address(const struct kernel_symbols *symbols, uint32_t image, uint64_t offset,
			    uint64_t *ret_address);
/* True if the code of the image is in memory at this moment, where kernel_symbols_address says: of the
 * kernel proper always, of a module if /proc/modules and its build id still say so. What changed is
 * known only later, in order of time, and a module may have taken the place of another by now. False
 * for JIT code, whose memory is used again. */
bool kernel_symbols_in_memory(const struct kernel_symbols *symbols, uint32_t image);
/* The offset of the first function in an image with exactly this name and size. For JIT code, whose
 * offsets differ between recordings. */
bool kernel_symbols_find(const struct kernel_symbols *symbols, uint32_t image, const char *name,
			 uint64_t size, uint64_t *ret_offset);

/* The symbol of a place. Always gives a name: a symbol, "a->b" between neighbours, or the image's
 * own. The name is interned in the profile; start is relative, as the offset is. */
void kernel_symbols_lookup(struct kernel_symbols *symbols, uint32_t image, uint64_t offset,
			   struct symbol *ret_symbol);

/* The mark of an exact address. */
enum kernel_mark kernel_symbols_mark(const struct kernel_symbols *symbols, uint64_t address);

/* The context of a stack, given innermost address first. kernel_marks.c explains the rule. */
enum context kernel_symbols_context(const struct kernel_symbols *symbols, const uint64_t *addresses,
				    size_t count);
/* True if the idle task waits in this stack, whose context is CONTEXT_TASK. */
bool kernel_symbols_waits(const struct kernel_symbols *symbols, const uint64_t *addresses,
			  size_t count);

/* Of a recorded kernel: adds a module, by its name without brackets, loaded at @start. */
void kernel_symbols_add_module(struct kernel_symbols *symbols, const char *name, uint64_t start,
			       uint64_t size, const struct elf_build_id *build_id);
/* To be called after all modules were added: names them if the kernel's names come from its own
 * boot. */
void kernel_symbols_name_modules(struct kernel_symbols *symbols);

/* PERF_RECORD_KSYMBOL: a BPF program, trampoline or out-of-line code appeared or was removed. A
 * piece without a size counts as one byte. */
void kernel_symbols_code_added(struct kernel_symbols *symbols, uint64_t start, uint64_t size,
			       const char *name);
void kernel_symbols_code_removed(struct kernel_symbols *symbols, uint64_t start, uint64_t size);

/* Reads /proc/modules and the symbols of new modules. To be called when a module came or went
 * (module tracepoints), or at each flush if those are not available. A removed module keeps its
 * image and its names. */
void kernel_symbols_modules_changed(struct kernel_symbols *symbols);
/* The same if modules went and others came, in an unknown order relative to the samples still to be
 * placed. Until kernel_symbols_modules_settled, addresses are placed so:
 *   only in a removed module: into that module
 *   only in a new module: into that one
 *   in both: into the bucket "[module replaced]"
 * With @more_than_one of a kind, all addresses of removed modules go to the bucket, since there may
 * have been others. */
void kernel_symbols_modules_replaced(struct kernel_symbols *symbols, bool more_than_one);
void kernel_symbols_modules_settled(struct kernel_symbols *symbols);

#endif
