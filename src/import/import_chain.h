/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call chain of a sample of perf, taken apart: what ran in the kernel, what in user mode. */
#ifndef IMPORT_IMPORT_CHAIN_H
#define IMPORT_IMPORT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/perf_record.h"

struct import_chain {
	uint64_t kernel[PERF_RECORD_MAX_CHAIN]; /* innermost first, without marks */
	size_t kernel_count;
	uint64_t user[PERF_RECORD_MAX_CHAIN]; /* the same; the innermost is the pc itself */
	size_t user_count;
};

/* Where a record's cpu mode is not told, by the address. */
uint8_t import_chain_mode(const struct perf_record *record);

/* Of a sample of an event with this format. The innermost address of the mode the sample was taken
 * in is the sample's ip (a precise event's may differ from where the chain was taken). With call
 * stacks of branch records (LBR) these are the user part: each is one byte behind a call. */
void import_chain_read(const struct perf_record *record, const struct perf_format *format,
		       struct import_chain *ret_chain);

#endif
