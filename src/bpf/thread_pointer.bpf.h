/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Where the kernel keeps a thread's pointer to its own data (TLS), in its struct task_struct, which each
 * program declares with the fields that it reads (CO-RE). */
#ifndef BPF_THREAD_POINTER_BPF_H
#define BPF_THREAD_POINTER_BPF_H

#if defined(__TARGET_ARCH_x86)
struct thread_struct {
	unsigned long fsbase;
} __attribute__((preserve_access_index));

#define THREAD_POINTER(task) ((task)->thread.fsbase)
#else
struct thread_struct {
	struct {
		unsigned long tp_value;
	} uw;
} __attribute__((preserve_access_index));

#define THREAD_POINTER(task) ((task)->thread.uw.tp_value)
#endif

#endif
