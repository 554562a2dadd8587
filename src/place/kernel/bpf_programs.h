/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the machine code of the BPF programs is that are loaded now: /proc/kallsyms has their
 * names and where they start, but classic filters (seccomp) lie between them without a name. */
#ifndef PLACE_KERNEL_BPF_PROGRAMS_H
#define PLACE_KERNEL_BPF_PROGRAMS_H

#include <stdint.h>

/* Calls @visit for every function of every program, with its address and size in bytes. 0, or a
 * negative errno when the kernel does not tell (-EPERM without CAP_SYS_ADMIN, or
 * CAP_BPF). */
int bpf_programs_each(void (*visit)(void *context, uint64_t start, uint64_t size), void *context);

#endif
