/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts a sample's registers for the unwinder. */
#ifndef PERF_PERF_REGISTERS_H
#define PERF_PERF_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/stack_wire.h"
#include "perf/perf_sample.h"

/* @machine: EM_X86_64 or EM_AARCH64, with the register numbers of its <asm/perf_regs.h> (enum
 * perf_event_x86_regs and the like). False if the sample has no registers of a 64-bit task of that
 * machine, or lacks pc or sp. */
bool perf_registers_for_unwinding(const struct perf_registers *registers, uint16_t machine,
				  struct unwind_registers *ret_registers);
/* The sample_regs_user mask of all registers that unwinding uses; 0 for another machine. */
uint64_t perf_registers_mask(uint16_t machine);
/* The index of the stack pointer in unwind_registers. */
unsigned perf_registers_sp(uint16_t machine);

#endif
