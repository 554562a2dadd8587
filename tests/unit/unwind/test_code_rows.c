/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code without descriptions, as assemblers lay it out. */
#include "unwind/code_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if defined(__x86_64__)

/* Code that is never run: from begin_NAME to end_NAME. */
#define CODE(name, text)                                                                 \
	__asm__(".text\n.balign 16\n.globl begin_" #name ", end_" #name "\nbegin_" #name \
		":\n" text "\nend_" #name ":\n");                                        \
	extern const uint8_t begin_##name[], end_##name[]

enum { ADDRESS = 0x1000, MOST = 128 };

struct told {
	struct unwind_rule rules[MOST]; /* by offset */
	bool known[MOST];
	uint64_t from;
	struct unwind_rule rule;
	bool has_rule;
};

static void add(void *context, uint64_t address, const struct unwind_rule *rule)
{
	struct told *told = context;

	assert_true(address >= told->from && address - ADDRESS <= MOST);
	for (uint64_t at = told->from; at < address; at++) {
		told->known[at - ADDRESS] = told->has_rule;
		told->rules[at - ADDRESS] = told->rule;
	}
	told->from = address;
	told->has_rule = rule != NULL;
	told->rule = rule ? *rule : (struct unwind_rule){ .cfa = UNWIND_CFA_NONE };
}

static void find(const uint8_t *begin, const uint8_t *end, int linkage, struct told *told)
{
	struct code_gap gap = { .bytes = begin,
				.size = (size_t)(end - begin),
				.address = ADDRESS,
				.linkage = linkage };

	*told = (struct told){ .from = ADDRESS };
	code_rows_find(&gap, add, told);
	assert_false(told->has_rule);
}

#define FIND(name, told) find(begin_##name, end_##name, 0, told)

/* What is printed of it: "sp+8 fp@-16", or "" without a rule. */
static const char *rule_at(const struct told *told, size_t at)
{
	static char text[64];
	const struct unwind_rule *rule = &told->rules[at];

	if (!told->known[at])
		return "";
	if (rule->ra == UNWIND_SAVED_UNDEFINED)
		return "outermost";
	assert_int_equal(rule->ra, UNWIND_SAVED_CFA);
	assert_int_equal(rule->ra_offset, -8);
	snprintf(text, sizeof(text), "%s+%d fp@%d bx@%d%s",
		 rule->cfa == UNWIND_CFA_SP ? "sp" : "fp", rule->cfa_offset, rule->fp_offset,
		 rule->bx_offset, rule->flags & UNWIND_RULE_FORKED ? " forked" : "");
	return text;
}

#define EXPECT(at, text) assert_string_equal(rule_at(&told, at), text)

CODE(init, "endbr64\nsub $8,%rsp\nmov 0x100(%rip),%rax\ntest %rax,%rax\nje 1f\ncall *%rax\n"
	   "1: add $8,%rsp\nret");

static void test_what_runs_first(void **state)
{
	struct told told;

	(void)state;
	FIND(init, &told);
	EXPECT(0, "sp+8 fp@0 bx@0");
	EXPECT(4, "sp+8 fp@0 bx@0");
	EXPECT(8, "sp+16 fp@0 bx@0");
	EXPECT(21, "sp+16 fp@0 bx@0");
	EXPECT(26, "sp+8 fp@0 bx@0");
}

CODE(saves, "push %rbp\npush %rbx\npush %r12\nxor %ebp,%ebp\nmov %rdi,%rbx\nsub $0x88,%rsp\n"
	    "lea 0x88(%rsp),%rsp\npop %r12\npop %rbx\npop %rbp\nret");

static void test_registers_that_are_saved(void **state)
{
	struct told told;

	(void)state;
	FIND(saves, &told);
	EXPECT(1, "sp+16 fp@-16 bx@0");
	EXPECT(2, "sp+24 fp@-16 bx@-24");
	EXPECT(9, "sp+32 fp@-16 bx@-24");
	EXPECT(16, "sp+168 fp@-16 bx@-24");
	EXPECT(24, "sp+32 fp@-16 bx@-24");
	EXPECT(27, "sp+16 fp@-16 bx@0");
	EXPECT(28, "sp+8 fp@0 bx@0");
}

CODE(frame, "push %rbp\nmov %rsp,%rbp\npush %rbx\nand $-32,%rsp\nmov %rdi,%rbx\n"
	    "lea -8(%rbp),%rsp\npop %rbx\nleave\nret");

/* How much is pushed is not known for a while: rbp is what there is. */
static void test_frames_by_rbp(void **state)
{
	struct told told;

	(void)state;
	FIND(frame, &told);
	EXPECT(4, "sp+16 fp@-16 bx@0");
	EXPECT(5, "sp+24 fp@-16 bx@-24");
	EXPECT(9, "fp+16 fp@-16 bx@-24");
	EXPECT(16, "sp+24 fp@-16 bx@-24");
	EXPECT(17, "sp+16 fp@-16 bx@0");
	EXPECT(18, "sp+8 fp@0 bx@0");
}

CODE(lost, "mov %edi,%ebp\ncpuid\nret");

static void test_registers_that_are_lost(void **state)
{
	struct told told;

	(void)state;
	FIND(lost, &told);
	EXPECT(0, "sp+8 fp@0 bx@0");
	EXPECT(2, "sp+8 fp@0 bx@0");
	assert_int_equal(told.rules[0].fp, UNWIND_SAVED_SAME);
	assert_int_equal(told.rules[2].fp, UNWIND_SAVED_UNDEFINED);
	EXPECT(4, "sp+8 fp@0 bx@-32768");
}

/* The end of glibc's clone3, behind the description that ends before the system call. */
CODE(clone_end, "syscall\ntest %rax,%rax\njl . + 0x1000\nje . + 0x1000\nret");
/* All of musl's. */
CODE(clone_all, "xor %eax,%eax\nmov $56,%al\nsyscall\ntest %eax,%eax\njnz 1f\nxor %ebp,%ebp\n"
		"pop %rdi\ncall *%r9\nmov $60,%al\nsyscall\nhlt\n1: ret");
/* Not of threads. */
CODE(asks, "mov $158,%eax\nsyscall\ntest %eax,%eax\njnz 1f\nnot %eax\n1: ret");

static void test_threads_are_born(void **state)
{
	struct told told;

	(void)state;
	FIND(clone_end, &told);
	EXPECT(0, "sp+8 fp@0 bx@0");
	EXPECT(2, "sp+8 fp@0 bx@0 forked");
	EXPECT(11, "sp+8 fp@0 bx@0 forked");
	EXPECT(17, "sp+8 fp@0 bx@0");
	FIND(clone_all, &told);
	EXPECT(2, "sp+8 fp@0 bx@0");
	EXPECT(6, "sp+8 fp@0 bx@0 forked");
	EXPECT(10, "outermost");
	EXPECT(18, "outermost");
	EXPECT(21, "sp+8 fp@0 bx@0");
	FIND(asks, &told);
	EXPECT(7, "sp+8 fp@0 bx@0");
	EXPECT(11, "sp+8 fp@0 bx@0");
}

CODE(linkage, "push 0x100(%rip)\njmp *0x100(%rip)\n.balign 16\n1: jmp *0x100(%rip)\npush $0\n"
	      "jmp begin_linkage");

static void test_linkage_tables(void **state)
{
	struct told told;

	(void)state;
	find(begin_linkage, end_linkage, 1, &told);
	EXPECT(0, "sp+16 fp@0 bx@0");
	EXPECT(6, "sp+24 fp@0 bx@0");
	EXPECT(16, "sp+8 fp@0 bx@0");
	EXPECT(22, "sp+8 fp@0 bx@0");
	EXPECT(24, "sp+16 fp@0 bx@0");
}

CODE(endless, "push %rax\n1: pause\njmp 1b");
CODE(switching, "push %rbp\nmov %rsp,(%rdi)\nmov %rsi,%rsp\npop %rbp\nret");
CODE(above, "pop %rax\npush %rax\nret");
CODE(uneven, "test %edi,%edi\nje 1f\npush %rax\n1: pop %rcx\nret");
CODE(falling, "push %rax\npop %rax");
CODE(away, "push %rax\njmp *%rdi");

static void test_what_is_left_alone(void **state)
{
	const uint8_t *const codes[][2] = {
		{ begin_endless, end_endless }, { begin_switching, end_switching },
		{ begin_above, end_above },	{ begin_uneven, end_uneven },
		{ begin_falling, end_falling }, { begin_away, end_away }
	};
	struct told told;

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		find(codes[i][0], codes[i][1], 0, &told);
		assert_int_equal(told.from, ADDRESS);
	}
}

