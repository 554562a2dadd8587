/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_chain.h"

static bool is_mark(uint64_t address)
{
	return address >= (uint64_t)PERF_CONTEXT_MAX;
}

uint8_t import_chain_mode(const struct perf_record *record)
{
	if (record->cpu_mode != PERF_RECORD_MISC_CPUMODE_UNKNOWN)
		return record->cpu_mode;
	return (int64_t)record->sample.ip < 0 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

/* The cpu mode of the addresses after a mark. */
static uint8_t mode_after(uint64_t mark)
{
	if (mark == (uint64_t)PERF_CONTEXT_KERNEL)
		return PERF_RECORD_MISC_KERNEL;
	if (mark == (uint64_t)PERF_CONTEXT_USER)
		return PERF_RECORD_MISC_USER;
	return PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

static void split(const struct perf_record *record, struct import_chain *chain)
{
	const struct perf_sample *sample = &record->sample;
	uint8_t mode = import_chain_mode(record);

	for (size_t i = 0; i < sample->chain_length && i < PERF_RECORD_MAX_CHAIN; i++) {
		uint64_t address = sample->chain[i];

		if (is_mark(address))
			mode = mode_after(address);
		else if (mode == PERF_RECORD_MISC_KERNEL)
			chain->kernel[chain->kernel_count++] = address;
		else if (mode == PERF_RECORD_MISC_USER)
			chain->user[chain->user_count++] = address;
	}
}

/* Takes a call stack of branch records, youngest call first. Each call lies in the next outer
 * frame. */
static void take_branches(const struct perf_record *record, struct import_chain *chain)
{
	const struct perf_branches *branches = &record->sample.branches;

	chain->user_count = 1;
	if (import_chain_mode(record) != PERF_RECORD_MISC_USER)
		chain->user[0] = branches->items[0].to;
	for (size_t i = 0; i < branches->count; i++)
		chain->user[chain->user_count++] = branches->items[i].from + 1;
}

static void put_first(uint64_t *addresses, size_t *count, uint64_t ip)
{
	addresses[0] = ip;
	if (*count == 0)
		*count = 1;
}

void import_chain_read(const struct perf_record *record, const struct perf_format *format,
		       struct import_chain *ret_chain)
{
	uint8_t mode = import_chain_mode(record);

	ret_chain->kernel_count = ret_chain->user_count = 0;
	split(record, ret_chain);
	if (mode == PERF_RECORD_MISC_KERNEL)
		put_first(ret_chain->kernel, &ret_chain->kernel_count, record->sample.ip);
	else if (mode == PERF_RECORD_MISC_USER)
		put_first(ret_chain->user, &ret_chain->user_count, record->sample.ip);
	if (format->branch_type & PERF_SAMPLE_BRANCH_CALL_STACK && ret_chain->user_count <= 1 &&
	    record->sample.branches.count > 0)
		take_branches(record, ret_chain);
}
