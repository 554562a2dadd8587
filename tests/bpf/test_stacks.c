/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of samples with tables, over stacks of this program: the rows are those that the product
 * compiles, and the oracle is its own walk in user space, of the same bytes.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel.h"
#include "unit/unwind/own_modules.h"

#include "bpf/stacks.bpf.c"

enum {
	MAX_SEGMENTS = 16,
	COPY_BYTES = 256 * 1024,
	EVENT = 7,
	PERIOD = 1000,
	USER_CS = 0x33,
	DEEP = 300,
};

static struct {
	struct task_struct task;
	struct kernel_task known;
	struct mm_struct memory;
	char segment_maps[MAX_SEGMENTS]; /* each stands for a map */
	uint32_t words;			 /* in use */
	struct modules *modules;
	/* The stack that is looked at. */
	struct unwind_registers registers;
	unsigned char stack[COPY_BYTES];
	size_t stack_size;
} world;

/* ---- what user space writes ---- */

static void add_segment(uint32_t number)
{
	const void *map = &world.segment_maps[number];

	assert_true(number < MAX_SEGMENTS);
	kernel_map_add(map, (struct kernel_shape){ .type = BPF_MAP_TYPE_ARRAY,
						   .max_entries = 1,
						   .key_size = sizeof(__u32),
						   .value_size = sizeof(struct segment) });
	assert_int_equal(bpf_map_update_elem(&segments, &number, &map, BPF_ANY), 0);
}

/* The first of so many words, all in one segment. */
static uint32_t take_words(uint32_t count, uint32_t alignment)
{
	uint32_t first = (world.words + alignment - 1) / alignment * alignment;

	assert_true(count <= STACK_SEGMENT_WORDS);
	if (first / STACK_SEGMENT_WORDS != (first + count - 1) / STACK_SEGMENT_WORDS)
		first = (first / STACK_SEGMENT_WORDS + 1) * STACK_SEGMENT_WORDS;
	while (world.words == 0 ||
	       world.words / STACK_SEGMENT_WORDS < first / STACK_SEGMENT_WORDS) {
		uint32_t number = world.words ? world.words / STACK_SEGMENT_WORDS + 1 : 0;

		add_segment(number);
		world.words = number ? number * STACK_SEGMENT_WORDS : 1;
	}
	world.words = first + count;
	return first;
}

static uint32_t *word_at(uint32_t word)
{
	return &find_segment(word)->words[word % STACK_SEGMENT_WORDS];
}

/* Returns the word where its pages begin. */
static uint32_t write_image(const struct unwind_table *table, uint32_t *rule_count)
{
	uint32_t pages = take_words(table->page_count * 2, 2), first_rule = *rule_count;

	assert_true(first_rule + table->rule_count <= STACK_MAX_RULES);
	memcpy(&rules[first_rule], table->rules, table->rule_count * sizeof(rules[0]));
	*rule_count += table->rule_count;
	for (uint32_t i = 0; i < table->page_count; i++) {
		struct stack_page page = { .count = table->pages[i + 1] - table->pages[i] };

		page.rows = take_words(page.count ? page.count : 1, 1);
		for (uint32_t j = 0; j < page.count; j++) {
			uint32_t row = table->rows[table->pages[i] + j];

			*word_at(page.rows + j) = UNWIND_ROW(UNWIND_ROW_OFFSET(row),
							     UNWIND_ROW_RULE(row) + first_rule);
		}
		memcpy(word_at(pages + 2 * i), &page, sizeof(page));
	}
	return pages;
}

