/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/kcore: the kernel's memory as an ELF core file (proc(5)), whose PT_LOAD segments have the
 * addresses the kernel runs at. Needs root, and not every kernel has it.
 */
#ifndef PLACE_KERNEL_KCORE_H
#define PLACE_KERNEL_KCORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct kcore;

/* Reads the headers of a core file of this machine's word size and byte order. Negative errno with
 * a reason: -ENOENT: this kernel has none; -EACCES, -EPERM: not permitted; -ENOEXEC: not such a
 * file. */
int kcore_open(const char *path, struct kcore **ret_kcore, struct err *err);
void kcore_free(struct kcore *kcore); /* NULL is fine */
DEFINE_CLEANUP(struct kcore *, kcore_free);

/* Reads @size bytes, all or nothing. -EFAULT: not all in one segment, or not in the file. */
int kcore_read(const struct kcore *kcore, uint64_t address, void *bytes, size_t size);

#endif
