/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64's code that signal handlers return to, in the vdso: since Linux 5.8 the kernel has no frame
 * description of it and expects that its instructions are recognised.
 */
#ifndef UNWIND_SIGNAL_TRAMPOLINE_H
#define UNWIND_SIGNAL_TRAMPOLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/unwind_rows.h"
#include "elf/elf_file.h"

/* Searches code as small as a vdso's. What is found begins one instruction early, for the handler's
 * return address is looked up by the byte before it. */
bool signal_trampoline_find(const struct elf_file *file, uint64_t *ret_start, uint64_t *ret_size);

/* From the signal frame at sp to the interrupted code: struct rt_sigframe of the kernel,
 * asm/sigcontext.h and asm/ucontext.h. */
struct unwind_rule signal_trampoline_rule(void);

#endif