static int by_start(const void *a, const void *b)
{
	const struct stack_mapping *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

/* @kind: of this program's own code. */
static void write_space(enum stack_map_kind kind)
{
	const uint32_t block_words = sizeof(struct stack_block) / 4;
	const uint32_t mapping_words = sizeof(struct stack_mapping) / 4;
	const struct module *modules = world.modules->list.items;
	uint32_t count = (uint32_t)world.modules->list.count, rule_count = 0;
	struct stack_mapping *mappings = calloc(count, sizeof(*mappings));
	struct stack_block block = { { modules[0].bias + modules[0].entry },
				     { modules[0].bias + modules[0].entry_end } };
	struct stack_space space = { .generation = 1, .mapping_count = count };
	uint64_t id = space_id(&world.task, (uintptr_t)&world.memory);

	for (uint32_t i = 0; i < count; i++) {
		const struct unwind_table *table = row_table_rows(modules[i].rows);

		mappings[i] = (struct stack_mapping){ .start = modules[i].start,
						      .end = modules[i].end,
						      .base = modules[i].bias + table->base };
		mappings[i].pages = write_image(table, &rule_count);
		mappings[i].page_count =
			STACK_MAPPING_PAGES(table->page_count, i ? STACK_MAP_ROWS : kind);
	}
	qsort(mappings, count, sizeof(*mappings), by_start);
	space.block = take_words(block_words + count * mapping_words, mapping_words);
	memcpy(word_at(space.block), &block, sizeof(block));
	memcpy(word_at(space.block + block_words), mappings, count * sizeof(*mappings));
	free(mappings);
	assert_int_equal(bpf_map_update_elem(&spaces, &id, &space, BPF_ANY), 0);
}

/* ---- a stack of this program ---- */

/* Byte by byte: the sanitizer has places between variables that none may read. */
static void __attribute__((noinline, no_sanitize("address"))) copy_stack(uint64_t from)
{
	const volatile unsigned char *bytes = (const volatile unsigned char *)from;
	pthread_attr_t attributes;
	size_t size;
	void *start;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
	assert_int_equal(pthread_attr_getstack(&attributes, &start, &size), 0);
	pthread_attr_destroy(&attributes);
	world.stack_size = (uintptr_t)start + size - from;
	if (world.stack_size > sizeof(world.stack))
		world.stack_size = sizeof(world.stack);
	for (size_t i = 0; i < world.stack_size; i++)
		world.stack[i] = bytes[i];
}

static void __attribute__((noinline, no_sanitize("address"))) look(void)
{
	struct unwind_registers *registers = &world.registers;

	*registers = (struct unwind_registers){ .known = REGISTERS_KNOWN };
	asm volatile("lea 0(%%rip), %0\n"
		     "mov %%rsp, %1\n"
		     "mov %%rbp, %2\n"
		     : "=r"(registers->pc), "=m"(registers->values[RSP]),
		       "=m"(registers->values[RBP]));
	copy_stack(registers->values[RSP]);
}

static int NO_FRAME_POINTER recurse(int depth)
{
	int value = 0;

	if (depth == 0)
		look();
	else
		value = recurse(depth - 1);
	return value + depth;
}

static void handle(int number)
{
	(void)number;
	look();
}

static int compare_and_look(const void *a, const void *b)
{
	look();
	return *(const int *)a - *(const int *)b;
}

/* ---- the program ---- */

static int sample(int (*program)(struct bpf_perf_event_data *))
{
	struct bpf_perf_event_data context = { .sample_period = PERIOD };

	context.regs.rip = world.registers.pc;
	context.regs.rsp = world.registers.values[RSP];
	context.regs.rbp = world.registers.values[RBP];
	context.regs.cs = USER_CS;
	return KERNEL_RUN(program(&context));
}

static struct stack_cpu *this_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&cpus, &zero);
}

static int begin(void **state)
{
	kernel_begin();
	memset(&world, 0, sizeof(world));
	memset(known_hashes, 0, sizeof(known_hashes));
	set_up(state);
	world.modules = *state;
	world.task = (struct task_struct){ .mm = &world.memory, .tgid = 100 };
	world.known = (struct kernel_task){ .task = &world.task, .pid = 100, .tid = 100 };
	kernel.current = &world.known;
	kernel.cookie = EVENT;
	kernel_map_add(&segments,
		       (struct kernel_shape){ .type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
					      .max_entries = KERNEL_WORD(segments, max_entries),
					      .key_size = sizeof(__u32),
					      .value_size = sizeof(void *) });
	KERNEL_TABLE(spaces);
	KERNEL_TABLE(scratches);
	KERNEL_TABLE(cpus);
	KERNEL_OUTPUT(outputs);
	KERNEL_SET(max_depth, STACK_MAX_USER);
	KERNEL_SET(dump_bytes, STACK_DUMP_MAX);
	KERNEL_SET(verify, 0);
	return 0;
}

