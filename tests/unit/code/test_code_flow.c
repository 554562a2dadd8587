/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code_flow.h"

#include "tools.h"

static void test_targets(void **state)
{
	static const struct {
		const char *text;
		uint64_t target; /* 0: it is no branch */
	} rows[] = {
		{ "jmp    1234 <f+0x4>", 0x1234 },
		{ "jne    1234 <f>", 0x1234 },
		{ "bnd jmp 1234 <f>", 0x1234 },
		{ "jmp    0x7f00", 0x7f00 },
		{ "loop   1234 <f>", 0x1234 },
		{ "jrcxz  1234 <f>", 0x1234 },
		{ "jmp    *%rax", 0 },
		{ "jmp    eax", 0 },
		{ "jmp    DWORD PTR [eax+0x10]", 0 },
		{ "notrack jmp *%rdx", 0 },
		{ "call   1234 <f>", 0 },
		{ "ret", 0 },
		{ "mov    1234,%eax", 0 },
		{ "b      1234 <f>", 0x1234 },
		{ "b.ne   1234 <f>  // b.any", 0x1234 },
		{ "cbz    x0, 1234 <f>", 0x1234 },
		{ "tbnz   w1, #3, 1234 <f>", 0x1234 },
		{ "bl     1234 <f>", 0 },
		{ "br     x16", 0 },
		{ "bic    x0, x1, x2", 0 },
		{ "", 0 },
		{ "jmp", 0 },
		{ "bnd", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t target = 0;

		assert_int_equal(code_flow_target(rows[i].text, &target), rows[i].target != 0);
		assert_int_equal(target, rows[i].target);
	}
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
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_flows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
