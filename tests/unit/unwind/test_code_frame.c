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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
