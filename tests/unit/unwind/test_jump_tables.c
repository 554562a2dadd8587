/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jumps through tables, as compilers make them, and what only looks like one. */
#include "unwind/jump_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { CODE = 0x1000, CODE_END = 0x2000, DATA = 0x3000 };

struct data {
	uint8_t bytes[64]; /* at DATA */
	size_t size;
};

static size_t read_data(void *context, uint64_t address, void *bytes, size_t size)
{
	const struct data *data = context;
	uint64_t at = address - DATA;

	if (address < DATA || at >= data->size)
		return 0;
	size = data->size - at < size ? data->size - at : size;
	memcpy(bytes, data->bytes + at, size);
	return size;
}

/* Adds the code at CODE. Returns how many cases its last instruction, at @jump, has. */
static size_t cases_of(struct data *data, const char *code, size_t size, size_t jump,
		       uint64_t cases[JUMP_TABLES_MAX_CASES])
{
	_cleanup_(jump_tables_freep) struct jump_tables *tables = jump_tables_new(read_data, data);

	for (size_t at = 0; at < size;) {
		struct x86_code x86 = { .length = 0 };
		size_t left = size - at;

		memcpy(x86.bytes, code + at, left < X86_CODE_BYTES ? left : X86_CODE_BYTES);
		x86_decode(&x86);
		assert_int_not_equal(x86.length, 0);
		jump_tables_add(tables, &x86, CODE + at);
		at += x86.length;
	}
	jump_tables_finish(tables);
	assert_int_equal(jump_tables_cases(tables, CODE + jump + 1, CODE, CODE_END, cases), 0);
	return jump_tables_cases(tables, CODE + jump, CODE, CODE_END, cases);
}

#define LEA_DATA_RDX	"\x48\x8d\x15\xf9\x1f\x00\x00" /* lea 0x1ff9(%rip),%rdx, at CODE */
#define LOAD_DISTANCE	"\x48\x63\x04\x82"	       /* movslq (%rdx,%rax,4),%rax */
#define ADD		"\x48\x01\xd0"		       /* add %rdx,%rax */
#define JUMP		"\xff\xe0"		       /* jmp *%rax */
#define WITH_SIZE(code) code, sizeof(code) - 1

static void distances(void **state)
{
	const int32_t entries[] = { 0x1100 - DATA, 0x1200 - DATA, 0x1300 - DATA, 7, 0x1400 - DATA };
	uint64_t cases[JUMP_TABLES_MAX_CASES];
	struct data data = { .size = sizeof(entries) };

	(void)state;
	memcpy(data.bytes, entries, sizeof(entries));
	assert_int_equal(cases_of(&data, WITH_SIZE(LEA_DATA_RDX LOAD_DISTANCE ADD JUMP), 14, cases),
			 3);
	assert_int_equal(cases[0], 0x1100);
	assert_int_equal(cases[2], 0x1300);
	/* the sum may be in the register that had the table: add %rax,%rdx; jmp *%rdx */
	assert_int_equal(cases_of(&data,
				  WITH_SIZE(LEA_DATA_RDX LOAD_DISTANCE "\x48\x01\xc2\xff\xe2"), 14,
				  cases),
			 3);
	/* another table begins after two entries: lea 8 bytes further on */
	assert_int_equal(cases_of(&data,
				  WITH_SIZE(LEA_DATA_RDX LOAD_DISTANCE ADD JUMP
					    "\x48\x8d\x15\xf1\x1f\x00\x00"),
				  14, cases),
			 2);
	/* no table was loaded, or no distance added: a call by a jump */
	assert_int_equal(cases_of(&data, WITH_SIZE(LOAD_DISTANCE ADD JUMP), 7, cases), 0);
	assert_int_equal(cases_of(&data, WITH_SIZE(LEA_DATA_RDX JUMP), 7, cases), 0);
	/* text, not a table */
	memcpy(data.bytes, "impossible, and more of it", 20);
	assert_int_equal(cases_of(&data, WITH_SIZE(LEA_DATA_RDX LOAD_DISTANCE ADD JUMP), 14, cases),
			 0);
	data.size = 0;
	assert_int_equal(cases_of(&data, WITH_SIZE(LEA_DATA_RDX LOAD_DISTANCE ADD JUMP), 14, cases),
			 0);
}

static void addresses(void **state)
{
	const uint64_t entries[] = { 0x1100, 0x1200, 0x9000, 0x1300 };
	uint64_t cases[JUMP_TABLES_MAX_CASES];
	struct data data = { .size = sizeof(entries) };

	(void)state;
	memcpy(data.bytes, entries, sizeof(entries));
	/* jmp *0x3000(,%rax,8) */
	assert_int_equal(cases_of(&data, WITH_SIZE("\xff\x24\xc5\x00\x30\x00\x00"), 0, cases), 2);
	assert_int_equal(cases[1], 0x1200);
	/* mov 0x3000(,%rax,8),%rax; jmp *%rax */
	assert_int_equal(
		cases_of(&data, WITH_SIZE("\x48\x8b\x04\xc5\x00\x30\x00\x00" JUMP), 8, cases), 2);
	/* lea; jmp *(%rdx,%rax,8) */
	assert_int_equal(cases_of(&data, WITH_SIZE(LEA_DATA_RDX "\xff\x24\xc2"), 7, cases), 2);
	/* An entry that was loaded for something else before the distance: mov (%rdx,%rax,8),%rax */
	assert_int_equal(
		cases_of(&data, WITH_SIZE(LEA_DATA_RDX "\x48\x8b\x04\xc2" ADD JUMP), 14, cases), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
