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

/* Only a table of jumps leads behind the padding. */
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

static const struct {
	const char *text;
	enum code_flow_kind kind;
	uint64_t target;
} flows[] = {
	{ "mov    %rax,%rbx", CODE_FLOW_NEXT, 0 },
	{ "call   1234 <f>", CODE_FLOW_NEXT, 0 },
	{ "jmp    1234 <f+0x4>", CODE_FLOW_JUMP, 0x1234 },
	{ "bnd jmp 1234 <f+0x4>", CODE_FLOW_JUMP, 0x1234 },
	{ "jne,pt 1234 <f>", CODE_FLOW_BRANCH, 0x1234 },
	{ "jmp    *%rax", CODE_FLOW_COMPUTED, 0 },
	{ "notrack jmp *%rax", CODE_FLOW_COMPUTED, 0 },
	{ "jmp    *0x2008(%rip)        # 404018 <puts>", CODE_FLOW_COMPUTED, 0 },
	{ "ret", CODE_FLOW_RETURN, 0 },
	{ "repz ret", CODE_FLOW_RETURN, 0 },
	{ "bnd ret", CODE_FLOW_RETURN, 0 },
	{ "ud2", CODE_FLOW_STOP, 0 },
	{ "loop   1000 <f>", CODE_FLOW_BRANCH, 0x1000 },
	{ "(bad)", CODE_FLOW_DATA, 0 },
	{ "b\t71c <f+0x10>", CODE_FLOW_JUMP, 0x71c },
	{ "b.ne\t71c <f+0x10>  // b.any", CODE_FLOW_BRANCH, 0x71c },
	{ "cbz\tw0, 71c <f>", CODE_FLOW_BRANCH, 0x71c },
	{ "bl\t71c <f>", CODE_FLOW_NEXT, 0 },
	{ "br\tx16", CODE_FLOW_COMPUTED, 0 },
	{ "ret", CODE_FLOW_RETURN, 0 },
	{ ".word\t0x00000000", CODE_FLOW_DATA, 0 },
};

static void test_flows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(flows) / sizeof(*flows); i++) {
		struct code_flow flow = code_flow_of(flows[i].text);

		if (flow.kind != flows[i].kind)
			fail_msg("'%s' is %d", flows[i].text, flow.kind);
		if (flows[i].target)
			assert_int_equal(flow.target, flows[i].target);
	}
	assert_true(code_flow_of("jmp    *0x4010(,%rax,8)").table);
	assert_true(code_flow_of("notrack jmp *%rax").table);
	assert_false(code_flow_of("jmp    *0x10(%rax)").table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_flows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
