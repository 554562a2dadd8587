/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs by hand, for what no compiler writes; what they do write is compared with readelf's
 * reading in tests/oracle/test_rows.c. */
#include "unwind/frame_program.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { START = 0x1000, END = 0x1100, MOST_ROWS = 32 };

struct told {
	size_t count;
	uint64_t at[MOST_ROWS];
	struct frame_rules rules[MOST_ROWS];
};

static void note(void *context, uint64_t address, const struct frame_rules *rules)
{
	struct told *told = context;

	assert_true(told->count < MOST_ROWS);
	told->at[told->count] = address;
	told->rules[told->count++] = *rules;
}

/* rsp + 8, ra at CFA - 8, as all x86-64 CIEs. */
static const uint8_t cie_program[] = { 0x0c, 7, 8, 0x90, 1 };

static bool run_with(const uint8_t *cie, size_t cie_size, const uint8_t *program, size_t size,
		     struct told *told)
{
	struct frame_fde fde = { .start = START, .size = END - START };

	fde.cie = (struct frame_cie){ .code_alignment = 1,
				      .data_alignment = -8,
				      .return_register = 16,
				      .program = reader_make(cie, cie_size) };
	fde.program = reader_make(program, size);
	*told = (struct told){ .count = 0 };
	return frame_program_run(NULL, &fde, frame_rules_machine(EM_X86_64), END, note, told);
}

#define RUN(told, ...)                                                               \
	run_with(cie_program, sizeof(cie_program), (const uint8_t[]){ __VA_ARGS__ }, \
		 sizeof((const uint8_t[]){ __VA_ARGS__ }), told)

static void assert_row(const struct told *told, size_t row, uint64_t at, int64_t cfa_offset)
{
	assert_true(row < told->count);
	assert_int_equal(told->at[row], at);
	assert_int_equal(told->rules[row].cfa.offset, cfa_offset);
}

static void test_advances(void **state)
{
	struct told told;

	(void)state;
	assert_true(RUN(&told, 0x41, 0x0e, 16, 0x02, 0x20, 0x0e, 24, 0x03, 0x40, 0x00, 0x0e, 32,
			0x04, 0x10, 0, 0, 0, 0x0e, 40, 0x1d, 1, 0, 0, 0, 0, 0, 0, 0, 0x0e, 48));
	assert_int_equal(told.count, 6);
	assert_row(&told, 0, START, 8);
	assert_row(&told, 1, START + 0x01, 16);
	assert_row(&told, 2, START + 0x21, 24);
	assert_row(&told, 3, START + 0x61, 32);
	assert_row(&told, 4, START + 0x71, 40);
	assert_row(&told, 5, START + 0x72, 48);
}

/* An advance by nothing makes no row; one to the end or beyond makes none there. */
static void test_ends(void **state)
{
	struct told told;

	(void)state;
	assert_true(RUN(&told, 0x40, 0x0e, 16, 0x02, 0xff, 0x0e, 24, 0x41, 0x0e, 32));
	assert_int_equal(told.count, 2);
	assert_row(&told, 0, START, 16);
	assert_row(&told, 1, START + 0xff, 24);
	assert_true(RUN(&told, 0x03, 0xff, 0xff, 0x3f));
	assert_int_equal(told.count, 1);
}

static void test_remembered(void **state)
{
	struct told told;

	(void)state;
	assert_true(RUN(&told, 0x86, 2, 0x0a, 0x41, 0x0d, 6, 0xc6, 0x41, 0x0b));
	assert_int_equal(told.count, 3);
	assert_int_equal(told.rules[0].fp.how, FRAME_SAVED_CFA);
	assert_int_equal(told.rules[0].fp.offset, -16);
	assert_int_equal(told.rules[1].cfa.reg, 6);
	assert_int_equal(told.rules[1].fp.how, FRAME_SAVED_UNSAID);
	assert_int_equal(told.rules[2].cfa.reg, 7);
	assert_int_equal(told.rules[2].fp.how, FRAME_SAVED_CFA);
}

