/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule after a few instructions. */
#include "unwind/code_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct code_frame after(const char *bytes, size_t size)
{
	struct code_frame frame = { .sp = 8, .fp = CODE_FRAME_UNKNOWN, .same = true };

	for (size_t at = 0; at < size;) {
		struct x86_code code = { .length = 0 };
		size_t left = size - at;

		memcpy(code.bytes, bytes + at, left < X86_CODE_BYTES ? left : X86_CODE_BYTES);
		x86_decode(&code);
		assert_int_not_equal(code.length, 0);
		code_frame_apply(&code, &frame);
		at += code.length;
	}
	return frame;
}

/* lea 8(%rsp),%r10; and $-64,%rsp; push -8(%r10); push %rbp; mov %rsp,%rbp; push %r10 */
#define HOLD	"\x4c\x8d\x54\x24\x08"
#define ALIGN	"\x48\x83\xe4\xc0"
#define PUSHES	"\x41\xff\x72\xf8\x55"
#define SET	"\x48\x89\xe5"
#define KEEP	"\x41\x52"
#define CALL	"\xe8\x01\x02\x03\x04"
#define ALIGNED HOLD ALIGN PUSHES SET KEEP
/* sub %rax,%rsp; mov -8(%rbp),%r10; leave; lea -8(%r10),%rsp */
#define ROOM	"\x48\x29\xc4"
#define HOLD_2	"\x4c\x8b\x55\xf8"
#define LEAVE	"\xc9"
#define GO_BACK "\x49\x8d\x62\xf8"

static void rules(void **state)
{
	static const struct {
		const char *code;
		uint8_t cfa, fp;
		int32_t cfa_offset, fp_offset;
	} rows[] = {
		{ "\x53", UNWIND_CFA_SP, UNWIND_SAVED_SAME, 16, 0 },		  /* push %rbx */
		{ "\x55\x48\x89\xe5", UNWIND_CFA_SP, UNWIND_SAVED_CFA, 16, -16 }, /* a prologue */
		{ "\x55\x48\x89\xe5\x48\x29\xc4", UNWIND_CFA_FP, UNWIND_SAVED_CFA, 16, -16 },
		{ "\x55\x48\x89\xe5\x48\x29\xc4\xc9", UNWIND_CFA_SP, UNWIND_SAVED_SAME, 8, 0 },
		{ "\x48\x89\xfd", UNWIND_CFA_SP, UNWIND_SAVED_UNDEFINED, 8, 0 }, /* mov %rdi,%rbp */
		{ "\x58", UNWIND_CFA_NONE, UNWIND_SAVED_SAME, 0, 0 },		 /* pop %rax */
		{ "\x48\x29\xc4", UNWIND_CFA_NONE, UNWIND_SAVED_SAME, 0, 0 },	 /* sub %rax,%rsp */
		/* push %rbp twice; mov %rdi,%rbp: the first place is the one that lasts */
		{ "\x55\x55\x48\x89\xfd", UNWIND_CFA_SP, UNWIND_SAVED_CFA, 24, -16 },
		/* the stack is aligned */
		{ HOLD, UNWIND_CFA_SP, UNWIND_SAVED_SAME, 8, 0 },
		{ HOLD ALIGN, UNWIND_CFA_REGISTER, UNWIND_SAVED_SAME, 0, 0 },
		{ HOLD ALIGN PUSHES, UNWIND_CFA_REGISTER, UNWIND_SAVED_SAME, 0, 0 },
		{ HOLD ALIGN PUSHES SET, UNWIND_CFA_REGISTER, UNWIND_SAVED_FP, 0, 0 },
		{ HOLD ALIGN PUSHES SET CALL, UNWIND_CFA_NONE, UNWIND_SAVED_SAME, 0, 0 },
		{ ALIGNED, UNWIND_CFA_FP_DEREF, UNWIND_SAVED_FP, -8, 0 },
		{ ALIGNED CALL, UNWIND_CFA_FP_DEREF, UNWIND_SAVED_FP, -8, 0 },
		{ ALIGNED ROOM CALL, UNWIND_CFA_FP_DEREF, UNWIND_SAVED_FP, -8, 0 },
		{ ALIGNED CALL HOLD_2 LEAVE, UNWIND_CFA_REGISTER, UNWIND_SAVED_SAME, 0, 0 },
		{ ALIGNED CALL HOLD_2 LEAVE GO_BACK, UNWIND_CFA_SP, UNWIND_SAVED_SAME, 8, 0 },
		{ ALIGNED CALL "\x41\x5a\x5d", UNWIND_CFA_REGISTER, UNWIND_SAVED_SAME, 0, 0 },
		/* the register takes another value: mov %rax,%r10 */
		{ HOLD ALIGN "\x49\x89\xc2", UNWIND_CFA_NONE, UNWIND_SAVED_SAME, 0, 0 },
		/* it does not have the CFA: lea 16(%rsp),%r10 */
		{ "\x4c\x8d\x54\x24\x10" ALIGN, UNWIND_CFA_NONE, UNWIND_SAVED_SAME, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct code_frame frame = after(rows[i].code, strlen(rows[i].code));
		struct unwind_rule rule = code_frame_rule(&frame);

		assert_int_equal(rule.cfa, rows[i].cfa);
		assert_int_equal(rule.fp, rows[i].fp);
		assert_int_equal(rule.cfa_offset, rows[i].cfa_offset);
		assert_int_equal(rule.fp_offset, rows[i].fp_offset);
	}
}

static void merged_frames(void **state)
{
	struct code_frame here = after(ALIGNED, sizeof(ALIGNED) - 1), other = here, both;

	(void)state;
	assert_false(code_frame_is_lost(&here));
	assert_false(code_frame_is_left(&here));
	assert_false(code_frame_disagree(&here, &other));
	other.holder = 0;
	other.sp += 8;
	assert_true(code_frame_disagree(&here, &other));
	both = code_frame_merge(&here, &other);
	assert_int_equal(both.holder, 0);
	assert_int_equal(both.sp, CODE_FRAME_UNKNOWN);
	assert_false(code_frame_is_lost(&both)); /* rbp leads to the CFA */
	other.kept = 0;
	both = code_frame_merge(&here, &other);
	assert_true(code_frame_is_lost(&both));
	other = after("", 0);
	assert_true(code_frame_is_left(&other));
	assert_false(code_frame_disagree(&here, &other));
	both = code_frame_merge(&here, &other);
	assert_true(code_frame_is_lost(&both));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
		cmocka_unit_test(merged_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
