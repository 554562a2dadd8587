/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/map_query.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "foreign/door.h"
#include "foreign/mapping_name.h"
#include "tools.h"

struct mapped {
	int fd;
	void *page;
	struct stat st;
};

static struct mapped map_program(const char *folder)
{
	struct mapped mapped;
	char path[TOOLS_PATH];

	tools_build(folder, "program", "c", "-Wl,--build-id=0x0102030405",
		    "int main(void) { return 0; }", path);
	mapped.fd = open(path, O_RDONLY | O_CLOEXEC);
	mapped.page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, mapped.fd, 0);
	assert_true(mapped.page != MAP_FAILED);
	assert_int_equal(fstat(mapped.fd, &mapped.st), 0);
	return mapped;
}

static void unmap(const struct mapped *mapped)
{
	munmap(mapped->page, 1);
	close(mapped->fd);
}

static void test_build_id(void **state)
{
	struct mapped mapped = map_program(*state);
	const uint8_t build_id[] = { 1, 2, 3, 4, 5 };
	struct mapping_name name;
	struct map_query query;
	int rc = door_ask_mapping(NULL, getpid(), (uint64_t)(uintptr_t)mapped.page, &query);

	if (rc == -ENOTTY)
		skip();
	assert_int_equal(rc, 0);
	assert_true(mapping_name_read(mapped.fd, &name));
	assert_int_equal(query.device, name.device);
	assert_int_equal(query.inode, name.inode);
	assert_int_equal(query.build_id_size, sizeof(build_id));
	assert_memory_equal(query.build_id, build_id, sizeof(build_id));
	unmap(&mapped);
}

static void test_nothing(void **state)
{
	struct map_query query;

	(void)state;
	assert_true(map_query("/proc/self/maps", 0, &query) < 0);
	assert_int_equal(map_query("/nowhere", 0, &query), -ENOENT);
	assert_int_equal(map_query("/dev/null", 0, &query), -ENOTTY);
}

static void test_name(void **state)
{
	struct mapped mapped = map_program(*state);
	struct mapping_name name;

	assert_true(mapping_name_read(mapped.fd, &name));
	assert_int_equal(name.inode, mapped.st.st_ino);
	assert_false(mapping_name_read(-1, &name));
	unmap(&mapped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_name),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
