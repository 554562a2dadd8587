/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each call of a Go function is counted once. The first instructions of a function check
 * whether the stack is too small or the goroutine has been asked to stop. If so, they branch to the
 * end of the function, which calls runtime.morestack and restarts the function. A counter at the
 * first instruction would therefore count one call several times
 * (go:src/cmd/internal/obj/x86/obj6.go, stacksplit).
 */
#ifndef CODE_GO_ENTRY_H
#define CODE_GO_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "code/code_blocks.h"

/* The address after the check: the stack pointer and the argument registers are as they were at
 * @start. False: the function, disassembled from its @start, has no check. */
bool go_entry_find(const struct code_blocks *blocks, uint64_t start, uint64_t *ret_entry);

#endif
