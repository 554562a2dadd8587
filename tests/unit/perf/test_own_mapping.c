/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/own_mapping.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "perf/perf_limits.h"
#include "tools.h"

enum { ALL_IS_REFUSED = 3 }; /* kernel.perf_event_paranoid of some distributions */

static void test_record(void **state)
{
	char path[TOOLS_PATH];
	struct perf_mmap map;
	struct stat st;
	int fd;

	if (perf_limits_paranoid() >= ALL_IS_REFUSED && geteuid() != 0)
		skip();
	tools_build(*state, "program", "c", "", "int main(void) { return 0; }", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(own_mapping_record(fd, &map));
	assert_int_equal(map.inode, st.st_ino);
	assert_true(map.has_generation);
	assert_null(map.path);
	close(fd);
	assert_false(own_mapping_record(-1, &map));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
