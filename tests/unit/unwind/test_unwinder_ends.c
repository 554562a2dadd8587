/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How walks end, over stacks and code that were made up. */
#include "unwind/unwinder.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if defined(__x86_64__)

enum { RBP = 6, RSP = 7, ARM64_SP = 31 };

struct fake {
	uint16_t machine; /* EM_ */
	struct unwind_registers registers;
	uint64_t stack[8];
	struct unwind_input input;
	const char *code;		  /* 8 bytes; NULL: not to be read */
	const char *before;		  /* 16 bytes; likewise */
	const char *code_at_calls;	  /* 16 bytes from 0x10f8 on; likewise */
	const char *innermost;		  /* 32 bytes around 0x1000; likewise */
	const struct unwind_table *table; /* of what is from 0x1800 on */
	uint64_t addresses[16];
	enum stack_end end;
};

static struct unwind_code fake_code(void *context, uint64_t address)
{
	const struct fake *fake = context;

	return (struct unwind_code){ .mapped = address >= 0x1000 && address < 0x2000,
				     .entry = address >= 0x1f00 && address < 0x1fff,
				     .table = address >= 0x1800 ? fake->table : NULL };
}

/* What the code at 0x1100 does next, and what it did last. */
static int fake_read_code(void *context, uint64_t address, void *to, size_t size)
{
	const struct fake *fake = context;

	if (address == 0x1100 - 16 && fake->before)
		memcpy(to, fake->before, size);
	else if (address == 0x1100 && fake->code)
		memcpy(to, fake->code, size < 8 ? size : 8);
	else if (address >= 0x1100 - 8 && address + size <= 0x1108 && fake->code_at_calls)
		memcpy(to, fake->code_at_calls + (address - (0x1100 - 8)), size);
	else if (address >= 0x1000 - 8 && address + size <= 0x1000 + 24 && fake->innermost)
		memcpy(to, fake->innermost + (address - (0x1000 - 8)), size);
	else
		return -1;
	return 0;
}

/* Code without rows, with frame pointers: two words each. */
static struct fake new_fake(void)
{
	struct fake fake = { .stack = { 0x8010, 0x1100, 0x8020, 0x1200, 0, 0x1300 } };

	fake.registers.pc = 0x1000;
	fake.registers.values[RSP] = 0x8000;
	fake.registers.values[RBP] = 0x8000;
	fake.registers.known = 1 << RSP | 1 << RBP;
	return fake;
}

static size_t walk_fake(struct fake *fake, size_t max)
{
	fake->input = (struct unwind_input){ .machine = fake->machine ?: EM_X86_64,
					     .registers = &fake->registers,
					     .stack_address = 0x8000,
					     .stack = fake->stack,
					     .stack_size = sizeof(fake->stack),
					     .stack_cut = fake->input.stack_cut,
					     .find = fake_code,
					     .read_code = fake_read_code,
					     .context = fake };
	return unwinder_walk(&fake->input, fake->addresses, max, &fake->end);
}

/* mov -8(%rbp),%rax */
#define USES_FRAME "________\x48\x8b\x45\xf8____________________"

static void frame_pointers_where_there_are_no_rows(void **state)
{
	struct fake fake = new_fake();

	(void)state;
	assert_int_equal(walk_fake(&fake, 16), 4);
	assert_int_equal(fake.end, STACK_FRAME_POINTERS); /* or the innermost has none yet */
	fake.innermost = USES_FRAME;
	assert_int_equal(walk_fake(&fake, 16), 4);
	assert_int_equal(fake.end, STACK_COMPLETE); /* the frame pointer is zero */
	assert_int_equal(fake.addresses[3], 0x1300);
	assert_int_equal(walk_fake(&fake, 2), 2);
	assert_int_equal(fake.end, STACK_TOO_DEEP);
	fake.stack[3] = 0x1f10;
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_COMPLETE); /* the entry */
}

