/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the BPF programs put into the rings: samples with their stacks and what threads waited for,
 * and the kernel's own records. What other programs count lies in tables of a fixed layout. The
 * first byte says which; the rest is the record.
 */
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "perf/perf_record.h"
#include "sampling/off_cpu.h"
#include "target.h"

static volatile uint64_t sink;

static void add_up(const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sink += values[i];
}

static void look_at_stack(const struct user_stack *user)
{
	add_up(user->addresses, user->count);
	if (user->form != USER_STACK_DUMP)
		return;
	sink += user->registers->pc + user->registers->known;
	for (size_t i = 0; i < user->stack_size; i++)
		sink += ((const uint8_t *)user->stack)[i];
}

/* Raw data begin 4 bytes after a multiple of 8 (bpf/stack_wire.h). */
static void try_sample(const uint8_t *bytes, size_t size)
{
	uint8_t *memory = malloc(size + 4);
	struct perf_record record = { .type = PERF_RECORD_SAMPLE };

	if (!memory)
		abort();
	memcpy(memory + 4, bytes, size);
	record.sample.raw = memory + 4;
	record.sample.raw_size = (uint32_t)size;
	if (perf_record_unpack(&record)) {
		add_up(record.sample.chain, record.sample.chain_length);
		look_at_stack(&record.sample.user_stack);
	}
	free(memory);
}

static void try_wait(const uint8_t *bytes, size_t size)
{
	union off_cpu_event event;

	if (!off_cpu_event_read(bytes, size, &event))
		return;
	switch (event.kind) {
	case OFF_CPU_LEFT:
		for (__u32 i = 0; i < event.left.count; i++)
			sink += event.left.addresses[i];
		break;
	case OFF_CPU_WOKE:
		for (__u32 i = 0; i < event.woke.count; i++)
			sink += event.woke.addresses[i];
		break;
	case OFF_CPU_WAIT:
		for (__u32 i = 0; i < event.wait.count; i++)
			sink += event.wait.addresses[i];
		break;
	default:
		sink += event.times.kind;
	}
}

static void look_at_text(const char *text)
{
	sink += strlen(text);
}

static void try_live(const uint8_t *bytes, size_t size)
{
	const struct perf_format format = perf_record_live_format();
	uint64_t *memory = calloc(size / 8 + 1, 8);
	struct perf_record record;

	if (!memory)
		abort();
	memcpy(memory, bytes, size);
	perf_record_time(memory, size, &format);
	perf_record_id(memory, size, &format);
	if (perf_record_read(memory, size, &format, &record) == 0) {
		if (record.type == PERF_RECORD_SAMPLE) {
			add_up(record.sample.chain, record.sample.chain_length);
			if (record.sample.raw)
				try_sample(record.sample.raw, record.sample.raw_size);
		} else if (record.type == PERF_RECORD_MMAP || record.type == PERF_RECORD_MMAP2) {
			look_at_text(record.mmap.path);
		} else if (record.type == PERF_RECORD_COMM) {
			look_at_text(record.comm.comm);
		} else if (record.type == PERF_RECORD_KSYMBOL) {
			look_at_text(record.ksymbol.name);
		} else if (record.type == PERF_RECORD_CGROUP) {
			look_at_text(record.cgroup.path);
		}
	}
	free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static void (*const kinds[])(const uint8_t *bytes, size_t size) = { try_sample, try_wait,
									    try_live };

	if (size > 0 && bytes[0] < sizeof(kinds) / sizeof(*kinds))
		kinds[bytes[0]](bytes + 1, size - 1);
	return 0;
}
