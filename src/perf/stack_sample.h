/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes what the BPF stack program wrote for a sample (bpf/stack_wire.h), with every length
 * checked. */
#ifndef PERF_STACK_SAMPLE_H
#define PERF_STACK_SAMPLE_H

#include <stdbool.h>

#include "perf/perf_record.h"

/* Turns a record of an output event into the sample it stands for: id, period, chain, user stack
 * and context come from its raw part; the rest stays. False if it has no such raw part; *record is
 * then unchanged. */
bool stack_sample_read(struct perf_record *record);

#endif
