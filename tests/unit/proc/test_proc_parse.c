/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/proc_parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

/* stat of a process with this name and these flags: parent 7, 3 threads, started at tick 4242. */
#define STAT(name, flags)                                                                     \
	"12 (" name ") S 7 12 12 34816 -1 " flags " 1 2 3 4 5 6 7 8 20 0 3 0 4242 999999 33 " \
	"18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n"

static void test_stat_fields(void **state)
{
	struct proc_stat stat;

	(void)state;
	assert_int_equal(proc_parse_stat(STAT("sleep", "4194304"), &stat), 0);
	assert_int_equal(stat.pid, 12);
	assert_int_equal(stat.parent_pid, 7);
	assert_int_equal(stat.thread_count, 3);
	assert_int_equal(stat.start_ticks, 4242);
	assert_false(stat.kernel_thread);
	assert_string_equal(stat.comm, "sleep");
}

static void test_stat_hostile_names(void **state)
{
	struct proc_stat stat;

	(void)state;
	assert_int_equal(proc_parse_stat(STAT(") S 1 (", "0"), &stat), 0);
	assert_string_equal(stat.comm, ") S 1 (");
	assert_int_equal(stat.parent_pid, 7);
	assert_int_equal(proc_parse_stat(STAT("a\nb c)", "0"), &stat), 0);
	assert_string_equal(stat.comm, "a\nb c)");
	assert_int_equal(proc_parse_stat(STAT("", "0"), &stat), 0);
	assert_string_equal(stat.comm, "");
	assert_int_equal(proc_parse_stat(STAT("0123456789012345678901234567890123456789"
					      "01234567890123456789012345678901234567890123456789",
					      "0"),
					 &stat),
			 0);
	assert_int_equal(strlen(stat.comm), 63);
}

static void test_stat_kernel_threads(void **state)
{
	static const struct {
		const char *text, *comm;
	} cases[] = {
		{ STAT("kworker/0:1-events", "2129984"), "kworker/0:1" },
		{ STAT("kworker/u8:2+ext4-rsv-conversion", "2129984"), "kworker/u8:2" },
		{ STAT("kworker/1:0H-kblockd", "2129984"), "kworker/1:0H" },
		{ STAT("kworker/R-kvfree_rcu-reclaim", "2129984"), "kworker/R-kvfree_rcu-reclaim" },
		{ STAT("jbd2/vda1-8", "2129984"), "jbd2/vda1-8" },
	};
	struct proc_stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(proc_parse_stat(cases[i].text, &stat), 0);
		assert_true(stat.kernel_thread);
		assert_string_equal(stat.comm, cases[i].comm);
	}
	/* A user's program may call itself anything. */
	assert_int_equal(proc_parse_stat(STAT("kworker/0:1-evil", "0"), &stat), 0);
	assert_string_equal(stat.comm, "kworker/0:1-evil");
}

static void test_stat_cut_anywhere(void **state)
{
	static const char whole[] = "12 (a b) S 7 12 12 34816 -1 0 1 2 3 4 5 6 7 8 20 0 3 0 4242";
	struct proc_stat stat = { .pid = 77 };
	char part[sizeof(whole)];

	(void)state;
	/* Up to the last field, whose first digits alone would be a number too. */
	for (size_t length = 0; length <= sizeof(whole) - 1 - strlen("4242"); length++) {
		memcpy(part, whole, length);
		part[length] = '\0';
		assert_int_equal(proc_parse_stat(part, &stat), -EINVAL);
	}
	assert_int_equal(stat.pid, 77);
	assert_int_equal(proc_parse_stat(whole, &stat), 0);
	assert_int_equal(proc_parse_stat("4294967297 (a) S 7 1", &stat), -EINVAL);
	assert_int_equal(proc_parse_stat(")12 (a S", &stat), -EINVAL);
	assert_int_equal(proc_parse_stat("12 (a", &stat), -EINVAL);
}

static int parse_map(const char *text, struct proc_map *map)
{
	static char line[8192];

	strncpy(line, text, sizeof(line) - 1);
	return proc_parse_map(line, map);
}

static void test_map_of_a_file(void **state)
{
	struct proc_map map;

	(void)state;
	assert_int_equal(parse_map("7f0c1a200000-7f0c1a375000 r-xp 00026000 fd:1a 1835 "
				   "                   /usr/lib/libc.so.6",
				   &map),
			 0);
	assert_int_equal(map.start, 0x7f0c1a200000);
	assert_int_equal(map.end, 0x7f0c1a375000);
	assert_int_equal(map.offset, 0x26000);
	assert_int_equal(map.dev, makedev(0xfd, 0x1a));
	assert_int_equal(map.inode, 1835);
	assert_string_equal(map.path, "/usr/lib/libc.so.6");
	assert_false(map.deleted);
}

