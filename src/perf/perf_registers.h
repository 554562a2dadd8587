/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sample's registers as the unwinder wants them. */
#ifndef PERF_PERF_REGISTERS_H
#define PERF_PERF_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/stack_wire.h"
#include "perf/perf_sample.h"

/* @machine: EM_X86_64, EM_AARCH64. By the machine's enum perf_event_x86_regs and its like (<asm/
 * perf_regs.h>). False: none of a 64-bit task of these machines were taken, or not pc and sp. */
bool perf_registers_for_unwinding(const struct perf_registers *registers, uint16_t machine,
				  struct unwind_registers *ret_registers);
/* All of them that unwinding wants, for sample_regs_user; 0 for another machine. */
uint64_t perf_registers_mask(uint16_t machine);
/* The number of the stack pointer in unwind_registers. */
unsigned perf_registers_sp(uint16_t machine);

#endif