static int end(void **state)
{
	kernel_end();
	return tear_down(state);
}

/* ---- what was sent ---- */

/* The number-th record, where perf would put it. */
static const struct stack_record *record_number(size_t number)
{
	static uint64_t words[(sizeof(struct stack_record) + TAIL_WORDS * 8) / 8];

	assert_true(number < kernel.record_count);
	memcpy((char *)words + RECORD_SKIP, kernel.records[number].data,
	       kernel.records[number].size);
	return (const void *)words;
}

/* Looks at the same bytes, in user space and as the program does. */
static void compare(int (*program)(struct bpf_perf_event_data *))
{
	static uint64_t addresses[MAX_FRAMES];
	const struct unwind_input input = { .machine = EM_X86_64,
					    .registers = &world.registers,
					    .stack_address = world.registers.values[RSP],
					    .stack = world.stack,
					    .stack_size = world.stack_size,
					    .find = find_code,
					    .context = world.modules };
	const struct stack_record *record;
	enum stack_end why;
	size_t count = unwinder_walk(&input, addresses, MAX_FRAMES, &why);

	assert_int_equal(why, STACK_COMPLETE);
	memset(known_hashes, 0, sizeof(known_hashes));
	kernel_records_clear();
	assert_int_equal(sample(program), 0);
	assert_int_equal(kernel.record_count, 1);
	record = record_number(0);
	assert_int_equal(record->form, STACK_FORM_ADDRESSES);
	assert_int_equal(record->end, UNWIND_END_COMPLETE);
	assert_int_equal(record->event, EVENT);
	assert_int_equal(record->period, PERIOD);
	assert_int_equal(record->kernel_count, 0);
	assert_int_equal(record->user_count, count);
	assert_memory_equal(record + 1, addresses, count * sizeof(addresses[0]));
}

static void compare_both(size_t least)
{
	kernel_memory_add(world.registers.values[RSP], world.stack, world.stack_size);
	compare(stacks_by_loop);
	assert_true(record_number(0)->user_count >= least);
	compare(stacks_by_calls);
}

/* ---- tests ---- */

static void test_recursion_is_walked_as_in_user_space(void **state)
{
	(void)state;
	write_space(STACK_MAP_ROWS);
	recurse(DEEP);
	compare_both(DEEP + 2);
}

/* From a frame whose code has this rule; NULL: none. */
static enum unwind_end step(struct unwind_frame *frame, const struct unwind_rule *rule)
{
	const struct unwind_place place = { .rule = rule };

	return unwind_step(frame, &place, NULL, NULL, 0);
}

/* Go's structures, as offsets in words: g has its m at 6 and what it saved at 7; m its goroutine at
 * 24. The thread has its g one word below the thread pointer. */