static void test_map_paths(void **state)
{
	static const struct {
		const char *column, *path;
		bool deleted;
	} cases[] = {
		{ " /tmp/a b (deleted)", "/tmp/a b", true },
		{ " /tmp/two\\012lines", "/tmp/two\nlines", false },
		{ " /tmp/back\\slash \\01", "/tmp/back\\slash \\01", false },
		{ " /tmp/x (deleted) (deleted)", "/tmp/x (deleted)", true },
		{ " (deleted)", "(deleted)", false },
		{ " [vdso]", "[vdso]", false },
		{ " ", "", false },
		{ "", "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[256] = "1000-2000 r-xp 00000000 00:00 0";
		struct proc_map map;

		strcat(line, cases[i].column);
		assert_int_equal(parse_map(line, &map), 0);
		assert_string_equal(map.path, cases[i].path);
		assert_int_equal(map.deleted, cases[i].deleted);
	}
}

static void test_map_lines_without_code(void **state)
{
	struct proc_map map = { .start = 77 };

	(void)state;
	assert_int_equal(parse_map("1000-2000 rw-p 00000000 00:00 0 [heap]", &map), -ENOENT);
	assert_int_equal(parse_map("", &map), -EINVAL);
	assert_int_equal(parse_map("1000-2000", &map), -EINVAL);
	assert_int_equal(parse_map("1000-2000 r-x", &map), -EINVAL);
	assert_int_equal(parse_map("1000-2000 r-xp 0 fd:01", &map), -EINVAL);
	assert_int_equal(parse_map("1000 2000 r-xp 00000000 00:00 0", &map), -EINVAL);
	assert_int_equal(parse_map("2000-1000 r-xp 00000000 00:00 0", &map), -EINVAL);
	assert_int_equal(parse_map("1000-2000 r-xp 00000000 00-00 0", &map), -EINVAL);
	assert_int_equal(parse_map("-1000-2000 r-xp 00000000 00:00 0", &map), -EINVAL);
	assert_int_equal(parse_map("10000000000000000-2 r-xp 00000000 00:00 0", &map), -EINVAL);
	assert_int_equal(map.start, 77);
}

static void test_cgroup_paths(void **state)
{
	static const struct {
		const char *text, *path;
	} cases[] = {
		{ "0::/user.slice/a b\n", "/user.slice/a b" },
		{ "0::/\n", "/" },
		{ "0::/gone.scope (deleted)\n", "/gone.scope" },
		{ "5:cpu,cpuacct:/x\n1:name=systemd:/docker/ab:c\n0::/\n", "/docker/ab:c" },
		{ "5:cpu,cpuacct:/x\n1:name=systemd:/\n", "/x" },
		{ "5:cpu:/x\n1:name=systemd:/s\n0::/unified\n", "/unified" },
		{ "", "" },
		{ "nonsense", "" },
		{ "0:\n\n::\n", "" },
	};
	char path[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		proc_parse_cgroup(cases[i].text, path, sizeof(path));
		assert_string_equal(path, cases[i].path);
	}
	proc_parse_cgroup("0::/0123456789", path, 8);
	assert_string_equal(path, "/012345");
}

static void test_scripts(void **state)
{
	static const struct {
		const char *cmdline;
		size_t size;
		const char *comm, *executable, *script;
	} cases[] = {
#define WORDS(text) text, sizeof(text)
		{ WORDS("/bin/sh\0./build.sh\0all"), "build.sh", "/usr/bin/dash", "build.sh" },
		{ WORDS("/bin/sh\0-e\0/x/build.sh"), "build.sh", "/usr/bin/dash", "build.sh" },
		{ WORDS("/bin/sh\0/x/a-script-with-a-long-name"), "a-script-with-a", "/bin/dash",
		  "a-script-with-a-long-name" },
		{ WORDS("/bin/sh\0/x/a-script-with-b"), "a-script-with-a", "/bin/dash", "" },
		{ WORDS("/bin/sh\0/x/build.sh.old"), "build.sh", "/usr/bin/dash", "" },
		/* An interpreter that was started by its own name. */
		{ WORDS("python3\0./x.py"), "python3", "/usr/bin/python3.11", "" },
		{ WORDS("/usr/bin/dash\0dash"), "dash", "/usr/bin/dash", "" },
		/* A link: the word that is its name is argv[0]. */
		{ WORDS("ls\0ls"), "ls", "/bin/busybox", "" },
		{ WORDS("/bin/sh"), "build.sh", "/usr/bin/dash", "" },
		{ "", 0, "build.sh", "/usr/bin/dash", "" },
		{ "/bin/sh\0./build.sh", 18, "build.sh", "/bin/dash", "" }, /* no NUL at the end */
#undef WORDS
	};
	char script[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		proc_parse_script(cases[i].cmdline, cases[i].size, cases[i].comm,
				  cases[i].executable, script, sizeof(script));
		assert_string_equal(script, cases[i].script);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat_fields),
		cmocka_unit_test(test_stat_hostile_names),
		cmocka_unit_test(test_stat_kernel_threads),
		cmocka_unit_test(test_stat_cut_anywhere),
		cmocka_unit_test(test_map_of_a_file),
		cmocka_unit_test(test_map_paths),
		cmocka_unit_test(test_map_lines_without_code),
		cmocka_unit_test(test_cgroup_paths),
		cmocka_unit_test(test_scripts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
