/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user part of samples of this process, in each form. What is on the stack is known: functions
 * whose unwind rows are given here, down to a return address that no table explains.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/vec.h"
#include "sampling/sampler.h"

#if defined(__x86_64__) || defined(__aarch64__)

/*
 * stacks_outer(counter, depth) has a frame pointer and calls stacks_inner(counter, depth), which
 * has none. Its frame has 5 words, as the rule below says. It calls itself until the depth is zero,
 * then counts down.
 */
void stacks_outer(uint64_t counter, uint64_t depth);
extern const char stacks_inner[], stacks_inner_counts[], stacks_inner_counted[],
	stacks_inner_returns[], stacks_inner_end[], stacks_outer_returns[], stacks_outer_end[];

#if defined(__x86_64__)
asm("	.text\n"
    "	.globl stacks_inner, stacks_outer, stacks_inner_returns, stacks_outer_returns\n"
    "	.globl stacks_inner_end, stacks_outer_end\n"
    "	.globl stacks_inner_counts, stacks_inner_counted\n"
    "	.type stacks_inner, @function\n"
    "	.type stacks_outer, @function\n"
    "	.p2align 12\n"
    "stacks_inner:\n"
    "	sub $40, %rsp\n"
    "	test %rsi, %rsi\n"
    "	jz 1f\n"
    "	dec %rsi\n"
    "	call stacks_inner\n"
    "stacks_inner_returns:\n"
    "	jmp 2f\n"
    "stacks_inner_counts:\n"
    "1:	dec %rdi\n"
    "	jnz 1b\n"
    "stacks_inner_counted:\n"
    "2:	add $40, %rsp\n"
    "	ret\n"
    "stacks_inner_end:\n"
    "	.p2align 12\n"
    "stacks_outer:\n"
    "	push %rbp\n"
    "	mov %rsp, %rbp\n"
    "	call stacks_inner\n"
    "stacks_outer_returns:\n"
    "	nop\n" /* an epilogue right here would show the caller, without a guess */
    "	pop %rbp\n"
    "	ret\n"
    "stacks_outer_end:\n"
    "	.p2align 12\n");

/* sub and add are 4 bytes long: before and after them the return address is at the top. */
static const struct unwind_rule rules[] = {
	{ .cfa = UNWIND_CFA_NONE },
	{ .cfa = UNWIND_CFA_SP, .cfa_offset = 8, .ra = UNWIND_SAVED_CFA, .ra_offset = -8 },
	{ .cfa = UNWIND_CFA_SP, .cfa_offset = 48, .ra = UNWIND_SAVED_CFA, .ra_offset = -8 },
};
static const struct {
	uint32_t from_start, from_end, rule;
} rows[] = { { 0, 0, 1 }, { 4, 0, 2 }, { 0, 1, 1 } };
enum { MACHINE = EM_X86_64 };
#else
asm("	.text\n"
    "	.globl stacks_inner, stacks_outer, stacks_inner_returns, stacks_outer_returns\n"
    "	.globl stacks_inner_end, stacks_outer_end\n"
    "	.globl stacks_inner_counts, stacks_inner_counted\n"
    "	.type stacks_inner, @function\n"
    "	.type stacks_outer, @function\n"
    "	.p2align 12\n"
    "stacks_inner:\n"
    "	sub sp, sp, #48\n"
    "	str x30, [sp, #40]\n"
    "	cbz x1, 1f\n"
    "	sub x1, x1, #1\n"
    "	bl stacks_inner\n"
    "stacks_inner_returns:\n"
    "	b 2f\n"
    "stacks_inner_counts:\n"
    "1:	subs x0, x0, #1\n"
    "	b.ne 1b\n"
    "stacks_inner_counted:\n"
    "2:	ldr x30, [sp, #40]\n"
    "	add sp, sp, #48\n"
    "	ret\n"
    "stacks_inner_end:\n"
    "	.p2align 12\n"
    "stacks_outer:\n"
    "	stp x29, x30, [sp, #-16]!\n"
    "	mov x29, sp\n"
    "	bl stacks_inner\n"
    "stacks_outer_returns:\n"
    "	ldp x29, x30, [sp], #16\n"
    "	ret\n"
    "stacks_outer_end:\n"
    "	.p2align 12\n");

