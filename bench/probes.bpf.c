/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The bodies of the probe programs where they can be measured on any kernel: at the entry and exit
 * of system calls. Not part of the program: bench/probes.c.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/probe_calls.bpf.h"

SEC("tp_btf/sys_enter")
int bench_empty(__u64 *arguments)
{
	(void)arguments;
	return 0;
}

SEC("tp_btf/sys_enter")
int bench_only(__u64 *arguments)
{
	struct probe_call call = { .sp = 0x4000 };

	(void)arguments;
	return enter_only(&call);
}

SEC("tp_btf/sys_enter")
int bench_enter(__u64 *arguments)
{
	struct probe_call call = { .sp = 0x4000 };

	(void)arguments;
	return enter(&call, false);
}

SEC("tp_btf/sys_exit")
int bench_leave(__u64 *arguments)
{
	struct probe_call call = { .sp = 0x4000, .value = arguments[1] };

	return leave(&call, false);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
