/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of the off-CPU programs, from bytes to a struct (bpf/off_cpu_wire.h). */
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

/* Copies one record out of @size bytes, which need not be aligned and may be more than it takes;
 * the addresses that *ret_event's count tells of are there. false: it is none of these records, or
 * cut short. */
bool off_cpu_event_read(const void *bytes, size_t size, union off_cpu_event *ret_event);

#endif