/* The return address is in lr until it is stored, and again before the end. */
static const struct unwind_rule rules[] = {
	{ .cfa = UNWIND_CFA_NONE },
	{ .cfa = UNWIND_CFA_SP, .cfa_offset = 0, .ra = UNWIND_SAVED_SAME },
	{ .cfa = UNWIND_CFA_SP, .cfa_offset = 48, .ra = UNWIND_SAVED_SAME },
	{ .cfa = UNWIND_CFA_SP, .cfa_offset = 48, .ra = UNWIND_SAVED_CFA, .ra_offset = -8 },
};
static const struct {
	uint32_t from_start, from_end, rule;
} rows[] = { { 0, 0, 1 }, { 4, 0, 2 }, { 8, 0, 3 }, { 0, 8, 2 }, { 0, 4, 1 } };
enum { MACHINE = EM_AARCH64 };
#endif

enum { ROWS = sizeof(rows) / sizeof(rows[0]), INNER_IMAGE = 3, MAX_SEEN = 4096 };
enum { SPIN = 40 * 1000 * 1000, PARTS = 16, SETTLE_US = 20000, ENOUGH = 5 };

/* Ends the spinning where samples never come. */
static const uint64_t PATIENCE_NS = 60 * NS_PER_S;

struct seen {
	enum user_stack_form form;
	enum stack_end end;
	uint64_t hash, generation, space, weight;
	size_t count, stack_size;
	uint64_t addresses[64];
	uint64_t pc;
	bool chain_is_kernels;
	enum context context;
};

struct fixture {
	struct sampler *sampler;
	VEC(struct seen) seen;
	uint64_t space, generation;
	pid_t pid; /* whose samples are looked at */
};

/* Only where it counts: on the way down and back the stack is one of less depth. */
static void take(void *context, const struct perf_record *record)
{
	struct fixture *fixture = context;
	const struct user_stack *user = &record->sample.user_stack;
	struct seen *seen;

	if (record->type != PERF_RECORD_SAMPLE || record->pid != fixture->pid ||
	    record->cpu_mode != PERF_RECORD_MISC_USER ||
	    sampler_source(fixture->sampler, record->id).stream != STREAM_CLOCK ||
	    record->sample.ip < (uint64_t)stacks_inner_counts ||
	    record->sample.ip >= (uint64_t)stacks_inner_counted)
		return;
	seen = vec_push(&fixture->seen);
	*seen = (struct seen){ .form = user->form,
			       .end = user->end,
			       .hash = user->hash,
			       .generation = user->generation,
			       .space = user->space,
			       .weight = sampler_weight(fixture->sampler, record),
			       .count = user->count,
			       .stack_size = user->stack_size };
	seen->context = record->sample.context;
	seen->chain_is_kernels = true;
	for (size_t i = 0; i < record->sample.chain_length; i++)
		seen->chain_is_kernels &= record->sample.chain[i] >> 63;
	for (size_t i = 0; i < user->count && i < 64; i++)
		seen->addresses[i] = user->addresses[i];
	if (user->form == USER_STACK_DUMP)
		seen->pc = user->registers->pc;
}

/* Runs for a while, with the inner function @depth deep; what was sampled there is then in seen.
 * The whole machine fills the rings meanwhile, within some 100 ms of copies: they are emptied
 * often.
 */
/* Not inlined: the stack would be another one for each call. */
static __attribute__((noinline)) void run(struct fixture *fixture, uint64_t depth)
{
	const uint64_t until_ns = clock_ns() + PATIENCE_NS;

	fixture->seen.count = 0;
	do {
		for (int i = 0; i < PARTS; i++) {
			stacks_outer(SPIN / PARTS, depth);
			sampler_drain(fixture->sampler, clock_ns(), take, fixture);
		}
	} while (fixture->seen.count < ENOUGH && clock_ns() < until_ns);
	usleep(SETTLE_US);
	sampler_drain(fixture->sampler, clock_ns(), take, fixture);
	assert_true(fixture->seen.count >= ENOUGH);
	assert_true(fixture->seen.count < MAX_SEEN);
}

static void open_with(struct fixture *fixture, const struct sampler_options *options)
{
	enum stack_rung rung = options->stacks;
	struct err err = { "" };

	*fixture = (struct fixture){ .generation = 100, .pid = getpid() };
	if (sampler_open(options, &fixture->sampler, &err) < 0) {
		print_message("%s\n", err.text);
		skip();
	}
	if (sampler_stack_rung(fixture->sampler) != rung) {
		print_message("%s\n", sampler_stacks_missing(fixture->sampler));
		assert_true(sampler_stacks_missing(fixture->sampler)[0]);
		sampler_free(fixture->sampler);
		skip();
	}
	assert_string_equal(sampler_stacks_missing(fixture->sampler), "");
	sampler_enable(fixture->sampler);
}

static void open_fixture(struct fixture *fixture, enum stack_rung rung, bool by_calls)
{
	const struct sampler_options options = { .rate_hz = 997,
						 .whole_machine = true,
						 .machine_only = true,
						 .stacks = rung,
						 .stacks_by_calls = by_calls };

	open_with(fixture, &options);
}

