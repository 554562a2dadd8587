/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes the records of the off-CPU programs (bpf/off_cpu_wire.h). */
#ifndef SAMPLING_OFF_CPU_EVENT_H
#define SAMPLING_OFF_CPU_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/off_cpu_wire.h"

union off_cpu_event {
	__u32 kind; /* enum off_cpu_kind */
	struct off_cpu_left_record left;
	struct off_cpu_woke_record woke;
	struct off_cpu_wait_record wait;
	struct off_cpu_times_record times;
};

/* Copies one record from @size bytes, which may be unaligned and longer than the record. *ret_event
 * has at least `count` addresses. False if the bytes are no such record, or truncated. */
bool off_cpu_event_read(const void *bytes, size_t size, union off_cpu_event *ret_event);

#endif
