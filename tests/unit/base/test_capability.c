/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/capability.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>

#include "tools.h"

static void test_held(void **state)
{
	_cleanup_fclose_ FILE *status = fopen("/proc/self/status", "re");
	uint64_t effective = 0;
	char line[256];

	(void)state;
	assert_non_null(status);
	while (fgets(line, sizeof(line), status) &&
	       sscanf(line, "CapEff: %" SCNx64, &effective) != 1)
		;
	for (unsigned i = 0; i <= CAP_LAST_CAP; i++)
		assert_int_equal(capability_held(i), effective >> i & 1);
	assert_false(capability_held(64));
}

static void test_lower_and_raise(void **state)
{
	bool held = capability_held(CAP_SYS_ADMIN);

	(void)state;
	assert_int_equal(capability_lower(CAP_SYS_ADMIN), held);
	assert_false(capability_held(CAP_SYS_ADMIN));
	assert_false(capability_lower(CAP_SYS_ADMIN));
	if (held)
		capability_raise(CAP_SYS_ADMIN);
	assert_int_equal(capability_held(CAP_SYS_ADMIN), held);
	assert_false(capability_lower(64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_lower_and_raise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
