/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a call of a Go function is seen once. Its first instructions ask whether there is room on
 * the stack, or somebody wants the goroutine to stop; where so, they branch to the end of the
 * function, which calls runtime.morestack and begins anew: at the first instruction a call would be
 * counted several times (go:src/cmd/internal/obj/x86/obj6.go, stacksplit).
 */
#ifndef CODE_GO_ENTRY_H
#define CODE_GO_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "code/code_blocks.h"

/* What is behind that question: the stack pointer and the registers of arguments are there as they
 * were at @start. False: the function, disassembled from its @start, begins without it. */
bool go_entry_find(const struct code_blocks *blocks, uint64_t start, uint64_t *ret_entry);

#endif