/* Behind the last call another function begins, which would be believed to be called with what the
 * first one pushed. */
CODE(last_call, "test %edi,%edi\npush %rax\nje 1f\npop %rax\nret\n1: call . + 0x1000\n.balign 16\n"
		"2: dec %edi\njne 2b\nhlt");

static void test_calls_that_do_not_come_back(void **state)
{
	struct told told;

	(void)state;
	FIND(last_call, &told);
	EXPECT(3, "sp+16 fp@0 bx@0");
	EXPECT(6, "sp+8 fp@0 bx@0");
	EXPECT(7, "");
	EXPECT(16, "");
}

CODE(several, "ret\n.balign 16\npush %rbx\npop %rbx\nret\nnop\nud2\npush %rbx\nret");

static void test_one_function_behind_another(void **state)
{
	struct told told;

	(void)state;
	FIND(several, &told);
	EXPECT(0, "sp+8 fp@0 bx@0");
	EXPECT(5, "");
	EXPECT(17, "sp+16 fp@0 bx@-16");
	EXPECT(18, "sp+8 fp@0 bx@0");
	EXPECT(20, "");
}

CODE(joining, "1: pop %rax\npush %rax\nret\n2: push %rcx\npop %rcx\nret\nendbr64\njmp 2b");
CODE(tail, "push %rcx\npop %rcx\nret\nendbr64\njmp begin_tail");

/* One that ends in another: as the other does. */
static void test_functions_that_end_in_another(void **state)
{
	struct told told;

	(void)state;
	FIND(tail, &told);
	EXPECT(3, "sp+8 fp@0 bx@0");
	EXPECT(7, "sp+8 fp@0 bx@0");
	FIND(joining, &told);
	assert_int_equal(told.from, ADDRESS);
}

/* Whatever bytes: nothing is read beyond them, and it ends. */
static void test_any_bytes(void **state)
{
	uint8_t bytes[MOST];
	uint32_t seed = 1;
	struct told told;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t size = 1 + (size_t)round % MOST;

		for (size_t i = 0; i < size; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[MOST - size + i] = (uint8_t)(seed >> 24);
		}
		find(bytes + MOST - size, bytes + MOST, round & 1, &told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_runs_first),
		cmocka_unit_test(test_registers_that_are_saved),
		cmocka_unit_test(test_frames_by_rbp),
		cmocka_unit_test(test_registers_that_are_lost),
		cmocka_unit_test(test_threads_are_born),
		cmocka_unit_test(test_linkage_tables),
		cmocka_unit_test(test_what_is_left_alone),
		cmocka_unit_test(test_calls_that_do_not_come_back),
		cmocka_unit_test(test_one_function_behind_another),
		cmocka_unit_test(test_functions_that_end_in_another),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