static void close_fixture(struct fixture *fixture)
{
	sampler_free(fixture->sampler);
	vec_free(&fixture->seen);
}

static void add_rows(struct stack_tables *tables)
{
	/* Of the pages of inner and outer; outer has no rows, and no file that has others. */
	uint32_t end = (uint32_t)(stacks_inner_end - stacks_inner);
	uint32_t made[ROWS + 2];
	const uint32_t pages[] = { 0, ROWS + 1, ROWS + 2 };
	const struct unwind_table table = { .base = 0x5000,
					    .page_count = 2,
					    .row_count = ROWS + 2,
					    .rule_count = sizeof(rules) / sizeof(rules[0]),
					    .machine = MACHINE,
					    .pages = pages,
					    .rows = made,
					    .rules = rules };

	for (size_t i = 0; i < ROWS; i++)
		made[i] = UNWIND_ROW(rows[i].from_end ? end - rows[i].from_end : rows[i].from_start,
				     rows[i].rule);
	made[ROWS] = UNWIND_ROW(end, 0);
	made[ROWS + 1] = UNWIND_ROW(0, 0);
	assert_int_equal(stack_tables_add_image(tables, INNER_IMAGE, &table), 0);
	assert_int_equal(stack_tables_add_image(tables, INNER_IMAGE, &table), -EEXIST);
	assert_true(stack_tables_has_image(tables, INNER_IMAGE));
	assert_false(stack_tables_has_image(tables, INNER_IMAGE + 1));
}

enum known { INNER = 2, OUTER = 3, ENTRY = 4 };

/* Tells of the inner function, of the outer too, and of what calls that: an entry. */
static void set_space(struct fixture *fixture, enum stack_map_kind inner, enum known known)
{
	uint64_t start = (uint64_t)stacks_inner;
	const struct stack_range ranges[] = {
		{ 0x1000, 0x2000, 0, 0, STACK_MAP_WAITING },
		{ start, start + 0x1000, start - 0x5000, INNER_IMAGE, inner },
		{ start + 0x1000, start + 0x2000, start - 0x5000, INNER_IMAGE, STACK_MAP_FRAME_POINTERS },
		{ start + 0x2000, UINT64_MAX >> 1, 0, 0, STACK_MAP_FRAME_POINTERS },
	};
	const struct stack_space_table table = {
		.generation = ++fixture->generation,
		.ranges = ranges,
		.range_count = known,
		.entries = { { 0, 0 }, { start + 0x2000, UINT64_MAX >> 1 } },
	};

	assert_int_equal(stack_tables_set_space(sampler_stack_tables(fixture->sampler),
						fixture->space, &table),
			 0);
	assert_int_equal(
		stack_tables_generation(sampler_stack_tables(fixture->sampler), fixture->space),
		fixture->generation);
}

/* The innermost address wanders through the loop. */
static void assert_stack(const struct seen *seen, uint64_t depth)
{
	for (uint64_t i = 1; i <= depth; i++)
		assert_int_equal(seen->addresses[i], (uint64_t)stacks_inner_returns);
	assert_int_equal(seen->addresses[depth + 1], (uint64_t)stacks_outer_returns);
}

/* Has an earlier sample the stack of this one? */
static bool came_before(const struct fixture *fixture, size_t sample)
{
	for (size_t i = 0; i < sample; i++) {
		if (fixture->seen.items[i].hash == fixture->seen.items[sample].hash)
			return true;
	}
	return false;
}

static size_t count_form(const struct fixture *fixture, enum user_stack_form form)
{
	size_t count = 0;

	for (size_t i = 0; i < fixture->seen.count; i++)
		count += fixture->seen.items[i].form == form;
	return count;
}

typedef VEC(uint64_t) hashes;

static bool has_hash(const hashes *told, uint64_t hash)
{
	for (size_t i = 0; i < told->count; i++) {
		if (told->items[i] == hash)
			return true;
	}
	return false;
}

/* For a stack that was sent before only the hash comes. A sample can always be the first at its
 * instruction. */
static void assert_known(const struct fixture *fixture, hashes *told)
{
	size_t known = 0;

	for (size_t i = 0; i < fixture->seen.count; i++) {
		const struct seen *item = &fixture->seen.items[i];

		if (!has_hash(told, item->hash))
			continue;
		assert_int_equal(item->form, USER_STACK_KNOWN);
		known++;
	}
	assert_true(known >= 1);
}

