/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions as Go's assembler makes them, and the rules at each of their instructions. */
#include "unwind/stack_switch.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

enum { ADDRESS = 0x401000 };

/* "OFFSET RULE" of each row: sp+N, fp, or none. */
static void write_row(void *context, uint64_t address, const struct unwind_rule *rule)
{
	struct buf *text = context;

	assert_int_equal(rule->flags, UNWIND_RULE_SWITCH);
	assert_true(address >= ADDRESS);
	buf_printf(text, "%s%d ", buf_text(text)[0] ? ", " : "", (int)(address - ADDRESS));
	if (rule->cfa == UNWIND_CFA_SWITCHED) {
		buf_add_str(text, "none");
		return;
	}
	assert_int_equal(rule->ra, UNWIND_SAVED_CFA);
	assert_int_equal(rule->ra_offset, -8);
	if (rule->fp != UNWIND_SAVED_SAME) {
		assert_int_equal(rule->fp, UNWIND_SAVED_CFA);
		assert_int_equal(rule->fp_offset, -16);
	}
	if (rule->cfa == UNWIND_CFA_FP) {
		assert_int_equal(rule->cfa_offset, 16);
		buf_printf(text, "fp%s", rule->fp == UNWIND_SAVED_CFA ? "" : " kept");
	} else {
		assert_int_equal(rule->cfa, UNWIND_CFA_SP);
		buf_printf(text, "sp+%d%s", rule->cfa_offset,
			   rule->fp == UNWIND_SAVED_CFA ? " saved" : "");
	}
}

static void check(uint16_t machine, const char *code, size_t size, const char *wanted)
{
	struct buf text = { 0 };

	stack_switch_rows(machine, ADDRESS, (const uint8_t *)code, size, write_row, &text);
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
}

#define CHECK(code, wanted) check(EM_X86_64, code, sizeof(code) - 1, wanted)

/* sub $24,%rsp; mov %rbp,16(%rsp); lea 16(%rsp),%rbp */
#define OLDER "\x48\x83\xec\x18\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10"
/* mov 16(%rsp),%rbp; add $24,%rsp; ret */
#define OLDER_END "\x48\x8b\x6c\x24\x10\x48\x83\xc4\x18\xc3"
/* mov %rbx,%rsp; call *%rax; mov %r12,%rsp */
#define BODY "\x48\x89\xdc\xff\xd0\x4c\x89\xe4"
/* push %rbp; mov %rsp,%rbp */
#define NEWER "\x55\x48\x89\xe5"

static void older_frames(void **state)
{
	(void)state;
	CHECK(OLDER BODY OLDER_END, "0 sp+8, 4 sp+32, 14 fp, 27 sp+32, 31 sp+8");
	CHECK(OLDER BODY OLDER_END BODY OLDER_END,
	      "0 sp+8, 4 sp+32, 14 fp, 27 sp+32, 31 sp+8, 32 fp, 45 sp+32, 49 sp+8");
	/* the same with constants of four bytes: 0x1000 */
	CHECK("\x48\x81\xec\0\x10\0\0\x48\x89\xac\x24\xf8\x0f\0\0\x48\x8d\xac\x24\xf8\x0f\0\0" BODY
	      "\x48\x8b\xac\x24\xf8\x0f\0\0\x48\x81\xc4\0\x10\0\0\xc3",
	      "0 sp+8, 7 sp+4104, 23 fp, 39 sp+4104, 46 sp+8");
}

static void newer_frames(void **state)
{
	(void)state;
	CHECK(NEWER BODY "\x5d\xc3", "0 sp+8, 1 sp+16 saved, 4 fp, 13 sp+8");
	CHECK(NEWER BODY "\x48\x83\xc4\x10\x5d\xc3" BODY,
	      "0 sp+8, 1 sp+16 saved, 4 fp, 17 sp+8, 18 fp");
}

/* Nothing is known of the caller where the frame pointer is not the function's all the time. */
static void nothing_to_hold_on_to(void **state)
{
	(void)state;
	CHECK(BODY "\xc3", "0 none");
	CHECK("", "0 none");
	CHECK("\x55", "0 none");
	CHECK("\x48\x83\xec", "0 none");
	/* rbp is saved elsewhere than it is set to; no room for it; a negative constant */
	CHECK("\x48\x83\xec\x18\x48\x89\x6c\x24\x08\x48\x8d\x6c\x24\x10" BODY, "0 none");
	CHECK("\x48\x83\xec\x20\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10" BODY, "0 none");
	CHECK("\x48\x83\xec\x88\x48\x89\x6c\x24\x80\x48\x8d\x6c\x24\x80" BODY, "0 none");
	/* it is set to something else on the way */
	CHECK(NEWER "\x31\xed" BODY "\x5d\xc3", "0 none");	       /* xor %ebp,%ebp */
	CHECK(NEWER "\x48\x8b\x68\x68" BODY "\x5d\xc3", "0 none");     /* mov 104(%rax),%rbp */
	CHECK(NEWER "\x48\x89\xc5" BODY "\x5d\xc3", "0 none");	       /* mov %rax,%rbp */
	CHECK(NEWER "\x49\x8d\x2c\x24" BODY "\x5d\xc3", "0 none");     /* lea (%r12),%rbp */
	CHECK(NEWER "\x48\xc7\xc5\0\0\0\0" BODY "\x5d\xc3", "0 none"); /* mov $0,%rbp */
	CHECK(NEWER BODY "\x5d\xff\xe7", "0 none");		       /* pop %rbp; jmp *%rdi */
	CHECK(OLDER BODY "\x48\x8b\x6c\x24\x08\x48\x83\xc4\x18\xc3", "0 none");
	check(EM_AARCH64, NEWER BODY "\x5d\xc3", 14, "0 none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(older_frames),
		cmocka_unit_test(newer_frames),
		cmocka_unit_test(nothing_to_hold_on_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
