/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for functions that change stacks. Go's assembler marks functions that set the stack pointer
 * in a way its frame descriptions cannot express (go:src/cmd/internal/obj/x86/obj6.go, "SPWRITE").
 * Their descriptions are wrong once the stack was changed; Go's own walk does not use them.
 */
#ifndef UNWIND_STACK_SWITCH_H
#define UNWIND_STACK_SWITCH_H

#include <stdint.h>

#include "bpf/unwind_rows.h"

/* Receives the rule in force from an address on, in ascending order of addresses. */
typedef void (*stack_switch_row)(void *context, uint64_t address, const struct unwind_rule *rule);

/* Passes on the rules of such a function: its code @code, at @address, for an EM_ machine. If the
 * function sets up its frame pointer first and does not change it while it runs, the frame pointer
 * leads to the caller on any stack. Otherwise there is no way to the caller (UNWIND_CFA_SWITCHED).
 * All rules have UNWIND_RULE_SWITCH. */
void stack_switch_rows(uint16_t machine, uint64_t address, const uint8_t *code, uint64_t size,
		       stack_switch_row row, void *context);

#endif
