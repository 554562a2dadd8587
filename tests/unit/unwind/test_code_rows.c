/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of pieces of code, instruction by instruction. */
#include "unwind/code_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "bpf/x86_code.h"

enum { ADDRESS = 0x401000 };

/* Adds "OFFSET CFA FP" of a row that is not like the one before. */
static void write_row(void *context, uint64_t address, const struct unwind_rule *rule)
{
	struct buf *text = context;
	static char last[64];
	char row[64], fp[32] = "";

	if (address == ADDRESS)
		last[0] = '\0';
	if (rule->fp == UNWIND_SAVED_CFA)
		snprintf(fp, sizeof(fp), " CFA%d", rule->fp_offset);
	else if (rule->fp == UNWIND_SAVED_UNDEFINED)
		snprintf(fp, sizeof(fp), " lost");
	if (rule->cfa == UNWIND_CFA_NONE)
		snprintf(row, sizeof(row), "none");
	else if (rule->ra == UNWIND_SAVED_UNDEFINED)
		snprintf(row, sizeof(row), "outermost");
	else
		snprintf(row, sizeof(row), "%s+%d%s", rule->cfa == UNWIND_CFA_SP ? "sp" : "fp",
			 rule->cfa_offset, fp);
	if (strcmp(row, last) == 0)
		return;
	buf_printf(text, "%s%d %s", buf_text(text)[0] ? ", " : "", (int)(address - ADDRESS), row);
	snprintf(last, sizeof(last), "%s", row);
}

#define CODE(bytes) bytes, sizeof(bytes) - 1

/* @started: the code is known to begin a function. */
static void assert_rows(const char *bytes, size_t size, bool started, const char *wanted)
{
	struct code_rows *rows = code_rows_new();
	uint8_t *copy = malloc(size);
	struct buf text = { 0 };

	memcpy(copy, bytes, size);
	code_rows_add(rows, ADDRESS, copy, size);
	if (started)
		code_rows_add_start(rows, ADDRESS, CODE_ROWS_FUNCTION);
	code_rows_run(rows, NULL);
	code_rows_tell(rows, ADDRESS, ADDRESS + size, write_row, &text);
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
	code_rows_free(rows);
}

#define PUSH_RBP     "\x55"
#define MOV_RSP_RBP  "\x48\x89\xe5"
#define POP_RBP	     "\x5d"
#define RET	     "\xc3"
#define SUB_24	     "\x48\x83\xec\x18"
#define ADD_24	     "\x48\x83\xc4\x18"
#define CALL_OUTSIDE "\xe8\x00\x10\x00\x00"
#define NOP_7	     "\x0f\x1f\x80\x00\x00\x00\x00"

static void functions(void **state)
{
	(void)state;
	/* a leaf; found with and without knowing that it begins here */
	assert_rows(CODE("\x31\xc0" RET), true, "0 sp+8");
	assert_rows(CODE("\x31\xc0" RET), false, "0 sp+8");
	/* a frame pointer */
	assert_rows(CODE(PUSH_RBP MOV_RSP_RBP CALL_OUTSIDE POP_RBP RET), true,
		    "0 sp+8, 1 sp+16, 4 sp+16 CFA-16, 10 sp+8");
	/* locals without a frame pointer */
	assert_rows(CODE(SUB_24 CALL_OUTSIDE ADD_24 RET), true, "0 sp+8, 4 sp+32, 13 sp+8");
	/* a stack of unknown size: sub %rax,%rsp; leave */
	assert_rows(CODE(PUSH_RBP MOV_RSP_RBP "\x48\x29\xc4\x90\xc9" RET), true,
		    "0 sp+8, 1 sp+16, 4 sp+16 CFA-16, 7 fp+16 CFA-16, 9 sp+8");
	/* rbp as any register: push %rbp; mov %rdi,%rbp; pop %rbp */
	assert_rows(CODE(PUSH_RBP "\x48\x89\xfd" POP_RBP RET), true,
		    "0 sp+8, 1 sp+16, 4 sp+16 CFA-16, 5 sp+8");
	/* je over a call that is followed by the next function */
	assert_rows(CODE(SUB_24 "\x74\x05" CALL_OUTSIDE ADD_24 RET), true,
		    "0 sp+8, 4 sp+32, 15 sp+8");
}

