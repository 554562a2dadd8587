/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void take(struct code_blocks *blocks, uint64_t address, uint32_t length, const char *text)
{
	const struct code_line line = { .address = address, .length = length, .text = text };

	assert_true(code_blocks_take(blocks, &line));
}

/* A loop with an if in it, as gcc writes it. */
static void make_loop(struct code_blocks *blocks)
{
	take(blocks, 0x1000, 2, "test   %edi,%edi");
	take(blocks, 0x1002, 2, "jle    1020 <loop+0x20>");
	take(blocks, 0x1004, 2, "xor    %eax,%eax");
	take(blocks, 0x1006, 2, "test   $0x1,%al"); /* the head of the loop */
	take(blocks, 0x1008, 2, "je     100f <loop+0xf>");
	take(blocks, 0x100a, 5, "call   2000 <other>");
	take(blocks, 0x100f, 3, "add    $0x1,%eax");
	take(blocks, 0x1012, 2, "cmp    %eax,%edi");
	take(blocks, 0x1014, 2, "jne    1006 <loop+0x6>");
	take(blocks, 0x1016, 1, "ret");
	take(blocks, 0x1017, 9, "nopw   0x0(%rax,%rax,1)");
	take(blocks, 0x1020, 1, "ret");
}

static void test_loop(void **state)
{
	static const uint64_t starts[] = { 0x1000, 0x1004, 0x1006, 0x100a, 0x100f, 0x1016, 0x1020 };
	struct code_blocks blocks = { .data = false };

	(void)state;
	make_loop(&blocks);
	code_blocks_find(&blocks);
	assert_int_equal(blocks.list.count, sizeof(starts) / sizeof(*starts));
	for (size_t i = 0; i < blocks.list.count; i++)
		assert_int_equal(blocks.list.items[i].start, starts[i]);
	assert_int_equal(blocks.list.items[2].end, 0x100a);
	assert_int_equal(blocks.list.items[2].count, 2);
	assert_non_null(code_blocks_step(&blocks, 0x100a));
	assert_null(code_blocks_step(&blocks, 0x100b));
	assert_int_equal(code_blocks_before(&blocks, 0x100b)->address, 0x100a);
	assert_null(code_blocks_before(&blocks, 0xfff));
	assert_false(code_blocks_loops_to_start(&blocks, 0x1000));
	code_blocks_done(&blocks);
}

/* Code after the padding is reached only through a jump table. */
static void test_padding(void **state)
{
	struct code_blocks blocks = { .data = false };

	(void)state;
	take(&blocks, 0x1000, 7, "jmp    *0x4010(,%rax,8)");
	take(&blocks, 0x1007, 9, "nopw   0x0(%rax,%rax,1)");
	take(&blocks, 0x1010, 1, "ret");
	take(&blocks, 0x1011, 1, "nop");
	code_blocks_find(&blocks);
	assert_int_equal(blocks.list.count, 2);
	assert_int_equal(blocks.list.items[1].start, 0x1010);
	assert_int_equal(blocks.list.items[1].count, 1);
	code_blocks_done(&blocks);
}

static enum code_exits exits(struct code_blocks *blocks, uint64_t end, size_t *ret_count)
{
	struct code_ends ends = { .returns = { 0 } };
	enum code_exits found = code_blocks_exits(blocks, 0x1000, end, NULL, NULL, &ends);

	*ret_count = (ends.returns.size + ends.jumps.size) / sizeof(uint64_t);
	code_ends_done(&ends);
	code_blocks_done(blocks);
	return found;
}

static void test_exits(void **state)
{
	struct code_blocks blocks = { .data = false };
	size_t count;

	(void)state;
	make_loop(&blocks);
	assert_int_equal(exits(&blocks, 0x1021, &count), CODE_EXITS_PLAIN);
	assert_int_equal(count, 2);
	take(&blocks, 0x1000, 5, "jmp    2000 <other>");
	assert_int_equal(exits(&blocks, 0x1005, &count), CODE_EXITS_TAIL);
	assert_int_equal(count, 1);
	take(&blocks, 0x1000, 2, "je     2000 <other>");
	take(&blocks, 0x1002, 1, "ret");
	assert_int_equal(exits(&blocks, 0x1003, &count), CODE_EXITS_UNKNOWN);
	take(&blocks, 0x1000, 2, "ud2");
	assert_int_equal(exits(&blocks, 0x1002, &count), CODE_EXITS_UNKNOWN);
	/* a table of jumps, and a call of what a pointer leads to, last of all */
	take(&blocks, 0x1000, 3, "add    %rdx,%rax");
	take(&blocks, 0x1003, 2, "jmp    *%rax");
	take(&blocks, 0x1005, 1, "ret");
	assert_int_equal(exits(&blocks, 0x1006, &count), CODE_EXITS_PLAIN);
	take(&blocks, 0x1000, 2, "jmp    *%rax");
	take(&blocks, 0x1002, 1, "ret");
	assert_int_equal(exits(&blocks, 0x1003, &count), CODE_EXITS_TAIL);
	assert_int_equal(count, 2);
}

