/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bpf/stack_wire.h"

enum { SKIP = 4, STACK_BYTES = 64 };

/* A record as the program writes it: with a kernel part, a user part, registers and memory. */
struct whole {
	struct stack_record fixed;
	uint64_t kernel[2], user[3];
	struct unwind_registers registers;
	uint8_t stack[STACK_BYTES];
};

static struct whole new_whole(enum stack_form form)
{
	struct whole whole = {
		.fixed = { .form = (uint8_t)form,
			   .context = STACK_CONTEXT_SOFTIRQ,
			   .end = UNWIND_END_STALE,
			   .flags = STACK_FLAG_CUT,
			   .event = 77,
			   .period = 1000,
			   .hash = 1,
			   .space = 2,
			   .generation = 3,
			   .stack_address = 0x7000,
			   .stack_size = STACK_BYTES,
			   .kernel_count = 2,
			   .user_count = 3 },
		.kernel = { ~0ULL, ~1ULL },
		.user = { 10, 11, 12 | UNWIND_EXACT },
		.registers = { .pc = 10 },
		.stack = { 1, 2, 3 },
	};

	return whole;
}

static struct perf_record record_of(const struct whole *whole, size_t size)
{
	return (struct perf_record){
		.type = PERF_RECORD_SAMPLE,
		.id = 5,
		.pid = 9,
		.sample = { .ip = 4, .raw = (const char *)whole + SKIP, .raw_size = size - SKIP }
	};
}

static void all_parts(void **state)
{
	struct whole whole = new_whole(STACK_FORM_DUMP);
	struct perf_record record = record_of(&whole, sizeof(whole));
	const struct user_stack *user = &record.sample.user_stack;

	(void)state;
	assert_true(perf_record_unpack(&record));
	assert_int_equal(record.id, 77);
	assert_int_equal(record.pid, 9);
	assert_int_equal(record.sample.ip, 4);
	assert_int_equal(record.sample.period, 1000);
	assert_int_equal(record.sample.context, CONTEXT_SOFTIRQ);
	assert_int_equal(record.sample.chain_length, 2);
	assert_int_equal(record.sample.chain[1], ~1ULL);
	assert_int_equal(user->form, USER_STACK_DUMP);
	assert_int_equal(user->end, STACK_STALE);
	assert_int_equal(user->count, 3);
	assert_int_equal(user->addresses[2], 12 | UNWIND_EXACT);
	assert_int_equal(user->registers->pc, 10);
	assert_int_equal(user->stack_size, STACK_BYTES);
	assert_int_equal(((const uint8_t *)user->stack)[2], 3);
	assert_int_equal(user->stack_address, 0x7000);
	assert_true(user->stack_cut);
	assert_int_equal(user->hash, 1);
	assert_int_equal(user->space, 2);
	assert_int_equal(user->generation, 3);
}

static void without_memory(void **state)
{
	struct whole whole = new_whole(STACK_FORM_ADDRESSES);
	struct perf_record record = record_of(&whole, offsetof(struct whole, registers));

	(void)state;
	whole.fixed.context = STACK_CONTEXT_UNKNOWN;
	assert_true(perf_record_unpack(&record));
	assert_int_equal(record.sample.user_stack.form, USER_STACK_ADDRESSES);
	assert_null(record.sample.user_stack.registers);
	assert_int_equal(record.sample.user_stack.stack_size, 0);
	assert_int_equal(record.sample.context, CONTEXT_COUNT);
}

/* Whatever is missing, nothing is taken. Copies of their own size show reads beyond the end. */
static void cut_off(void **state)
{
	const struct whole whole = new_whole(STACK_FORM_DUMP);

	(void)state;
	for (size_t size = SKIP; size < sizeof(whole); size += 4) {
		char *bytes = malloc(size);
		struct perf_record record = record_of((struct whole *)bytes, size);

		memcpy(bytes, &whole, size);
		assert_false(perf_record_unpack(&record));
		assert_int_equal(record.id, 5);
		free(bytes);
	}
}

static void unknown_words(void **state)
{
	struct whole whole = new_whole(STACK_FORM_DUMP);
	struct perf_record record = record_of(&whole, sizeof(whole));

	(void)state;
	whole.fixed.form = STACK_FORM_DUMP + 1;
	assert_false(perf_record_unpack(&record));
	whole = new_whole(STACK_FORM_DUMP);
	whole.fixed.end = UNWIND_MORE;
	assert_false(perf_record_unpack(&record));
	whole.fixed.end = UNWIND_END_COUNT;
	assert_false(perf_record_unpack(&record));
	whole = new_whole(STACK_FORM_DUMP);
	whole.fixed.stack_size = UINT32_MAX;
	assert_false(perf_record_unpack(&record));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_parts),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(unknown_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
