/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User registers as perf samples have them (asm/perf_regs.h, a numbering of each architecture's
 * own), to DWARF numbers.
 */
#ifndef COLLECT_PERF_REGISTERS_H
#define COLLECT_PERF_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/stack_wire.h"
#include "collect/perf_sample.h"

/* The mask to ask for with PERF_SAMPLE_REGS_USER: all that walks need. @machine: EM_X86_64 or
 * EM_AARCH64, else 0. */
uint64_t perf_registers_mask(uint16_t machine);

/* false: there are none, they are of 32-bit code, or pc or sp is missing. */
bool perf_registers_to_dwarf(const struct perf_registers *registers, uint16_t machine,
			     struct unwind_registers *ret_registers);

#endif