struct line {
	uint64_t address;
	uint32_t length;
	const char *text;
};

#define CHECK_ENTRY(lines, wanted) check_entry(lines, sizeof(lines) / sizeof((lines)[0]), wanted)

/* @wanted: 0 where it begins at its start. */
static void check_entry(const struct line *lines, size_t count, uint64_t wanted)
{
	struct code_blocks blocks = { .data = false };
	uint64_t entry = 0;

	for (size_t i = 0; i < count; i++) {
		const struct code_line line = { .address = lines[i].address,
						.length = lines[i].length,
						.text = lines[i].text };

		assert_true(code_blocks_take(&blocks, &line));
	}
	code_blocks_find(&blocks);
	assert_int_equal(code_blocks_go_entry(&blocks, lines[0].address, &entry), wanted != 0);
	assert_int_equal(entry, wanted);
	code_blocks_done(&blocks);
}

/* As Go 1.19 writes them. */
static void entries_follow_the_stack_check(void **state)
{
	static const struct line small[] = {
		{ 0x1000, 4, "cmp    0x10(%r14),%rsp" },
		{ 0x1004, 2, "jbe    1020 <f+0x20>" },
		{ 0x1006, 4, "sub    $0x38,%rsp" },
		{ 0x100a, 5, "call   2000 <g>" },
		{ 0x100f, 2, "je     1006 <f+0x6>" },
		{ 0x1011, 4, "add    $0x38,%rsp" },
		{ 0x1015, 1, "ret" },
		{ 0x1020, 5, "mov    %rax,0x8(%rsp)" },
		{ 0x1025, 5, "call   3000 <runtime.morestack_noctxt.abi0>" },
		{ 0x102a, 5, "mov    0x8(%rsp),%rax" },
		{ 0x102f, 2, "jmp    1000 <f>" },
	};
	static const struct line large[] = {
		{ 0x1000, 3, "mov    %rsp,%r12" },
		{ 0x1003, 7, "sub    $0x100000,%r12" },
		{ 0x100a, 2, "jb     1020 <f+0x20>" },
		{ 0x100c, 4, "cmp    0x10(%r14),%r12" },
		{ 0x1010, 2, "jbe    1020 <f+0x20>" },
		{ 0x1012, 7, "sub    $0x100000,%rsp" },
		{ 0x1019, 1, "ret" },
		{ 0x1020, 5, "call   3000 <runtime.morestack_noctxt.abi0>" },
		{ 0x1025, 2, "jmp    1000 <f>" },
	};
	/* another branch, to a call that does not return: it does not reach the code after it */
	static const struct line ending[] = {
		{ 0x1000, 4, "cmp    0x10(%r14),%rsp" },
		{ 0x1004, 2, "jbe    1013 <f+0x13>" },
		{ 0x1006, 3, "test   %rax,%rax" },
		{ 0x1009, 2, "jge    100e <f+0xe>" },
		{ 0x100b, 1, "ret" },
		{ 0x100e, 5, "call   2000 <runtime.gopanic>" },
		{ 0x1013, 5, "call   3000 <runtime.morestack_noctxt.abi0>" },
		{ 0x1018, 2, "jmp    1000 <f>" },
	};
	static const struct line arm64[] = {
		{ 0x1000, 4, "ldr     x16, [x28, #16]" },
		{ 0x1004, 4, "cmp     sp, x16" },
		{ 0x1008, 4, "b.ls    0x1014  // b.plast" },
		{ 0x100c, 4, "str     x30, [sp, #-80]!" },
		{ 0x1010, 4, "ret" },
		{ 0x1014, 4, "mov     x3, x30" },
		{ 0x1018, 4, "bl      0x3000" },
		{ 0x101c, 4, "b       0x1000" },
	};

	(void)state;
	CHECK_ENTRY(small, 0x1006);
	CHECK_ENTRY(large, 0x1012);
	CHECK_ENTRY(ending, 0x1006);
	CHECK_ENTRY(arm64, 0x100c);
}

static void others_begin_at_the_start(void **state)
{
	/* go:nosplit, with a loop around all of it */
	static const struct line loop[] = {
		{ 0x1000, 3, "dec    %rax" },
		{ 0x1003, 2, "jne    1000 <f>" },
		{ 0x1005, 1, "ret" },
	};
	/* the question is another one */
	static const struct line branch[] = {
		{ 0x1000, 3, "test   %rax,%rax" },
		{ 0x1003, 2, "je     1010 <f+0x10>" },
		{ 0x1005, 1, "ret" },
		{ 0x1010, 5, "call   2000 <g>" },
		{ 0x1015, 1, "ret" },
	};
	static const struct line beyond[] = {
		{ 0x1000, 4, "cmp    0x10(%r14),%rsp" },
		{ 0x1004, 2, "jbe    5000 <elsewhere>" },
		{ 0x1006, 1, "ret" },
	};

	(void)state;
	CHECK_ENTRY(loop, 0);
	CHECK_ENTRY(branch, 0);
	CHECK_ENTRY(beyond, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(entries_follow_the_stack_check),
		cmocka_unit_test(others_begin_at_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