static void calls_that_do_not_return(void **state)
{
	(void)state;
	/* the next function begins after the padding; the stack pointer would not fit */
	assert_rows(CODE(SUB_24 "\x74\x05" ADD_24 RET CALL_OUTSIDE SUB_24 ADD_24 RET), true,
		    "0 sp+8, 4 sp+32, 10 sp+8, 11 sp+32, 16 sp+8, 20 sp+32, 24 sp+8");
	/* an endless function with a stack of its own is one only if that is known */
	assert_rows(CODE(SUB_24 CALL_OUTSIDE "\xeb\xf9"), true, "0 sp+8, 4 sp+32");
	assert_rows(CODE(SUB_24 CALL_OUTSIDE "\xeb\xf9"), false, "0 none");
	/* one that padding parts from code with another stack, to which others jump */
	assert_rows(CODE("\x74\x11" SUB_24 "\x74\x05" ADD_24 RET CALL_OUTSIDE "\x90" RET), true,
		    "0 sp+8, 6 sp+32, 12 sp+8, 13 sp+32, 18 none, 19 sp+8");
	/* The code at 16, after padding, leaves by a jump alone: nothing shows that the call returns
	 * to it. push %rbp; nop; pop %rbp; jmp *%rax */
	assert_rows(CODE(SUB_24 CALL_OUTSIDE NOP_7 PUSH_RBP "\x90" POP_RBP "\xff\xe0"), true,
		    "0 sp+8, 4 sp+32, 9 none");
	/* an aligned loop; the function returns: dec %eax; jne; add; ret */
	assert_rows(CODE(SUB_24 CALL_OUTSIDE NOP_7 "\xff\xc8\x75\xfc" ADD_24 RET), true,
		    "0 sp+8, 4 sp+32, 24 sp+8");
	/* A function after a piece of another one that has no rows: call; its padding; sub; add; ret */
	assert_rows(CODE(SUB_24 CALL_OUTSIDE NOP_7 SUB_24 ADD_24 RET), false,
		    "0 none, 16 sp+8, 20 sp+32, 24 sp+8");
	/* lea 16(%rip),%rax; ret; a function that calls without aligning the stack, as it may where
	 * the compiler knows the callee */
	assert_rows(CODE("\x48\x8d\x05\x09\x00\x00\x00" RET
			 "\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc" CALL_OUTSIDE RET),
		    true, "0 sp+8, 8 none, 16 sp+8");
	/* a function that does not return, and another one right after it: push; mov; call; push; mov;
	 * pop; ret */
	assert_rows(CODE(PUSH_RBP MOV_RSP_RBP CALL_OUTSIDE PUSH_RBP MOV_RSP_RBP POP_RBP RET), false,
		    "0 sp+8, 1 sp+16, 4 sp+16 CFA-16, 9 sp+8, 10 sp+16, 13 sp+16 CFA-16, 14 sp+8");
	/* the end of another function: nothing says what its stack is */
	assert_rows(CODE(CALL_OUTSIDE "\x0f\x0b"), false, "0 none");
}

static void jumps(void **state)
{
	(void)state;
	/* sub; jmp *%rax; a case: add; ret */
	assert_rows(CODE(SUB_24 "\xff\xe0" ADD_24 RET), true, "0 sp+8, 4 sp+32, 10 sp+8");
	/* a case that contradicts: pop %rbx; ret */
	assert_rows(CODE(SUB_24 "\xff\xe0"
				"\x5b" RET),
		    true, "0 sp+8, 4 sp+32, 6 none");
	/* a lazy PLT: jmp *slot; push; jmp to its start */
	assert_rows(CODE("\xff\x35\x00\x10\x00\x00\xff\x25\x00\x10\x00\x00\x0f\x1f\x40\x00"
			 "\xff\x25\x00\x10\x00\x00\x68\x00\x00\x00\x00\xe9\xe0\xff\xff\xff"),
		    false, "0 sp+16, 6 sp+24, 12 none, 16 sp+8, 27 sp+16");
}

/* Distances from ADDRESS + 0x1000, the only data. */
static size_t read_distances(void *context, uint64_t address, void *bytes, size_t size)
{
	const int32_t distances[] = { -0x1000 + 24, -0x1000 + 34 };

	(void)context;
	if (address != ADDRESS + 0x1000 || size < sizeof(distances))
		return 0;
	memcpy(bytes, distances, sizeof(distances));
	return sizeof(distances);
}

static void jumps_through_tables(void **state)
{
	/* sub $24,%rsp; lea 0xff5(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax; int3s;
	 * two cases that call before they return. */
	static const char bytes[] =
		SUB_24 "\x48\x8d\x15\xf5\x0f\x00\x00\x48\x63\x04\x82\x48\x01\xd0"
		       "\xff\xe0\xcc\xcc\xcc\xcc" CALL_OUTSIDE ADD_24 RET CALL_OUTSIDE ADD_24 RET;
	struct code_rows *rows = code_rows_new();
	uint8_t *copy = malloc(sizeof(bytes) - 1);
	struct buf text = { 0 };

	(void)state;
	memcpy(copy, bytes, sizeof(bytes) - 1);
	code_rows_set_data(rows, read_distances, NULL);
	code_rows_add(rows, ADDRESS, copy, sizeof(bytes) - 1);
	code_rows_add_start(rows, ADDRESS, CODE_ROWS_FUNCTION);
	code_rows_run(rows, NULL);
	code_rows_tell(rows, ADDRESS, ADDRESS + sizeof(bytes) - 1, write_row, &text);
	assert_string_equal(buf_text(&text), "0 sp+8, 4 sp+32, 20 none, 24 sp+32, 33 sp+8, "
					     "34 sp+32, 43 sp+8");
	buf_done(&text);
	code_rows_free(rows);
}