static void frame_pointers_that_lead_astray(void **state)
{
	struct fake fake = new_fake();

	(void)state;
	fake.innermost = USES_FRAME;
	fake.stack[3] = 0x5000; /* nothing is there */
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake.innermost = NULL; /* the first step was a guess, too */
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_FRAME_POINTERS);
	fake = new_fake();
	fake.innermost = USES_FRAME;
	fake.stack[0] = 0x7000; /* below */
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake = new_fake();
	fake.innermost = USES_FRAME;
	fake.stack[2] = 0x8100; /* beyond the copy */
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake.input.stack_cut = true;
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_TOO_LARGE);
	fake = new_fake();
	fake.code_at_calls = "\x90\x90\x90\x90\x90\x90\x90\x90________"; /* no call */
	assert_int_equal(walk_fake(&fake, 16), 1);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake.code_at_calls = "\x90\x90\x90\x90\x90\x90\xff\xd0________"; /* call *%rax */
	assert_int_equal(walk_fake(&fake, 16), 4);
	assert_int_equal(fake.end, STACK_FRAME_POINTERS);
	fake = new_fake();
	fake.registers.values[RBP] = 0; /* of the innermost frame it says nothing */
	assert_int_equal(walk_fake(&fake, 16), 1);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake = new_fake();
	fake.registers.pc = 0x9000;
	assert_int_equal(walk_fake(&fake, 16), 1);
	assert_int_equal(fake.end, STACK_BAD_FRAME);
}

/* The code at 0x1100 was called with the stack pointer at 0x8010 and has no frame pointer. */
static void trampolines_tell_how_they_end(void **state)
{
	static const struct {
		const char *code;
		uint64_t caller; /* 0: not known from the code; frame pointers give 0x1678 */
	} rows[] = {
		{ "\xc3_______", 0x1234 },		  /* ret */
		{ "\x5d\xc3______", 0x1200 },		  /* pop %rbp; ret */
		{ "\x48\x83\xc4\x08\xc3___", 0x1200 },	  /* add $8,%rsp; ret */
		{ "\x48\x83\xc4\x08\x5d\xc3__", 0x1456 }, /* add $8,%rsp; pop %rbp; ret */
		{ "\x48\x83\xc4\x10\xc3___", 0x1456 },	  /* add $16,%rsp; ret */
		{ "\x48\x83\xc4\xf8\xc3___", 0 },	  /* add $-8,%rsp; ret */
		{ "\x48\x83\xc4\x08\x5b\xc3__", 0 },	  /* add $8,%rsp; pop %rbx; ret */
		{ "\x90\xc3______", 0 },		  /* nop; ret */
		{ NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake fake = { .stack = { 0x8028, 0x1100, 0x1234, 0x1200, 0x1456, 0, 0x1678 },
				     .code = rows[i].code };

		fake.registers = new_fake().registers;
		assert_true(walk_fake(&fake, 16) >= 3);
		assert_int_equal(fake.addresses[1], 0x1100);
		assert_int_equal(fake.addresses[2], rows[i].caller ? rows[i].caller : 0x1678);
	}
}

/* The stack pointer is at 0x8000, where 0x1100 is, and 0x1108 and 0x1110 after it; the frame pointer
 * leads past them, to 0x1300. Calls end at 0x1100 and 0x1108. */
static void the_innermost_frame_by_its_code(void **state)
{
	static const char calls[] = "___\xe8____\x90\x90\x90\x90\x90\x90\xff\xd0";
	static const struct {
		const char *code;
		uint64_t caller;
		enum stack_end end;
	} rows[] = {
		{ "________\xc3_______________________", 0x1100, STACK_NO_ROWS },
		{ "________\x90\x75\x10\xc3____________________", 0x1100, STACK_NO_ROWS },
		/* push %rbp; mov %rsp,%rbp, and between them */
		{ "________\x55\x48\x89\xe5____________________", 0x1100, STACK_NO_ROWS },
		{ "_______\x55\x48\x89\xe5_____________________", 0x1108, STACK_NO_ROWS },
		/* add $8,%rsp; ret: no call ends at 0x1110 if 16 */
		{ "________\x48\x83\xc4\x08\xc3___________________", 0x1108, STACK_NO_ROWS },
		{ "________\x48\x83\xc4\x10\xc3___________________", 0x1300, STACK_FRAME_POINTERS },
		/* sub $8,%rsp; add $8,%rsp; ret */
		{ "________\x48\x83\xec\x08\x48\x83\xc4\x08\xc3_______________", 0x1100,
		  STACK_NO_ROWS },
		/* leave; ret and a call: by the frame pointer */
		{ "________\xe8____\xc9\xc3_________________", 0x1300, STACK_COMPLETE },
		{ USES_FRAME, 0x1300, STACK_COMPLETE },
		/* jmp *%rax, ud2, and xor %ebp,%ebp say nothing */
		{ "________\xff\xe0______________________", 0x1300, STACK_FRAME_POINTERS },
		{ "________\x0f\x0b______________________", 0x1300, STACK_FRAME_POINTERS },
		{ "________\x31\xed\xc3_____________________", 0x1300, STACK_FRAME_POINTERS },
		/* sub %rax,%rsp needs a frame pointer; and $-64,%rsp, sub 8(%rip),%rsp and
		 * mov %r8,%rsp do not */
		{ "________\x48\x29\xc4_____________________", 0x1300, STACK_COMPLETE },
		{ "________\x48\x83\xe4\xc0____________________", 0x1300, STACK_FRAME_POINTERS },
		{ "________\x48\x2b\x25\x08\0\0\0_________________", 0x1300, STACK_FRAME_POINTERS },
		{ "________\x4c\x89\xc4_____________________", 0x1300, STACK_FRAME_POINTERS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake fake = { .stack = { 0x1100, 0x1108, 0x1110, 0, 0, 0x1300 },
				     .innermost = rows[i].code,
				     .code_at_calls = calls };

		fake.registers = new_fake().registers;
		fake.registers.values[RBP] = 0x8020;
		assert_int_equal(walk_fake(&fake, 16) > 1, true);
		assert_int_equal(fake.addresses[1], rows[i].caller);
		if (rows[i].caller == 0x1300)
			assert_int_equal(fake.end, rows[i].end);
	}
}

/* A row leads from 0x1810 to 0x1100, where there is none. */
static void zeroes_in_the_frame_pointer(void **state)
{
	static const struct unwind_rule rules[] = {
		{ .cfa = UNWIND_CFA_NONE },
		{ .cfa = UNWIND_CFA_SP, .cfa_offset = 8, .ra = UNWIND_SAVED_CFA, .ra_offset = -8 },
	};
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x800, 1) };
	static const uint32_t pages[] = { 0, 2 };
	const struct unwind_table table = { .base = 0x1000,
					    .page_count = 1,
					    .row_count = 2,
					    .rule_count = 2,
					    .machine = EM_X86_64,
					    .pages = pages,
					    .rows = rows,
					    .rules = rules };
	struct fake fake = { .stack = { 0x1100, 0, 0, 0x1200, 0, 0 }, .table = &table };

	(void)state;
	fake.registers = new_fake().registers;
	fake.registers.pc = 0x1810;
	fake.registers.values[RBP] = 0;
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.addresses[1], 0x1100);
	assert_int_equal(fake.end, STACK_NO_ROWS); /* it may have counted to zero */
	fake.before = "____xor %ebp,___";
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake.before = "_______\x31\xed___\xff\xd0__"; /* xor %ebp,%ebp */
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_COMPLETE);
	fake.before = NULL;
	fake.registers.values[RBP] = 0x8008; /* to a return address of zero */
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake.registers.values[RBP] = 0x8010; /* to 0x1200, whose frame pointer is zero */
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_COMPLETE);
	fake.stack[2] = 0x8020; /* or leads to a return address of zero */
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_COMPLETE);
}

