/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <string.h>

#include "perf/perf_record.h"
#include "perf/perf_sample.h"
#include "sampling/sampler_parts.h"

enum {
	DUMP_BYTES = 16 * 1024,		  /* of each sample, if the kernel copies */
	INTERRUPT_DUMP_BYTES = 32 * 1024, /* of the few samples that need it */
};

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_NONE };
#endif

/* ---- opening ---- */

static void load_program(struct sampler *sampler, const struct sampler_options *options)
{
	struct stack_program_options wanted = {
		.max_depth = options->max_depth ? options->max_depth : SAMPLER_MAX_DEPTH,
		.dump_bytes = options->dump_bytes ? options->dump_bytes : INTERRUPT_DUMP_BYTES,
		.verify = options->verify_stacks,
		.calls = options->stacks_by_calls,
	};

	for (size_t i = 0; i < sampler->cpu_count; i++) {
		size_t number = (size_t)sampler->cpus[i].number;

		if (number >= wanted.cpus)
			wanted.cpus = number + 1;
	}
	if (stack_program_load(&wanted, &sampler->program, &sampler->stacks_missing) < 0)
		sampler->stacks = STACK_RUNG_DUMP;
}

void sampler_stacks_begin(struct sampler *sampler, const struct sampler_options *options)
{
	struct perf_format format = perf_record_live_format();

	sampler->stacks = options->stacks;
	sampler->dump_bytes = options->dump_bytes ? options->dump_bytes / 8 * 8 : DUMP_BYTES;
	format.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	format.regs_user = perf_registers_mask(MACHINE);
	sampler->dump_format = format;
	if (MACHINE == EM_NONE && sampler->stacks >= STACK_RUNG_DUMP) {
		sampler->stacks = STACK_RUNG_FRAME_POINTERS;
		err_set(&sampler->stacks_missing, 0, "the registers of this machine are not known");
	}
	if (sampler->stacks == STACK_RUNG_INTERRUPT)
		load_program(sampler, options);
}

int sampler_stacks_opened(struct sampler *sampler, const struct perf_fd *event, struct err *err)
{
	int rc = 0;

	if (event->stream == STREAM_OUTPUT)
		rc = stack_program_set_output(sampler->program, sampler->cpus[event->cpu].number,
					      event->fd, err);
	else if (event->by_program)
		rc = stack_program_attach(sampler->program, event->fd, event->id, err);
	if (rc < 0)
		sampler->stacks_refused = true;
	return rc;
}

bool sampler_stacks_step_down(struct sampler *sampler, const char *why)
{
	if (sampler->stacks == STACK_RUNG_NONE)
		return false;
	err_set(&sampler->stacks_missing, 0, "%s", why);
	stack_program_free(sampler->program);
	sampler->program = NULL;
	sampler->stacks--;
	return true;
}

void sampler_stacks_done(struct sampler *sampler)
{
	stack_program_free(sampler->program);
	sampler->program = NULL;
}

/* ---- records ---- */

static bool is_mark(uint64_t address)
{
	return address >= (uint64_t)PERF_CONTEXT_MAX;
}

/* Splits the kernel's chain: each of its parts begins with a mark. */
static void split_chain(struct perf_sample *sample)
{
	size_t user = 0, end;

	while (user < sample->chain_length && sample->chain[user] != (uint64_t)PERF_CONTEXT_USER)
		user++;
	if (user == sample->chain_length)
		return;
	end = user + 1;
	while (end < sample->chain_length && !is_mark(sample->chain[end]))
		end++;
	sample->user_stack = (struct user_stack){ .form = USER_STACK_CALLCHAIN,
						  .end = STACK_FRAME_POINTERS,
						  .addresses = sample->chain + user + 1,
						  .count = end - user - 1 };
	sample->chain_length = user;
}

/* The kernel omits registers if there is no user part: kernel threads, exiting threads. */
static void read_dump(struct sampler *sampler, struct perf_sample *sample)
{
	struct user_stack *user = &sample->user_stack;

	if (sample->user.abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	if (!perf_registers_for_unwinding(&sample->user, MACHINE, &sampler->dumped)) {
		user->end = STACK_UNKNOWN;
		return;
	}
	*user = (struct user_stack){
		.form = USER_STACK_DUMP,
		.end = STACK_STALE,
		.registers = &sampler->dumped,
		.stack_address = sampler->dumped.values[perf_registers_sp(MACHINE)],
		.stack = sample->stack.bytes,
		.stack_size = sample->stack.size,
		.stack_cut = sample->stack.size == sampler->dump_bytes,
	};
}

/* Reads a user stack among the records of waits, which has the stack program's form. It remains a
 * record of the waits stream. */
static void read_wait(struct perf_record *record)
{
	uint64_t id = record->id;

	perf_record_unpack(record);
	record->id = id;
}

bool sampler_stacks_convert(struct sampler *sampler, struct perf_record *record)
{
	const struct perf_fd *event;

	if (record->type != PERF_RECORD_SAMPLE || sampler->stacks == STACK_RUNG_NONE)
		return true;
	event = sampler_open_find(sampler, record->id);
	if (!event)
		return true;
	if (event->stream == STREAM_WAITS) {
		read_wait(record);
		return true;
	}
	if (event->stream == STREAM_OUTPUT)
		return perf_record_unpack(record);
	if (event->dumps)
		read_dump(sampler, &record->sample);
	else if (sampler->stacks == STACK_RUNG_FRAME_POINTERS)
		split_chain(&record->sample);
	return true;
}

/* ---- questions ---- */

enum stack_rung sampler_stack_rung(const struct sampler *sampler)
{
	return sampler->stacks;
}

const char *sampler_stacks_missing(const struct sampler *sampler)
{
	return sampler->stacks_missing.text;
}

struct stack_tables *sampler_stack_tables(const struct sampler *sampler)
{
	return sampler->program ? stack_program_tables(sampler->program) : NULL;
}

bool sampler_stack_maps(const struct sampler *sampler, struct stack_program_maps *ret_maps)
{
	if (!sampler->program)
		return false;
	*ret_maps = stack_program_maps(sampler->program);
	return true;
}

struct sampler_stack_counts sampler_stack_counts(const struct sampler *sampler)
{
	struct sampler_stack_counts counts = { { 0 } };

	for (int i = 0; sampler->program && i < STACK_COUNTER_COUNT; i++)
		counts.counters[i] = stack_program_counter(sampler->program, (enum stack_counter)i);
	return counts;
}