static void test_the_goroutine_of_a_system_stack_is_found(void **state)
{
	enum { RETURN = 0x1234, RESUMED = 0x5678, SP = 0x7f0000001000 };
	static uint64_t thread[2], g0[9], m[25], g[14], stack[2] = { 0x7f00, RETURN };
	static const struct unwind_rule scheduler = { .flags = UNWIND_RULE_SCHEDULER };
	struct unwind_rule rule = { .cfa = UNWIND_CFA_GO_SAVED,
				    .cfa_offset = -8,
				    .reg = 6 * 8,
				    .add = 24 * 8,
				    .more = 7 * 8,
				    .ra = UNWIND_SAVED_CFA,
				    .ra_offset = -8,
				    .fp = UNWIND_SAVED_CFA,
				    .fp_offset = -16,
				    .bx_offset = UNWIND_BX_LOST,
				    .flags = UNWIND_RULE_SWITCH };
	const struct unwind_frame start = { .pc = 0x1000, .sp = SP, .bx_known = 1 };
	struct unwind_frame frame = start;

	(void)state;
	thread[0] = (uintptr_t)g0;
	g0[6] = (uintptr_t)m;
	m[24] = (uintptr_t)g;
	g[7] = (uintptr_t)stack;
	g[8] = RESUMED;
	world.task.thread.fsbase = (uintptr_t)&thread[1];
	kernel_memory_add((uintptr_t)thread, thread, sizeof(thread));
	kernel_memory_add((uintptr_t)g0, g0, sizeof(g0));
	kernel_memory_add((uintptr_t)m, m, sizeof(m));
	kernel_memory_add((uintptr_t)g, g, sizeof(g));
	kernel_memory_add((uintptr_t)stack, stack, sizeof(stack));

	/* systemstack with a frame, and without */
	assert_int_equal(step(&frame, &rule), UNWIND_MORE);
	assert_int_equal(frame.pc, RETURN);
	assert_int_equal(frame.sp, (uintptr_t)(stack + 2));
	assert_int_equal(frame.fp, 0x7f00);
	assert_false(frame.bx_known);
	frame = start;
	rule.fp = UNWIND_SAVED_SAME;
	rule.fp_offset = 0;
	g[7] = (uintptr_t)(stack + 1);
	assert_int_equal(step(&frame, &rule), UNWIND_MORE);
	assert_int_equal(frame.pc, RETURN);
	assert_int_equal(frame.sp, (uintptr_t)(stack + 2));

	/* morestack: its caller, and the caller of that, without rows */
	frame = start;
	rule.cfa = UNWIND_CFA_GO_RESUMED;
	rule.fp = UNWIND_SAVED_CFA;
	rule.fp_offset = 13 * 8;
	g[13] = 0x7f10;
	assert_int_equal(step(&frame, &rule), UNWIND_MORE);
	assert_int_equal(frame.pc, RESUMED);
	assert_int_equal(frame.sp, (uintptr_t)(stack + 1));
	assert_int_equal(frame.fp, 0x7f10);
	assert_true(frame.fp_known);
	assert_false(frame.exact);
	assert_int_equal(step(&frame, NULL), UNWIND_MORE);
	assert_int_equal(frame.pc, RETURN);
	assert_int_equal(frame.sp, (uintptr_t)(stack + 2));
	assert_int_equal(frame.fp, 0x7f10);

	/* a thread that has no goroutine, before and after the scheduler took over */
	m[24] = 0;
	assert_int_equal(step(&frame, &rule), UNWIND_END_SWITCHED);
	(void)step(&frame, &scheduler);
	assert_int_equal(step(&frame, &rule), UNWIND_END_COMPLETE);
	rule.cfa = UNWIND_CFA_GO_SAVED;
	assert_int_equal(step(&frame, &rule), UNWIND_END_SWITCHED);
}

/* What asmcgocall keeps: g in the word after the distance from the end of its stack. */
static void test_the_goroutine_that_called_c_is_found(void **state)
{
	enum { RETURN = 0x1234 };
	static uint64_t g[2], own[2], stack[4] = { 0, 0, RETURN };
	const struct unwind_rule rule = { .cfa = UNWIND_CFA_GO_DEPTH,
					  .cfa_offset = 8,
					  .reg = 0,
					  .add = 8,
					  .ra = UNWIND_SAVED_CFA,
					  .ra_offset = -8,
					  .flags = UNWIND_RULE_SWITCH };
	struct unwind_frame frame = { .pc = 0x1000, .sp = (uintptr_t)own };

	(void)state;
	g[1] = (uintptr_t)(stack + 4);
	own[0] = 2 * sizeof(stack[0]);
	own[1] = (uintptr_t)g;
	kernel_memory_add((uintptr_t)g, g, sizeof(g));
	kernel_memory_add((uintptr_t)own, own, sizeof(own));
	kernel_memory_add((uintptr_t)stack, stack, sizeof(stack));
	assert_int_equal(step(&frame, &rule), UNWIND_MORE);
	assert_int_equal(frame.pc, RETURN);
	assert_int_equal(frame.sp, (uintptr_t)(stack + 3));
	frame.sp = (uintptr_t)own;
	own[1] = 0;
	assert_int_equal(step(&frame, &rule), UNWIND_END_SWITCHED);
}

static void test_a_library_that_calls_back_is_walked(void **state)
{
	int numbers[] = { 2, 1 };

	(void)state;
	write_space(STACK_MAP_ROWS);
	qsort(numbers, 2, sizeof(numbers[0]), compare_and_look);
	compare_both(4);
}