/* From 0x1800 on code changes stacks: first by a frame pointer, which may lead down, then in a way
 * nothing leads back from. */
static void on_another_stack(void **state)
{
	static const struct unwind_rule rules[] = {
		{ .cfa = UNWIND_CFA_NONE },
		{ .cfa = UNWIND_CFA_FP,
		  .cfa_offset = 16,
		  .ra = UNWIND_SAVED_CFA,
		  .ra_offset = -8,
		  .fp = UNWIND_SAVED_CFA,
		  .fp_offset = -16,
		  .flags = UNWIND_RULE_SWITCH },
		{ .cfa = UNWIND_CFA_SWITCHED },
	};
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x800, 1),
					 UNWIND_ROW(0x900, 2) };
	static const uint32_t pages[] = { 0, 3 };
	const struct unwind_table table = { .base = 0x1000,
					    .page_count = 1,
					    .row_count = 3,
					    .rule_count = 3,
					    .machine = EM_X86_64,
					    .pages = pages,
					    .rows = rows,
					    .rules = rules };
	/* called at the third word, with a frame at the first, by what is called at the fifth */
	struct fake fake = { .stack = { 0x8020, 0x1910, 0x8000, 0x1810, 0, 0x1200 },
			     .table = &table };

	(void)state;
	fake.registers = new_fake().registers;
	fake.registers.values[RSP] = 0x8010;
	fake.registers.values[RBP] = 0x8010;
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.addresses[1], 0x1810);
	assert_int_equal(fake.addresses[2], 0x1910);
	assert_int_equal(fake.end, STACK_SWITCHED);
	fake.stack[2] = 0xc000000000; /* not copied, and never to be */
	fake.input.stack_cut = true;
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_SWITCHED);
}