static void tell(const struct fixture *fixture, hashes *told)
{
	for (size_t i = 0; i < fixture->seen.count; i++) {
		if (fixture->seen.items[i].hash)
			*vec_push(told) = fixture->seen.items[i].hash;
	}
}

/* All are copies, as far as there was room for them: the slower the machine, the more samples there
 * are. Returns the first copy; there is one.
 */
static const struct seen *assert_copied(const struct fixture *fixture)
{
	const struct seen *first = NULL;

	for (size_t i = 0; i < fixture->seen.count; i++) {
		const struct seen *item = &fixture->seen.items[i];

		if (item->form != USER_STACK_DUMP) {
			assert_int_equal(item->form, USER_STACK_NONE);
			assert_int_equal(item->end, STACK_LOST);
		} else if (!first) {
			first = item;
		}
	}
	assert_non_null(first);
	return first;
}

static void in_the_interrupt(bool by_calls)
{
	hashes told = { 0 };
	struct fixture fixture;
	struct stack_tables *tables;
	struct seen seen;

	open_fixture(&fixture, STACK_RUNG_INTERRUPT, by_calls);
	tables = sampler_stack_tables(fixture.sampler);

	/* Nothing is known: registers and memory. */
	run(&fixture, 2);
	seen = *assert_copied(&fixture);
	fixture.space = seen.space;
	assert_true(seen.space && !seen.generation && !seen.hash && seen.chain_is_kernels);
	assert_in_range(seen.pc, (uint64_t)stacks_inner, (uint64_t)stacks_inner_end);
	assert_true(seen.stack_size > 128 + 3 * 48);
	/* Our own code, be it that the kernel has no name for where its count is. */
	assert_true(seen.context == CONTEXT_TASK || seen.context == CONTEXT_COUNT);
	print_message("context: %s\n",
		      seen.context == CONTEXT_TASK ? context_name(seen.context) : "not told");
	/* ns: 997 Hz, jittered, and what a change of the period may owe. */
	assert_in_range(seen.weight, 550 * 1000, 3308 * 1000);

	/* Everything is known; each stack comes once. */
	add_rows(tables);
	set_space(&fixture, STACK_MAP_ROWS, ENTRY);
	run(&fixture, 2);
	assert_true(count_form(&fixture, USER_STACK_ADDRESSES) >= 1);
	assert_true(count_form(&fixture, USER_STACK_ADDRESSES) <=
		    3); /* a loop of two instructions */
	assert_int_equal(count_form(&fixture, USER_STACK_ADDRESSES) +
				 count_form(&fixture, USER_STACK_KNOWN),
			 fixture.seen.count);
	seen = fixture.seen.items[0];
	assert_int_equal(seen.form, USER_STACK_ADDRESSES);
	assert_int_equal(seen.end, STACK_COMPLETE);
	assert_int_equal(seen.generation, fixture.generation);
	assert_int_equal(seen.count, 5);
	assert_stack(&seen, 2);
	tell(&fixture, &told);
	run(&fixture, 2);
	assert_known(&fixture, &told);

	/* Other mappings: other stacks. */
	set_space(&fixture, STACK_MAP_ROWS, ENTRY);
	run(&fixture, 40);
	seen = fixture.seen.items[0];
	assert_int_equal(seen.form, USER_STACK_ADDRESSES);
	assert_int_equal(seen.count, 43);
	assert_stack(&seen, 40);

	/* Where nothing is mapped, user space is asked, and only once. */
	set_space(&fixture, STACK_MAP_ROWS, INNER);
	run(&fixture, 2);
	seen = *assert_copied(&fixture);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.end, STACK_STALE);
	assert_true(seen.hash && seen.generation);
	told.count = 0;
	tell(&fixture, &told);
	for (size_t i = 0; i < told.count; i++)
		stack_tables_learn(tables, told.items[i]);
	run(&fixture, 2);
	assert_known(&fixture, &told);
	vec_free(&told);

	/* Where only a frame pointer leads there, it is not believed. */
	set_space(&fixture, STACK_MAP_ROWS, OUTER);
	run(&fixture, 2);
	seen = fixture.seen.items[0];
	assert_int_equal(seen.form, USER_STACK_ADDRESSES);
	assert_int_equal(seen.end, STACK_NO_ROWS);
	assert_int_equal(seen.count, 4);
	assert_stack(&seen, 2);

	/* A file that has not been read yet. */
	set_space(&fixture, STACK_MAP_WAITING, ENTRY);
	run(&fixture, 2);
	assert_int_equal(assert_copied(&fixture)->count, 1);

	stack_tables_drop_space(tables, fixture.space);
	assert_int_equal(stack_tables_generation(tables, fixture.space), 0);
	run(&fixture, 2);
	assert_int_equal(fixture.seen.items[0].generation, 0);
	assert_int_equal(stack_tables_counts(tables).spaces, 0);
	close_fixture(&fixture);
}

