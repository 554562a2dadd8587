/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for functions that change stacks. Go's assembler marks those that set the stack pointer in
 * a way which its frame descriptions cannot tell (go:src/cmd/internal/obj/x86/obj6.go, "SPWRITE"):
 * what these say is wrong once the stack was changed, and Go's own walk does not use it.
 */
#ifndef UNWIND_STACK_SWITCH_H
#define UNWIND_STACK_SWITCH_H

#include <stdint.h>

#include "bpf/unwind_rows.h"

/* Gets the rule in force from an address on, in ascending order of addresses. */
typedef void (*stack_switch_row)(void *context, uint64_t address, const struct unwind_rule *rule);

/* Tells the rules of such a function, at @address with these instructions, for an EM_ machine.
 * Where its frame pointer is set up first thing, and nobody else's while it runs, that leads to the
 * caller, on whichever stack; else nothing does (UNWIND_CFA_SWITCHED). All have
 * UNWIND_RULE_SWITCH. */
void stack_switch_rows(uint16_t machine, uint64_t address, const uint8_t *code, uint64_t size,
		       stack_switch_row row, void *context);

#endif