/* Go's frames have the caller's rbp below the return address. At 0x1810 a compiled function, at
 * 0x1910 one of assembly, both with 16 bytes; at 0x1a10 code that needs rbp. */
static void through_frames_of_go(void **state)
{
	static const struct unwind_rule rules[] = {
		{ .cfa = UNWIND_CFA_NONE },
		{ .cfa = UNWIND_CFA_SP,
		  .cfa_offset = 16,
		  .ra = UNWIND_SAVED_CFA,
		  .ra_offset = -8,
		  .fp = UNWIND_SAVED_LINK,
		  .fp_offset = -16 },
		{ .cfa = UNWIND_CFA_SP,
		  .cfa_offset = 16,
		  .ra = UNWIND_SAVED_CFA,
		  .ra_offset = -8,
		  .fp = UNWIND_SAVED_MAYBE_LINK,
		  .fp_offset = -16 },
		{ .cfa = UNWIND_CFA_FP,
		  .cfa_offset = 16,
		  .ra = UNWIND_SAVED_CFA,
		  .ra_offset = -8,
		  .fp = UNWIND_SAVED_CFA,
		  .fp_offset = -16,
		  .flags = UNWIND_RULE_SWITCH },
	};
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x800, 1),
					 UNWIND_ROW(0x900, 2), UNWIND_ROW(0xa00, 3) };
	static const uint32_t pages[] = { 0, 4 };
	const struct unwind_table table = { .base = 0x1000,
					    .page_count = 1,
					    .row_count = 4,
					    .rule_count = 4,
					    .machine = EM_X86_64,
					    .pages = pages,
					    .rows = rows,
					    .rules = rules };
	/* Columns: pc, rbp, saved rbp and return address of two frames; the frame at 0x8020 has the
	 * return address 0x1f10, where a program starts. */
	static const struct {
		uint64_t pc, fp, stack[4];
		size_t count;
		enum stack_end end;
	} cases[] = {
		/* both are set up */
		{ 0x1810, 0x8000, { 0x8010, 0x1910, 0x8020, 0x1a10 }, 4, STACK_COMPLETE },
		/* the first is not yet, or not any more, and rbp is the second's */
		{ 0x1810, 0x8010, { 0x1234, 0x1910, 0x8020, 0x1a10 }, 4, STACK_COMPLETE },
		/* the second does not save rbp */
		{ 0x1810, 0x8000, { 0x8020, 0x1910, 0x1234, 0x1a10 }, 4, STACK_COMPLETE },
		/* assembly used rbp for something else, its caller saved it before */
		{ 0x1910, 0x1234, { 0x4321, 0x1810, 0x8020, 0x1a10 }, 4, STACK_COMPLETE },
		/* nothing leads back from where its caller is not compiled */
		{ 0x1910, 0x1234, { 0x4321, 0x1910, 0x8020, 0x1a10 }, 3, STACK_SWITCHED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake fake = { .table = &table };

		memcpy(fake.stack, cases[i].stack, sizeof(cases[i].stack));
		fake.stack[5] = 0x1f10;
		fake.registers = new_fake().registers;
		fake.registers.pc = cases[i].pc;
		fake.registers.values[RBP] = cases[i].fp;
		assert_int_equal(walk_fake(&fake, 16), cases[i].count);
		assert_int_equal(fake.end, cases[i].end);
		assert_int_equal(fake.addresses[2], 0x1a10);
	}
}

/* A signal handler made the code at 0x1900 call the code at 0x1810. The row from 0x1900 on
 * describes the interrupted frame. On arm64 it is a leaf, whose lr the handler saved. */
/* In the last instructions of functions that align the stack, gcc's descriptions still say that rbp is
 * saved where rbp points, but it has the caller's value again. */