/* What came before the fault holds; from there on nothing is known. */
static void assert_fault(bool understood, const struct told *told, size_t rows)
{
	assert_false(understood);
	assert_int_equal(told->count, rows);
	assert_int_equal(told->rules[rows - 1].cfa.how, FRAME_CFA_UNKNOWN);
	if (rows > 1)
		assert_row(told, 0, START, 8);
}

static void test_faults(void **state)
{
	uint8_t deep[80];
	struct told told;
	bool understood;

	(void)state;
	understood = RUN(&told, 0x41, 0x0e, 16, 0x3f); /* no such instruction */
	assert_fault(understood, &told, 2);
	understood = RUN(&told, 0x41, 0x0e); /* cut off */
	assert_fault(understood, &told, 2);
	understood = RUN(&told, 0x41, 0x0b); /* nothing was remembered */
	assert_fault(understood, &told, 2);
	understood = RUN(&told, 0x41, 0x0f, 0x7f, 0x77); /* an expression beyond the end */
	assert_fault(understood, &told, 2);
	understood = RUN(&told, 0x1d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff); /* back */
	assert_fault(understood, &told, 1);
	memset(deep, 0x0a, sizeof(deep));
	understood = run_with(cie_program, sizeof(cie_program), deep, sizeof(deep), &told);
	assert_fault(understood, &told, 1);
}

static void test_cie_faults(void **state)
{
	static const uint8_t advancing[] = { 0x0c, 7, 8, 0x90, 1, 0x41 };
	static const uint8_t endless[1024];
	static const uint8_t program[] = { 0x41, 0x0e, 16 };
	struct told told;
	bool understood;

	(void)state;
	understood = run_with(advancing, sizeof(advancing), program, sizeof(program), &told);
	assert_fault(understood, &told, 1);
	understood = run_with(endless, sizeof(endless), program, sizeof(program), &told);
	assert_fault(understood, &told, 1);
}

static void test_other_return_register(void **state)
{
	struct frame_fde fde = { .start = START, .size = END - START };
	struct told told = { .count = 0 };

	(void)state;
	fde.cie.return_register = 15;
	assert_false(
		frame_program_run(NULL, &fde, frame_rules_machine(EM_X86_64), END, note, &told));
	assert_int_equal(told.count, 1);
}

/* Registers that are not needed, and instructions without effect on the others. */
static void test_skipped(void **state)
{
	struct told told;

	(void)state;
	assert_true(RUN(&told, 0x83, 3, 0x05, 12, 4, 0x11, 13, 0x7f, 0x14, 14, 1, 0x15, 15, 0x7f,
			0x09, 3, 4, 0x10, 12, 2, 0x77, 0, 0x16, 12, 1, 0x30, 0x2e, 32, 0x2d, 0x2c,
			0x07, 1, 0x08, 2, 0x06, 3, 0xc3, 0, 0));
	assert_int_equal(told.count, 1);
	assert_row(&told, 0, START, 8);
	assert_int_equal(told.rules[0].ra.offset, -8);
	assert_int_equal(told.rules[0].fp.how, FRAME_SAVED_UNSAID);
}

static void test_unexpressible(void **state)
{
	struct told told;

	(void)state;
	assert_true(RUN(&told, 0x14, 6, 2, 0x41, 0x16, 6, 1, 0x30, 0x41, 0x09, 6, 0));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(told.rules[i].fp.how, FRAME_SAVED_UNKNOWN);
	assert_int_equal(told.rules[2].fp.how, FRAME_SAVED_REGISTER);
	assert_int_equal(told.rules[2].fp.reg, 0);
	assert_true(RUN(&told, 0x07, 16, 0x41, 0x08, 6));
	assert_int_equal(told.rules[0].ra.how, FRAME_SAVED_UNDEFINED);
	assert_int_equal(told.rules[1].fp.how, FRAME_SAVED_SAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_advances),   cmocka_unit_test(test_ends),
		cmocka_unit_test(test_remembered), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_cie_faults), cmocka_unit_test(test_other_return_register),
		cmocka_unit_test(test_skipped),	   cmocka_unit_test(test_unexpressible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
