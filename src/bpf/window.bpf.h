/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The time that is measured. The programs are attached before it opens and also follow what happens
 * outside it, but count nothing there: since() is 0.
 */
#ifndef BPF_WINDOW_BPF_H
#define BPF_WINDOW_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

/* bpf_ktime_get_ns; 0: not yet. User space sets them. */
volatile __u64 opened_ns, closed_ns;

/* The part of [then, now] within the window. */
static __always_inline __u64 since(__u64 then_ns, __u64 now_ns)
{
	if (!opened_ns)
		return 0;
	if (then_ns < opened_ns)
		then_ns = opened_ns;
	if (closed_ns && now_ns > closed_ns)
		now_ns = closed_ns;
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

#endif
