/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of the running kernel and its modules, with all names of each address, for lookups
 * by name; and which of them cannot be probed.
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

struct watch_kernel_function {
	uint64_t address;
	uint64_t size;	       /* up to the next symbol */
	uint32_t name, module; /* watch_kernel_text; module 0: the kernel proper */
	bool global;
	bool shares_name; /* with other functions of its module */
	bool listed;	  /* false: excluded from tracing (notrace) */
};

/* -EACCES: addresses are hidden from this user. */
int watch_kernel_new(struct watch_kernel **ret_kernel, struct err *err);
void watch_kernel_free(struct watch_kernel *kernel); /* NULL is fine */
DEFINE_CLEANUP(struct watch_kernel *, watch_kernel_free);

/* Sorted by address. */
size_t watch_kernel_count(const struct watch_kernel *kernel);
const struct watch_kernel_function *watch_kernel_at(const struct watch_kernel *kernel,
						    size_t index);
/* Borrowed. "" for 0. */
const char *watch_kernel_text(const struct watch_kernel *kernel, uint32_t text);
/* The function that contains an address; NULL: none. */
const struct watch_kernel_function *watch_kernel_around(const struct watch_kernel *kernel,
							uint64_t address);
bool watch_kernel_has_module(const struct watch_kernel *kernel, const char *module);

/* Why the function cannot be probed, in words that complete "cannot be watched: ..."; NULL: no
 * reason is known. */
const char *watch_kernel_refusal(const struct watch_kernel *kernel,
				 const struct watch_kernel_function *function);

/* Disassembles [start, end) of the current kernel memory, opened on first use, and finds the basic
 * blocks. @blocks is zero-initialised. */
int watch_kernel_code(struct watch_kernel *kernel, uint64_t start, uint64_t end,
		      struct code_blocks *blocks, struct err *err);

#endif
