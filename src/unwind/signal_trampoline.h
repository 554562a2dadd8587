/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code in arm64's vdso that signal handlers return to. Since Linux 5.8 the kernel has no frame
 * description for it and expects unwinders to recognise its instructions.
 */
#ifndef UNWIND_SIGNAL_TRAMPOLINE_H
#define UNWIND_SIGNAL_TRAMPOLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/unwind_rows.h"
#include "elf/elf_file.h"

/* Searches code of a vdso's size. The range found begins one instruction early, because the
 * handler's return address is looked up by the byte before it. */
bool signal_trampoline_find(const struct elf_file *file, uint64_t *ret_start, uint64_t *ret_size);

/* The rule from a signal frame at sp to the interrupted code: the kernel's struct rt_sigframe,
 * asm/sigcontext.h and asm/ucontext.h. */
struct unwind_rule signal_trampoline_rule(void);

#endif