static void test_a_signal_handler_is_walked(void **state)
{
	const uint64_t *addresses;
	size_t exact = 0;

	(void)state;
	write_space(STACK_MAP_ROWS);
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	compare_both(4);
	addresses = (const uint64_t *)(record_number(0) + 1);
	for (size_t i = 1; i < record_number(0)->user_count; i++)
		exact += (addresses[i] & UNWIND_EXACT) != 0;
	assert_int_equal(exact, 2); /* what was interrupted, and what the handler returns to */
}

static void test_a_stack_that_was_sent_is_known(void **state)
{
	uint64_t hash;

	(void)state;
	write_space(STACK_MAP_ROWS);
	recurse(3);
	compare_both(5);
	hash = record_number(0)->hash;
	sample(stacks_by_loop);
	assert_int_equal(kernel.record_count, 2);
	assert_int_equal(record_number(1)->form, STACK_FORM_KNOWN);
	assert_int_equal(record_number(1)->hash, hash);
	assert_int_equal(record_number(1)->user_count, 0);
	assert_int_equal(this_cpu()->counters[STACK_COUNTER_KNOWN], 1);
}

/* Deeper stacks are cut off, where it is said. */
static void test_a_stack_may_be_too_deep(void **state)
{
	(void)state;
	KERNEL_SET(max_depth, 16);
	write_space(STACK_MAP_ROWS);
	recurse(DEEP);
	kernel_memory_add(world.registers.values[RSP], world.stack, world.stack_size);
	sample(stacks_by_loop);
	assert_int_equal(record_number(0)->user_count, 16);
	assert_int_equal(record_number(0)->end, UNWIND_END_TOO_DEEP);
}

/* Of code that user space has not looked at yet: a copy of the stack, while there is room. */
static void test_what_waits_for_its_rows_is_copied(void **state)
{
	const struct stack_record *record;

	(void)state;
	write_space(STACK_MAP_WAITING);
	recurse(DEEP);
	kernel_memory_add(world.registers.values[RSP], world.stack, world.stack_size);
	this_cpu()->copy_limit = 1;
	sample(stacks_by_loop);
	record = record_number(0);
	assert_int_equal(record->form, STACK_FORM_DUMP);
	assert_int_equal(record->end, UNWIND_END_STALE);
	assert_int_equal(this_cpu()->counters[STACK_COUNTER_DUMPS], 1);
	sample(stacks_by_loop);
	assert_int_equal(record_number(1)->form, STACK_FORM_NONE);
	assert_int_equal(record_number(1)->end, UNWIND_END_LOST);
	assert_int_equal(this_cpu()->counters[STACK_COUNTER_RING_FULL], 1);
}

static void test_a_full_ring_is_counted(void **state)
{
	(void)state;
	write_space(STACK_MAP_ROWS);
	recurse(3);
	kernel_memory_add(world.registers.values[RSP], world.stack, world.stack_size);
	kernel.output_left = sizeof(struct stack_record) - RECORD_SKIP;
	sample(stacks_by_loop);
	assert_int_equal(kernel.record_count, 1);
	assert_int_equal(record_number(0)->form, STACK_FORM_NONE);
	assert_int_equal(record_number(0)->hash, 0);
	sample(stacks_by_loop);
	sample(stacks_by_loop);
	assert_int_equal(kernel.record_count, 1);
	assert_int_equal(this_cpu()->counters[STACK_COUNTER_RING_FULL], 3);
	assert_int_equal(this_cpu()->counters[STACK_COUNTER_LOST], 2);
	assert_int_equal(this_cpu()->losses[0].event, EVENT);
	assert_int_equal(this_cpu()->losses[0].count, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_recursion_is_walked_as_in_user_space),
		TEST(test_the_goroutine_of_a_system_stack_is_found),
		TEST(test_the_goroutine_that_called_c_is_found),
		TEST(test_a_library_that_calls_back_is_walked),
		TEST(test_a_signal_handler_is_walked),
		TEST(test_a_stack_that_was_sent_is_known),
		TEST(test_a_stack_may_be_too_deep),
		TEST(test_what_waits_for_its_rows_is_copied),
		TEST(test_a_full_ring_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
