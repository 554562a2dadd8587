/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions that are recognised, and what can be a rule. */
#include "unwind/frame_rules.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RAX = 0, RDI = 5, RBP = 6, RSP = 7, RIP = 16 };

#define READER(...) reader_make((uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

static const struct frame_machine *x86_64(void)
{
	return frame_rules_machine(EM_X86_64);
}

static void assert_cfa(struct reader expression, enum frame_cfa_how how, uint64_t reg,
		       int64_t offset, int64_t add)
{
	struct frame_cfa cfa = frame_rules_cfa_expression(x86_64(), expression);

	assert_int_equal(cfa.how, how);
	if (how == FRAME_CFA_UNKNOWN)
		return;
	assert_int_equal(cfa.reg, reg);
	assert_int_equal(cfa.offset, offset);
	assert_int_equal(cfa.add, add);
}

static void test_machines(void **state)
{
	(void)state;
	assert_int_equal(frame_rules_machine(EM_X86_64)->ra, RIP);
	assert_int_equal(frame_rules_machine(EM_AARCH64)->ra, 30);
	assert_null(frame_rules_machine(EM_386));
}

static void test_cfa(void **state)
{
	(void)state;
	assert_cfa(READER(0x77, 0x10), FRAME_CFA_REGISTER, RSP, 16, 0);
	assert_cfa(READER(0x92, 0x10, 0x7f), FRAME_CFA_REGISTER, RIP, -1, 0);
	assert_cfa(READER(0x76, 0x78, 0x06), FRAME_CFA_DEREF, RBP, -8, 0);
	assert_cfa(READER(0x77, 0xa0, 0x01, 0x06), FRAME_CFA_DEREF, RSP, 160, 0);
	assert_cfa(READER(0x77, 0x18, 0x06, 0x23, 0x08), FRAME_CFA_DEREF, RSP, 24, 8);
	assert_cfa(READER(0x77, 0x18, 0x06, 0x38, 0x22), FRAME_CFA_DEREF, RSP, 24, 8);
	/* an addition without its operand, a constant too much, bytes too few, nothing */
	assert_cfa(READER(0x77, 0x18, 0x06, 0x38), FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(READER(0x77, 0x18, 0x06, 0x23, 0x08, 0x06), FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(READER(0x77, 0x98), FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(READER(0x77), FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(reader_make(NULL, 0), FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(READER(0x30), FRAME_CFA_UNKNOWN, 0, 0, 0);
}

static void test_plt(void **state)
{
	(void)state;
	assert_cfa(READER(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
		   FRAME_CFA_PLT, RSP, 11, 0);
	assert_cfa(READER(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x35, 0x2a, 0x33, 0x24, 0x22),
		   FRAME_CFA_PLT, RSP, 5, 0);
	/* another base, register, mask or shift; 16 of 16; too short; too long */
	assert_cfa(READER(0x77, 16, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
		   FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(READER(0x77, 8, 0x7f, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
		   FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(READER(0x77, 8, 0x80, 0, 0x3e, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
		   FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(READER(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x32, 0x24, 0x22),
		   FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(READER(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x40, 0x2a, 0x33, 0x24, 0x22),
		   FRAME_CFA_UNKNOWN, 0, 0, 0);
	assert_cfa(READER(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24), FRAME_CFA_UNKNOWN,
		   0, 0, 0);
	assert_cfa(READER(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22, 0x06),
		   FRAME_CFA_UNKNOWN, 0, 0, 0);
}

static void test_saved(void **state)
{
	struct frame_saved saved = frame_rules_saved_expression(READER(0x77, 0xa8, 0x01));

	(void)state;
	assert_int_equal(saved.how, FRAME_SAVED_MEMORY);
	assert_int_equal(saved.reg, RSP);
	assert_int_equal(saved.offset, 168);
	saved = frame_rules_saved_expression(READER(0x23, 0x10)); /* the CFA is there already */
	assert_int_equal(saved.how, FRAME_SAVED_CFA);
	assert_int_equal(saved.offset, 16);
	saved = frame_rules_saved_expression(READER(0x77, 0x08, 0x06));
	assert_int_equal(saved.how, FRAME_SAVED_UNKNOWN);
}

/* rsp + 8, the return address below the CFA. */
static struct frame_rules usual(void)
{
	return (struct frame_rules){
		.cfa = { .how = FRAME_CFA_REGISTER, .reg = RSP, .offset = 8 },
		.ra = { .how = FRAME_SAVED_CFA, .offset = -8 },
	};
}

static void test_pack(void **state)
{
	struct frame_rules rules = usual();
	struct unwind_rule rule = frame_rules_pack(&rules, x86_64(), 0);

	(void)state;
	assert_int_equal(rule.cfa, UNWIND_CFA_SP);
	assert_int_equal(rule.cfa_offset, 8);
	assert_int_equal(rule.ra, UNWIND_SAVED_CFA);
	assert_int_equal(rule.ra_offset, -8);
	assert_int_equal(rule.fp, UNWIND_SAVED_SAME);
	assert_int_equal(rule.flags, 0);
	rules.fp = (struct frame_saved){ .how = FRAME_SAVED_MEMORY, .reg = RBP, .offset = 24 };
	rule = frame_rules_pack(&rules, x86_64(), UNWIND_RULE_SIGNAL);
	assert_int_equal(rule.fp, UNWIND_SAVED_FP);
	assert_int_equal(rule.fp_offset, 24);
	assert_int_equal(rule.flags, UNWIND_RULE_SIGNAL);
	rules.cfa.reg = RAX;
	rule = frame_rules_pack(&rules, x86_64(), 0);
	assert_int_equal(rule.cfa, UNWIND_CFA_REGISTER);
	assert_int_equal(rule.reg, RAX);
}

/* vfork keeps its return address in a register while it is in the kernel. */
static void test_return_in_a_register(void **state)
{
	struct frame_rules rules = usual();
	struct unwind_rule rule;

	(void)state;
	rules.ra = (struct frame_saved){ .how = FRAME_SAVED_REGISTER, .reg = RDI };
	rule = frame_rules_pack(&rules, x86_64(), 0);
	assert_int_equal(rule.ra, UNWIND_SAVED_REGISTER);
	assert_int_equal(rule.reg, RDI);
	rules.cfa.reg = RAX; /* one register too many */
	rule = frame_rules_pack(&rules, x86_64(), 0);
	assert_int_equal(rule.cfa, UNWIND_CFA_NONE);
}

/* A frame pointer that no row can describe is lost; the frame is not. */
static void test_lost_frame_pointer(void **state)
{
	struct frame_rules rules = usual();
	struct unwind_rule rule;

	(void)state;
	rules.fp = (struct frame_saved){ .how = FRAME_SAVED_UNKNOWN };
	rule = frame_rules_pack(&rules, x86_64(), 0);
	assert_int_equal(rule.cfa, UNWIND_CFA_SP);
	assert_int_equal(rule.fp, UNWIND_SAVED_UNDEFINED);
	rules.fp = (struct frame_saved){ .how = FRAME_SAVED_CFA, .offset = (int64_t)1 << 31 };
	rule = frame_rules_pack(&rules, x86_64(), 0);
	assert_int_equal(rule.fp, UNWIND_SAVED_UNDEFINED);
	assert_int_equal(rule.fp_offset, 0);
}

static bool is_none(const struct frame_rules *rules, const struct frame_machine *machine)
{
	static const struct unwind_rule none = { .cfa = UNWIND_CFA_NONE };
	struct unwind_rule rule = frame_rules_pack(rules, machine, true);

	return memcmp(&rule, &none, sizeof(none)) == 0;
}

static void test_none(void **state)
{
	struct frame_rules rules = usual();

	(void)state;
	rules.ra = (struct frame_saved){ .how = FRAME_SAVED_UNSAID };
	assert_true(is_none(&rules, x86_64()));
	assert_false(is_none(&rules, frame_rules_machine(EM_AARCH64))); /* in lr */
	rules.ra = (struct frame_saved){ .how = FRAME_SAVED_UNKNOWN };
	assert_true(is_none(&rules, x86_64()));
	rules.ra = (struct frame_saved){ .how = FRAME_SAVED_MEMORY, .reg = RAX };
	assert_true(is_none(&rules, x86_64()));
	rules = usual();
	rules.cfa.offset = (int64_t)1 << 31;
	assert_true(is_none(&rules, x86_64()));
	rules = usual();
	rules.cfa.how = FRAME_CFA_UNKNOWN;
	assert_true(is_none(&rules, x86_64()));
	rules.cfa = (struct frame_cfa){ .how = FRAME_CFA_DEREF, .reg = RSP, .add = 65536 };
	assert_true(is_none(&rules, x86_64()));
	rules.cfa = (struct frame_cfa){ .how = FRAME_CFA_DEREF, .reg = RAX };
	assert_true(is_none(&rules, x86_64()));
	rules.cfa = (struct frame_cfa){ .how = FRAME_CFA_REGISTER, .reg = 65536 };
	assert_true(is_none(&rules, x86_64()));
}

static void test_outermost(void **state)
{
	struct frame_rules rules = usual();
	struct unwind_rule rule;

	(void)state;
	rules.ra = (struct frame_saved){ .how = FRAME_SAVED_UNDEFINED };
	rules.cfa.how = FRAME_CFA_UNKNOWN;
	rule = frame_rules_pack(&rules, x86_64(), 0);
	assert_int_not_equal(rule.cfa, UNWIND_CFA_NONE);
	assert_int_equal(rule.ra, UNWIND_SAVED_UNDEFINED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_cfa),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_saved),
		cmocka_unit_test(test_return_in_a_register),
		cmocka_unit_test(test_pack),
		cmocka_unit_test(test_lost_frame_pointer),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_outermost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
