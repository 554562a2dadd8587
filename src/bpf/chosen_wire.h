/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The interface of chosen.bpf.h and user space: whom a program follows. */
#ifndef BPF_CHOSEN_WIRE_H
#define BPF_CHOSEN_WIRE_H

/* The values of a map whose keys are ids. The first thread of a process has the process's id. */
enum chosen {
	CHOSEN_THREAD = 1,  /* this thread alone */
	CHOSEN_PROCESS = 2, /* all threads of the process */
};

#endif
