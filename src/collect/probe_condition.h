/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The condition of --if, as the kernel side evaluates it at each entry (bpf/probe_wire.h has the
 * steps). The language:
 *
 *   condition:  condition || condition,  condition && condition,  ! condition,  ( condition )
 *               value == number  (!= < <= > >=),  value & number,  value in number .. number,
 *               comm == "name"  (!=)
 *   value:      arg1 to arg6, pid, tid, cpu, uid;  arg1:u32 takes the lower 32 bits, and so s8 u8
 *               s16 u16 s32 u32 s64 u64. Without one an argument is s64.
 *   number:     decimal, 0x hexadecimal, negative; or NULL; 4k, 4M, 4G are times 1024
 *
 * && binds tighter than ||.
 */
#ifndef COLLECT_PROBE_CONDITION_H
#define COLLECT_PROBE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "bpf/probe_wire.h"

struct probe_condition {
	struct probe_step steps[PROBE_CONDITION_STEPS];
	size_t count;
	bool uses_arguments;
};

/* -EINVAL with the place and what was expected there; -E2BIG: it takes too many steps. */
int probe_condition_parse(const char *text, struct probe_condition *ret_condition, struct err *err);

#endif
