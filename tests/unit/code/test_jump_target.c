/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/jump_target.h"

#include "tools.h"

static void test_targets(void **state)
{
	static const struct {
		const char *text;
		uint64_t target; /* 0: it is no branch */
	} rows[] = {
		{ "jmp    1234 <f+0x4>", 0x1234 },
		{ "jne    1234 <f>", 0x1234 },
		{ "bnd jmp 1234 <f>", 0x1234 },
		{ "jmp    0x7f00", 0x7f00 },
		{ "loop   1234 <f>", 0x1234 },
		{ "jrcxz  1234 <f>", 0x1234 },
		{ "jmp    *%rax", 0 },
		{ "notrack jmp *%rdx", 0 },
		{ "call   1234 <f>", 0 },
		{ "ret", 0 },
		{ "mov    1234,%eax", 0 },
		{ "b      1234 <f>", 0x1234 },
		{ "b.ne   1234 <f>  // b.any", 0x1234 },
		{ "cbz    x0, 1234 <f>", 0x1234 },
		{ "tbnz   w1, #3, 1234 <f>", 0x1234 },
		{ "bl     1234 <f>", 0 },
		{ "br     x16", 0 },
		{ "bic    x0, x1, x2", 0 },
		{ "", 0 },
		{ "jmp", 0 },
		{ "bnd", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t target = 0;

		assert_int_equal(jump_target(rows[i].text, &target), rows[i].target != 0);
		assert_int_equal(rows[i].target ? target : 0, rows[i].target);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
