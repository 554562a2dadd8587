/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conditions of --if and --error-if, as the kernel side evaluates them at each entry or return
 * (bpf/probe_wire.h has the steps). The language:
 *
 *   condition:  condition || condition,  condition && condition,  ! condition,  ( condition )
 *               value == number  (!= < <= > >=),  value & number,  value in number .. number,
 *               comm == "name"  (!=)
 *   value:      arg1 to arg6, retval, pid, tid, cpu, uid;  arg1:u32 takes the lower 32 bits, and so
 *               s8 u8 s16 u16 s32 u32 s64 u64. Without one a value is s64.
 *   number:     decimal, 0x hexadecimal, negative; or NULL; 4k, 4M, 4G are times 1024
 *
 * && binds tighter than ||.
 */
#ifndef WATCH_PROBES_PROBE_CONDITION_H
#define WATCH_PROBES_PROBE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "bpf/probe_wire.h"

struct probe_condition {
	struct probe_step steps[PROBE_CONDITION_STEPS];
	size_t count;
};

/* @option: the option with @text, for messages. -EINVAL with the place and what was expected there;
 * -E2BIG: too many steps. */
int probe_condition_parse(const char *option, const char *text,
			  struct probe_condition *ret_condition, struct err *err);

bool probe_condition_uses_arguments(const struct probe_condition *condition);

/* Splits a condition at its outer && into the parts tested at the entry and, with retval, at the
 * return. Either may be empty, which always holds. -EINVAL: a part needs both retval and arguments,
 * which are known only at the entry. */
int probe_condition_split(const struct probe_condition *whole, struct probe_condition *ret_entry,
			  struct probe_condition *ret_return);

#endif