static void outermost_frames(void **state)
{
	(void)state;
	/* clone(): xor %ebp,%ebp; pop %rdi; call *%r9; hlt */
	assert_rows(CODE("\x85\xc0\x75\x07\x31\xed\x5f\x41\xff\xd1\xf4" RET), true,
		    "0 sp+8, 4 outermost, 11 sp+8");
	/* assembly that uses rbp without saving it returns */
	assert_rows(CODE("\x31\xed\x90" RET), true, "0 none");
}

static void damaged_code(void **state)
{
	uint32_t seed = 1;

	(void)state;
	assert_rows(CODE("\x06"), true, "0 none");
	assert_rows(CODE("\xe8\x00"), true, "0 none");
	for (int i = 0; i < 40; i++) {
		struct code_rows *rows = code_rows_new();
		uint8_t *bytes = malloc(4096);
		struct buf text = { 0 };

		for (size_t at = 0; at < 4096; at++) {
			seed = seed * 1664525 + 1013904223;
			bytes[at] = (uint8_t)(seed >> 24);
		}
		code_rows_add(rows, ADDRESS, bytes, 4096);
		code_rows_add_start(rows, ADDRESS + (seed & 4095), CODE_ROWS_FUNCTION);
		code_rows_run(rows, NULL);
		code_rows_tell(rows, ADDRESS, ADDRESS + 4096, write_row, &text);
		buf_done(&text);
		code_rows_free(rows);
	}
}

/* Lengths and kinds, as the assembler has them. */
static void decoded_instructions(void **state)
{
	static const struct {
		const char *bytes;
		int length, kind, value;
	} rows[] = {
		{ "\x41\x55", 2, X86_PUSH, 0 },			      /* push %r13 */
		{ "\x41\x5d", 2, X86_POP, 0 },			      /* pop %r13 */
		{ "\x48\x83\xe4\xf0", 4, X86_LOSE_SP, -16 },	      /* and $-16,%rsp */
		{ "\x48\x8d\x64\x24\x08", 5, X86_ADD_SP, 8 },	      /* lea 8(%rsp),%rsp */
		{ "\x48\x8d\x65\xd8", 4, X86_SET_SP, -40 },	      /* lea -40(%rbp),%rsp */
		{ "\x48\x8d\x6c\x24\x10", 5, X86_SET_FP, 16 },	      /* lea 16(%rsp),%rbp */
		{ "\x48\x89\x6c\x24\x10", 5, X86_STORE_FP, 16 },      /* mov %rbp,16(%rsp) */
		{ "\x48\x8b\x6c\x24\x10", 5, X86_LOAD_FP, 16 },	      /* mov 16(%rsp),%rbp */
		{ "\x45\x31\xed", 3, X86_OTHER, 0 },		      /* xor %r13d,%r13d */
		{ "\x40\xb5\x01", 3, X86_LOSE_FP, 1 },		      /* mov $1,%bpl */
		{ "\xb5\x01", 2, X86_OTHER, 1 },		      /* mov $1,%ch */
		{ "\x48\x39\xe5", 3, X86_OTHER, 0 },		      /* cmp %rsp,%rbp */
		{ "\x48\xf7\xc5\x01\x00\x00\x00", 7, X86_OTHER, 1 },  /* test $1,%rbp */
		{ "\x48\xbd\1\2\3\4\5\6\7\x08", 10, X86_LOSE_FP, 0 }, /* movabs $..,%rbp */
		{ "\xc5\xf8\x77", 3, X86_OTHER, 0 },		      /* vzeroupper */
		{ "\xc4\xe2\xd0\xf2\xc7", 5, X86_OTHER, 0 },	      /* andn %rdi,%rbp,%rax */
		{ "\xc4\xe2\xd0\xf3\xcf", 5, X86_LOSE_FP, 0 },	      /* blsr %rdi,%rbp */
		{ "\x62\xf1\x7c\x48\x28\x45\x01", 7, X86_OTHER, 0 },  /* vmovaps 64(%rbp),%zmm0 */
		{ "\x66\x0f\x3a\x0f\xc1\x08", 6, X86_OTHER, 8 },      /* palignr $8,.. */
		{ "\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0", 11, X86_OTHER, 0 }, /* nopw */
		{ "\xff\x25\x10\x00\x00\x00", 6, X86_JUMP_SLOT, 0 },	    /* jmp *16(%rip) */
		{ "\x3e\xff\xe0", 3, X86_JUMP_REGISTER, 0 },		    /* notrack jmp *%rax */
		{ "\x0f\x84\x10\x00\x00\x00", 6, X86_BRANCH, 16 },	    /* je */
		{ "\x06", 0, X86_INVALID, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct x86_code code;

		memset(code.bytes, 0x90, sizeof(code.bytes));
		memcpy(code.bytes, rows[i].bytes,
		       rows[i].length ? (size_t)rows[i].length : sizeof(char));
		x86_decode(&code);
		assert_int_equal(code.length, rows[i].length);
		assert_int_equal(code.kind, rows[i].kind);
		assert_int_equal(code.value, rows[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),
		cmocka_unit_test(calls_that_do_not_return),
		cmocka_unit_test(jumps),
		cmocka_unit_test(outermost_frames),
		cmocka_unit_test(damaged_code),
		cmocka_unit_test(decoded_instructions),
		cmocka_unit_test(jumps_through_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
