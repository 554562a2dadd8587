/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/go_entry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct line {
	uint64_t address;
	uint32_t length;
	const char *text;
};

#define CHECK(lines, wanted) check(lines, sizeof(lines) / sizeof((lines)[0]), wanted)

/* @wanted: 0 where it begins at its start. */
static void check(const struct line *lines, size_t count, uint64_t wanted)
{
	struct code_blocks blocks = { .data = false };
	uint64_t entry = 0;

	for (size_t i = 0; i < count; i++) {
		const struct code_line line = { .address = lines[i].address,
						.length = lines[i].length,
						.text = lines[i].text };

		assert_true(code_blocks_take(&blocks, &line));
	}
	code_blocks_find(&blocks);
	assert_int_equal(go_entry_find(&blocks, lines[0].address, &entry), wanted != 0);
	assert_int_equal(entry, wanted);
	code_blocks_done(&blocks);
}

/* As Go 1.19 writes them. */
static void entries_are_behind_the_question(void **state)
{
	static const struct line small[] = {
		{ 0x1000, 4, "cmp    0x10(%r14),%rsp" },
		{ 0x1004, 2, "jbe    1020 <f+0x20>" },
		{ 0x1006, 4, "sub    $0x38,%rsp" },
		{ 0x100a, 5, "call   2000 <g>" },
		{ 0x100f, 2, "je     1006 <f+0x6>" },
		{ 0x1011, 4, "add    $0x38,%rsp" },
		{ 0x1015, 1, "ret" },
		{ 0x1020, 5, "mov    %rax,0x8(%rsp)" },
		{ 0x1025, 5, "call   3000 <runtime.morestack_noctxt.abi0>" },
		{ 0x102a, 5, "mov    0x8(%rsp),%rax" },
		{ 0x102f, 2, "jmp    1000 <f>" },
	};
	static const struct line large[] = {
		{ 0x1000, 3, "mov    %rsp,%r12" },
		{ 0x1003, 7, "sub    $0x100000,%r12" },
		{ 0x100a, 2, "jb     1020 <f+0x20>" },
		{ 0x100c, 4, "cmp    0x10(%r14),%r12" },
		{ 0x1010, 2, "jbe    1020 <f+0x20>" },
		{ 0x1012, 7, "sub    $0x100000,%rsp" },
		{ 0x1019, 1, "ret" },
		{ 0x1020, 5, "call   3000 <runtime.morestack_noctxt.abi0>" },
		{ 0x1025, 2, "jmp    1000 <f>" },
	};
	/* another branch, to a call that does not return: what follows it is not behind it */
	static const struct line ending[] = {
		{ 0x1000, 4, "cmp    0x10(%r14),%rsp" },
		{ 0x1004, 2, "jbe    1013 <f+0x13>" },
		{ 0x1006, 3, "test   %rax,%rax" },
		{ 0x1009, 2, "jge    100e <f+0xe>" },
		{ 0x100b, 1, "ret" },
		{ 0x100e, 5, "call   2000 <runtime.gopanic>" },
		{ 0x1013, 5, "call   3000 <runtime.morestack_noctxt.abi0>" },
		{ 0x1018, 2, "jmp    1000 <f>" },
	};
	static const struct line arm64[] = {
		{ 0x1000, 4, "ldr     x16, [x28, #16]" },
		{ 0x1004, 4, "cmp     sp, x16" },
		{ 0x1008, 4, "b.ls    0x1014  // b.plast" },
		{ 0x100c, 4, "str     x30, [sp, #-80]!" },
		{ 0x1010, 4, "ret" },
		{ 0x1014, 4, "mov     x3, x30" },
		{ 0x1018, 4, "bl      0x3000" },
		{ 0x101c, 4, "b       0x1000" },
	};

	(void)state;
	CHECK(small, 0x1006);
	CHECK(large, 0x1012);
	CHECK(ending, 0x1006);
	CHECK(arm64, 0x100c);
}

static void others_begin_at_the_start(void **state)
{
	/* go:nosplit, with a loop around all of it */
	static const struct line loop[] = {
		{ 0x1000, 3, "dec    %rax" },
		{ 0x1003, 2, "jne    1000 <f>" },
		{ 0x1005, 1, "ret" },
	};
	/* the question is another one */
	static const struct line branch[] = {
		{ 0x1000, 3, "test   %rax,%rax" },
		{ 0x1003, 2, "je     1010 <f+0x10>" },
		{ 0x1005, 1, "ret" },
		{ 0x1010, 5, "call   2000 <g>" },
		{ 0x1015, 1, "ret" },
	};
	static const struct line beyond[] = {
		{ 0x1000, 4, "cmp    0x10(%r14),%rsp" },
		{ 0x1004, 2, "jbe    5000 <elsewhere>" },
		{ 0x1006, 1, "ret" },
	};

	(void)state;
	CHECK(loop, 0);
	CHECK(branch, 0);
	CHECK(beyond, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_behind_the_question),
		cmocka_unit_test(others_begin_at_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
