/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of the running kernel and its modules, all names of all addresses, for those who
 * look one up by name; and which of them no probe may be put on.
 */
#ifndef WATCH_TARGETS_WATCH_KERNEL_H
#define WATCH_TARGETS_WATCH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "code/code_blocks.h"

struct watch_kernel;

/* Where things are read. Zeroes: the running kernel's own. */
struct watch_kernel_paths {
	const char *kallsyms;  /* /proc/kallsyms */
	const char *blacklist; /* of kprobes, in debugfs */
	const char *filter;    /* available_filter_functions, in tracefs */
};

struct watch_kernel_function {
	uint64_t address;
	uint64_t size;	       /* up to what comes next */
	uint32_t name, module; /* watch_kernel_text; module 0: the kernel proper */
	bool global;
	bool shares_name; /* with others of its module */
	bool listed;	  /* false: tracing in the kernel leaves it out (notrace) */
};

/* -EACCES: addresses are hidden from this user. */
int watch_kernel_new(const struct watch_kernel_paths *paths, struct watch_kernel **ret_kernel,
		     struct err *err);
void watch_kernel_free(struct watch_kernel *kernel); /* NULL is fine */
DEFINE_CLEANUP(struct watch_kernel *, watch_kernel_free);

/* By address. */
size_t watch_kernel_count(const struct watch_kernel *kernel);
const struct watch_kernel_function *watch_kernel_at(const struct watch_kernel *kernel,
						    size_t index);
/* Borrowed. "" for 0. */
const char *watch_kernel_text(const struct watch_kernel *kernel, uint32_t text);
/* The function that holds an address; NULL: none. */
const struct watch_kernel_function *watch_kernel_around(const struct watch_kernel *kernel,
							uint64_t address);
bool watch_kernel_has_module(const struct watch_kernel *kernel, const char *module);

/* Why no probe may be there, some words that complete "cannot be watched: ..."; NULL: nothing is
 * known against it. */
const char *watch_kernel_refusal(const struct watch_kernel *kernel,
				 const struct watch_kernel_function *function);

/* Disassembles [start, end) of the kernel's memory as it is now; opened on first use. @blocks is
 * zero-initialised; blocks are found. */
int watch_kernel_code(struct watch_kernel *kernel, uint64_t start, uint64_t end,
		      struct code_blocks *blocks, struct err *err);

#endif
