/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The states of a thread, in task_struct's __state: include/linux/sched.h. */
#ifndef BPF_TASK_STATES_BPF_H
#define BPF_TASK_STATES_BPF_H

enum {
	TASK_RUNNING = 0, /* or runnable */
	TASK_INTERRUPTIBLE = 0x0001,
	TASK_STOPPED_OR_TRACED = 0x0004 | 0x0008,
	TASK_DEAD = 0x0080,
	TASK_WAKING = 0x0200,
	TASK_NEW = 0x0800,
	TASK_FROZEN = 0x8000,
	TASK_STATES = 0x9fff, /* without the modifiers that say what may freeze a task */
};

#endif