static void a_frame_pointer_that_was_popped(void **state)
{
	static const struct unwind_rule rules[] = {
		{ .cfa = UNWIND_CFA_NONE },
		{ .cfa = UNWIND_CFA_SP,
		  .cfa_offset = 16,
		  .ra = UNWIND_SAVED_CFA,
		  .ra_offset = -8,
		  .fp = UNWIND_SAVED_FP },
		{ .cfa = UNWIND_CFA_FP,
		  .cfa_offset = 16,
		  .ra = UNWIND_SAVED_CFA,
		  .ra_offset = -8,
		  .fp = UNWIND_SAVED_SAME },
	};
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x800, 1),
					 UNWIND_ROW(0x900, 2) };
	static const uint32_t pages[] = { 0, 3 };
	const struct unwind_table table = { .base = 0x1000,
					    .page_count = 1,
					    .row_count = 3,
					    .rule_count = 3,
					    .machine = EM_X86_64,
					    .pages = pages,
					    .rows = rows,
					    .rules = rules };
	struct fake fake = { .table = &table, .stack = { 0x7777, 0x1910, 0, 0, 0x7777, 0x1f10 } };

	(void)state;
	fake.registers.pc = 0x1810;
	fake.registers.values[RSP] = 0x8000;
	fake.registers.values[RBP] = 0x8020; /* beyond the frame */
	fake.registers.known = 1 << RSP | 1 << RBP;
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_COMPLETE);
	assert_int_equal(fake.addresses[2], 0x1f10);
	/* within the frame it is the place of the caller's */
	fake.registers.values[RBP] = 0x8000;
	fake.stack[0] = 0x8020;
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_COMPLETE);
}

static void through_a_call_that_was_injected(void **state)
{
	static const struct unwind_rule rules[] = {
		{ .cfa = UNWIND_CFA_NONE },
		{ .cfa = UNWIND_CFA_SP,
		  .cfa_offset = 16,
		  .ra = UNWIND_SAVED_CFA,
		  .ra_offset = -8,
		  .flags = UNWIND_RULE_INJECTED },
		{ .cfa = UNWIND_CFA_SP, .cfa_offset = 16, .ra = UNWIND_SAVED_CFA, .ra_offset = -8 },
		{ .cfa = UNWIND_CFA_SP, .ra = UNWIND_SAVED_SAME },
		{ .cfa = UNWIND_CFA_SP, .ra = UNWIND_SAVED_UNDEFINED },
	};
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x800, 1),
					 UNWIND_ROW(0x900, 2), UNWIND_ROW(0x980, 4) };
	static const uint32_t arm64_rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x800, 1),
					       UNWIND_ROW(0x900, 3), UNWIND_ROW(0x980, 4) };
	static const uint32_t pages[] = { 0, 4 };
	struct unwind_table table = { .base = 0x1000,
				      .page_count = 1,
				      .row_count = 4,
				      .rule_count = 5,
				      .pages = pages,
				      .rules = rules };
	struct fake fake = { .stack = { 0, 0x1900, 0x1a10, 0x1990 }, .table = &table };

	(void)state;
	for (int arm64 = 0; arm64 < 2; arm64++) {
		fake.machine = table.machine = arm64 ? EM_AARCH64 : EM_X86_64;
		table.rows = arm64 ? arm64_rows : rows;
		fake.registers = (struct unwind_registers){ .pc = 0x1810, .known = UINT32_MAX };
		fake.registers.values[arm64 ? ARM64_SP : RSP] = 0x8000;
		assert_int_equal(walk_fake(&fake, 16), 3);
		assert_int_equal(fake.addresses[1], 0x1900 | UNWIND_EXACT);
		assert_int_equal(fake.addresses[2], arm64 ? 0x1a10 : 0x1990);
		assert_int_equal(fake.end, STACK_COMPLETE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_pointers_where_there_are_no_rows),
		cmocka_unit_test(frame_pointers_that_lead_astray),
		cmocka_unit_test(trampolines_tell_how_they_end),
		cmocka_unit_test(the_innermost_frame_by_its_code),
		cmocka_unit_test(zeroes_in_the_frame_pointer),
		cmocka_unit_test(on_another_stack),
		cmocka_unit_test(through_frames_of_go),
		cmocka_unit_test(a_frame_pointer_that_was_popped),
		cmocka_unit_test(through_a_call_that_was_injected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("this test walks over x86-64 stacks");
	return 77;
}

#endif