static void in_the_interrupt_by_loop(void **state)
{
	(void)state;
	in_the_interrupt(false);
}

static void in_the_interrupt_by_calls(void **state)
{
	(void)state;
	in_the_interrupt(true);
}

/* A table that changes all the time while samples are taken: never half of one. */
static void tables_change_under_the_program(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture, STACK_RUNG_INTERRUPT, false);
	run(&fixture, 2);
	fixture.space = assert_copied(&fixture)->space;
	add_rows(sampler_stack_tables(fixture.sampler));
	for (int i = 0; i < 20; i++) {
		for (int j = 0; j < 50; j++) {
			set_space(&fixture, STACK_MAP_ROWS, ENTRY);
			stacks_outer(10000, 2);
			stack_tables_settle(sampler_stack_tables(fixture.sampler));
		}
		fixture.seen.count = 0;
		sampler_drain(fixture.sampler, clock_ns(), take, &fixture);
		for (size_t k = 0; k < fixture.seen.count; k++) {
			if (fixture.seen.items[k].form == USER_STACK_DUMP)
				continue;
			/* On a slow machine two samples fall into one life of a table. */
			if (fixture.seen.items[k].form == USER_STACK_KNOWN &&
			    came_before(&fixture, k))
				continue;
			assert_int_equal(fixture.seen.items[k].form, USER_STACK_ADDRESSES);
			assert_int_equal(fixture.seen.items[k].count, 5);
			assert_stack(&fixture.seen.items[k], 2);
		}
	}
	/* Room that was replaced is used again. */
	assert_true(stack_tables_counts(sampler_stack_tables(fixture.sampler)).bytes <= 1 << 20);
	close_fixture(&fixture);
}

/* Children inherit the events of a chosen thread, and the program with them. The program finds the
 * parent of such a copy in the kernel's structures. */
static void of_children(void **state)
{
	const pid_t self = getpid();
	const struct sampler_options options = {
		.rate_hz = 997, .tids = &self, .tid_count = 1, .stacks = STACK_RUNG_INTERRUPT
	};
	struct fixture fixture;

	(void)state;
	open_with(&fixture, &options);
	fixture.pid = fork();
	if (fixture.pid == 0) {
		stacks_outer(SPIN, 2);
		_exit(0);
	}
	assert_int_equal(waitpid(fixture.pid, NULL, 0), fixture.pid);
	sampler_drain(fixture.sampler, clock_ns(), take, &fixture);
	assert_true(fixture.seen.count >= ENOUGH);
	/* ns: 997 Hz, jittered; a thread's timer owes nothing */
	assert_in_range(assert_copied(&fixture)->weight, 550 * 1000, 1655 * 1000);
	close_fixture(&fixture);
}

static void copied_by_the_kernel(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture, STACK_RUNG_DUMP, false);
	assert_null(sampler_stack_tables(fixture.sampler));
	run(&fixture, 2);
	assert_int_equal(count_form(&fixture, USER_STACK_DUMP), fixture.seen.count);
	assert_in_range(fixture.seen.items[0].pc, (uint64_t)stacks_inner,
			(uint64_t)stacks_inner_end);
	assert_true(fixture.seen.items[0].stack_size > 3 * 48);
	assert_true(fixture.seen.items[0].chain_is_kernels);
	close_fixture(&fixture);
}

/* The kernel sees the caller of what has a frame pointer, and nothing of those that have none. */
static void by_the_kernels_frame_pointers(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture, STACK_RUNG_FRAME_POINTERS, false);
	run(&fixture, 2);
	assert_int_equal(count_form(&fixture, USER_STACK_CALLCHAIN), fixture.seen.count);
	assert_int_equal(fixture.seen.items[0].end, STACK_FRAME_POINTERS);
	assert_true(fixture.seen.items[0].count >= 2);
	assert_in_range(fixture.seen.items[0].addresses[0], (uint64_t)stacks_inner,
			(uint64_t)stacks_inner_end);
	assert_true(fixture.seen.items[0].chain_is_kernels);
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_the_interrupt_by_loop),
		cmocka_unit_test(in_the_interrupt_by_calls),
		cmocka_unit_test(tables_change_under_the_program),
		cmocka_unit_test(of_children),
		cmocka_unit_test(copied_by_the_kernel),
		cmocka_unit_test(by_the_kernels_frame_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("this test has code for x86-64 and arm64");
	return 77;
}

#endif
