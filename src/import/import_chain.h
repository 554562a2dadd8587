/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call chain of a perf sample, split into kernel and user mode. */
#ifndef IMPORT_IMPORT_CHAIN_H
#define IMPORT_IMPORT_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "perf/perf_record.h"

struct import_chain {
	uint64_t kernel[PERF_RECORD_MAX_CHAIN]; /* innermost first, without marks */
	size_t kernel_count;
	uint64_t user[PERF_RECORD_MAX_CHAIN]; /* the same; the innermost is the pc itself */
	size_t user_count;
};

/* The record's cpu mode; if unknown, decided by the sign of its address. */
uint8_t import_chain_mode(const struct perf_record *record);

/* Splits the chain of a sample of an event with this format. The innermost address of the sample's
 * mode is the sample's ip, which for a precise event may differ from the start of the chain. A call
 * stack of branch records (LBR) replaces a missing user part: each address is one byte after a
 * call. */
void import_chain_read(const struct perf_record *record, const struct perf_format *format,
		       struct import_chain *ret_chain);

#endif
