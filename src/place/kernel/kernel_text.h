/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine code of the running kernel as it is in memory: patched at boot and later
 * (alternatives, static keys, tracing), with modules, BPF programs and trampolines. Read by a BPF
 * program, which needs only CAP_BPF and CAP_PERFMON, or from /proc/kcore as root. Without both, an
 * uncompressed vmlinux (-L) has the kernel as built; it is read like any ELF file.
 */
#ifndef PLACE_KERNEL_KERNEL_TEXT_H
#define PLACE_KERNEL_KERNEL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

/* Limit for one read; no function of the kernel is larger. */
enum { KERNEL_TEXT_MAX = 1 << 20 };

struct kernel_text;

/* Opens the first available source. If there is none: a negative errno, and one sentence with each
 * source's reason and how to fix it. */
int kernel_text_open(struct kernel_text **ret_text, struct err *err);
/* Opens one source only: loads the program, which takes some milliseconds (no permission, or a
 * kernel that is locked down or too old), or reads the headers of a core file of this machine's
 * word size and byte order. -ENOENT: this kernel has none; -EACCES, -EPERM: not permitted;
 * -ENOEXEC: not such a file. */
int kernel_text_open_bpf(struct kernel_text **ret_text, struct err *err);
int kernel_text_open_kcore(const char *path, struct kernel_text **ret_text, struct err *err);
void kernel_text_free(struct kernel_text *text); /* NULL is fine */
DEFINE_CLEANUP(struct kernel_text *, kernel_text_free);

/* Reads @size bytes (at most KERNEL_TEXT_MAX, else -EFBIG) at an address as in /proc/kallsyms. All
 * or nothing: -EFAULT if a part is not mapped, e.g. a module that was unloaded, or not in one
 * segment of the core file. */
int kernel_text_read(struct kernel_text *text, uint64_t address, void *bytes, size_t size,
		     struct err *err);

#endif
