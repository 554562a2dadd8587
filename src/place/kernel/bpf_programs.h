/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes of the machine code of the loaded BPF programs. /proc/kallsyms has only their names and
 * starts, and classic filters (seccomp) lie between them without names. */
#ifndef PLACE_KERNEL_BPF_PROGRAMS_H
#define PLACE_KERNEL_BPF_PROGRAMS_H

#include <stdint.h>

/* Calls @visit for every function of every program, with its address and size in bytes. Returns 0,
 * or a negative errno if the kernel refuses (-EPERM without CAP_SYS_ADMIN or CAP_BPF). */
int bpf_programs_each(void (*visit)(void *context, uint64_t start, uint64_t size), void *context);

#endif
