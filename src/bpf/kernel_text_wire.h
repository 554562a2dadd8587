/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface of kernel_text.bpf.c and place/kernel/kernel_text.c. */
#ifndef BPF_KERNEL_TEXT_WIRE_H
#define BPF_KERNEL_TEXT_WIRE_H

#include <linux/types.h>

/* The most bytes that one run copies. */
enum { KERNEL_TEXT_CHUNK = 4096 };

/* The context of a run. */
struct kernel_text_request {
	__u64 address;
	__u32 size; /* <= KERNEL_TEXT_CHUNK */
	__u32 zero;
};

_Static_assert(sizeof(struct kernel_text_request) == 16, "as both sides lay it out");

#endif
