/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's address space as it is now: the kernel proper, modules, BPF programs and
 * trampolines, with their symbols. Sources: /proc/kallsyms and /proc/modules (proc(5)),
 * PERF_RECORD_KSYMBOL, and on request a System.map or an uncompressed vmlinux.
 *
 * An address is first placed into an image as of that moment (modules come and go, addresses are
 * reused) and stored as (image, offset); the name is looked up from that.
 */
#ifndef RESOLVE_KERNEL_SYMBOLS_H
#define RESOLVE_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/profile.h"

struct kernel_symbols;

/* Kernel routines that tell in which context a stack runs. */
enum kernel_mark {
	KERNEL_MARK_NONE,
	KERNEL_MARK_IDLE, /* the idle routine itself: default_idle, intel_idle, acpi_idle_enter ...
			   */
	KERNEL_MARK_SOFTIRQ, /* __do_softirq, handle_softirqs ... */
	KERNEL_MARK_HARDIRQ, /* interrupt entries and dispatchers, not exceptions or system calls */
	KERNEL_MARK_TASK,    /* work done for the task on the way out of an interrupt: irqentry_exit
				... */
};

struct kernel_symbols_options {
	const char *kallsyms;	/* NULL: /proc/kallsyms */
	const char *modules;	/* NULL: /proc/modules */
	const char *system_map; /* -K: NULL none. Refused (-EINVAL) unless it matches kallsyms */
	const char
		*vmlinux; /* -L: NULL none. Refused unless its build id is the running kernel's */
};

/* @profile receives images and is borrowed. Hidden kernel addresses (all zero) are not an error:
 * every address is then placed into "[kernel]" with state HIDDEN and named "[kernel]". */
int kernel_symbols_new(struct profile *profile, const struct kernel_symbols_options *options,
		       struct kernel_symbols **ret_symbols, struct err *err);
void kernel_symbols_free(struct kernel_symbols *symbols);

bool kernel_symbols_hidden(const struct kernel_symbols *symbols);

/* Places an address: image id, and offset from _text (kernel), from the module's base, or from the
 * start of the BPF program or trampoline. Addresses of the kernel half that nothing covers go to
 * the bucket "[kernel unmapped]" with the raw address. */
void kernel_symbols_place(struct kernel_symbols *symbols, uint64_t address, uint32_t *ret_image,
			  uint64_t *ret_offset);

/* The symbol of a place. Always gives a name: a symbol, "a->b" between neighbours, or the image's
 * own. The result's name is interned in the profile, start is relative as the offset is. */
void kernel_symbols_lookup(struct kernel_symbols *symbols, uint32_t image, uint64_t offset,
			   struct symbol *ret_symbol);

enum kernel_mark kernel_symbols_mark(const struct kernel_symbols *symbols, uint64_t address);

/* A stack, innermost address first: where it runs. See design in kernel_symbols.c. */
enum context kernel_symbols_context(const struct kernel_symbols *symbols, const uint64_t *addresses,
				    size_t count);

/* PERF_RECORD_KSYMBOL: a BPF program, trampoline or out-of-line code appeared or went. */
void kernel_symbols_code_added(struct kernel_symbols *symbols, uint64_t start, uint64_t size,
			       const char *name);
void kernel_symbols_code_removed(struct kernel_symbols *symbols, uint64_t start, uint64_t size);

/* A module came or went (the module tracepoints), or at each flush where those are not to be had:
 * reads /proc/modules and the symbols of new ones. What is gone keeps its image and its names. */
void kernel_symbols_modules_changed(struct kernel_symbols *symbols);

#endif
