/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/probe.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void numbers_are_as_wide_as_registers_have_them(void **state)
{
	for (uint64_t size = 0; size <= 300; size++) {
		bool fits = size == 1 || size == 2 || size == 4 || size == 8;
		struct probe_return with = probe_return_number(true, size);
		struct probe_return without = probe_return_number(false, size);

		assert_int_equal(with.kind, fits ? PROBE_RETURN_SIGNED : PROBE_RETURN_NOTHING);
		assert_int_equal(without.kind, fits ? PROBE_RETURN_UNSIGNED : PROBE_RETURN_NOTHING);
		assert_int_equal(with.bits, fits ? size * 8 : 0);
		assert_int_equal(without.bits, with.bits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_wide_as_registers_have_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
