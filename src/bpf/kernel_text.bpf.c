/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Copies part of the running kernel's memory into `chunk`. A syscall program (Linux 5.14) runs once
 * for each BPF_PROG_RUN and is not attached to anything; its result is 0 or a negative errno.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/kernel_text_wire.h"

__u8 chunk[KERNEL_TEXT_CHUNK];

SEC("syscall")
int kernel_text_read(struct kernel_text_request *request)
{
	__u32 size = request->size;

	if (size > sizeof(chunk))
		return -7; /* E2BIG */
	return (int)bpf_probe_read_kernel(chunk, size, (const void *)request->address);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
