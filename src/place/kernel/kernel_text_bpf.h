/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads kernel memory with our own BPF program (bpf/kernel_text.bpf.c). The program is attached to
 * nothing and runs only for a read.
 */
#ifndef PLACE_KERNEL_KERNEL_TEXT_BPF_H
#define PLACE_KERNEL_KERNEL_TEXT_BPF_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct kernel_text_bpf_reader;

/* Loads the program, which takes some milliseconds. Negative errno with the reason: no permission,
 * or a kernel that is locked down or too old. */
int kernel_text_bpf_new(struct kernel_text_bpf_reader **ret_reader, struct err *err);
void kernel_text_bpf_free(struct kernel_text_bpf_reader *reader); /* NULL is fine */
DEFINE_CLEANUP(struct kernel_text_bpf_reader *, kernel_text_bpf_free);

/* Reads @size bytes at a kernel address, all or nothing. -EFAULT: not all of it is mapped. */
int kernel_text_bpf_read(struct kernel_text_bpf_reader *reader, uint64_t address, void *bytes,
			 size_t size);

/* The program's descriptor, borrowed: for bpf(2) queries. */
int kernel_text_bpf_fd(const struct kernel_text_bpf_reader *reader);

#endif
