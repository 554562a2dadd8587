/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine code of the running kernel, as it is in memory now: with what was patched at boot and
 * since (alternatives, static keys, tracing), with modules, BPF programs and trampolines. From a
 * BPF program, which needs CAP_BPF and CAP_PERFMON only, else from /proc/kcore as root. Where
 * neither is to be had, the kernel as it was built is in an uncompressed vmlinux (-L), an ELF file
 * like others.
 */
#ifndef PLACE_KERNEL_KERNEL_TEXT_H
#define PLACE_KERNEL_KERNEL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

/* In the order they are tried. */
enum kernel_text_source {
	KERNEL_TEXT_BPF,
	KERNEL_TEXT_KCORE,
	KERNEL_TEXT_SOURCE_COUNT,
};

/* No function of the kernel is larger; more is not read at once. */
enum { KERNEL_TEXT_MAX = 1 << 20 };

struct kernel_text;

/* Opens the first source that is to be had. When there is none, a negative errno and one sentence
 * with the reason of each and what would mend it. */
int kernel_text_open(struct kernel_text **ret_text, struct err *err);
/* One source alone. */
int kernel_text_open_source(enum kernel_text_source source, struct kernel_text **ret_text,
			    struct err *err);
void kernel_text_free(struct kernel_text *text); /* NULL is fine */
DEFINE_CLEANUP(struct kernel_text *, kernel_text_free);

/* Which source is being read. */
enum kernel_text_source kernel_text_source(const struct kernel_text *text);

/* Reads @size bytes (at most KERNEL_TEXT_MAX: -EFBIG) at an address as /proc/kallsyms has it. All
 * or nothing: -EFAULT when something of it is not mapped, e.g. a module that was unloaded. */
int kernel_text_read(struct kernel_text *text, uint64_t address, void *bytes, size_t size,
		     struct err *err);

#endif
