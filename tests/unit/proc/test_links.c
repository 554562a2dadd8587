/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links in a folder of the test, which is the only one of PATH besides that of the file. */
#include "proc/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"

struct place {
	char folder[64], tools[80], file[80];
	char *path; /* PATH as it was */
	struct link_end end;
};

static void make_link(const char *folder, const char *name, const char *to)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(symlink(to, path), 0);
}

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	struct stat st;
	FILE *file;

	snprintf(place->folder, sizeof(place->folder), "/tmp/test_links.XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	snprintf(place->tools, sizeof(place->tools), "%s/tools", place->folder);
	snprintf(place->file, sizeof(place->file), "%s/one", place->folder);
	assert_int_equal(mkdir(place->tools, 0700), 0);
	file = fopen(place->file, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(stat(place->file, &st), 0);
	place->end = (struct link_end){ .dev = st.st_dev, .inode = st.st_ino };
	place->path = strdup(getenv("PATH"));
	setenv("PATH", place->tools, 1);
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	char command[128];

	setenv("PATH", place->path, 1);
	snprintf(command, sizeof(command), "rm -rf '%s'", place->folder);
	free(place->path);
	free(place);
	return system(command) == 0 ? 0 : -1;
}

static void expect(const struct place *place, const char *name, bool is_cut, const char *expected)
{
	const char *const paths[] = { place->file, NULL };
	_cleanup_free_ char *found = links_find(&place->end, paths, name, is_cut);

	if (!expected)
		assert_null(found);
	else
		assert_string_equal(found, expected);
}

static void test_whole_names(void **state)
{
	const struct place *place = *state;

	make_link(place->folder, "beside", "one");
	make_link(place->tools, "on-the-path", "../one");
	make_link(place->folder, "other", "/bin/sh");
	expect(place, "beside", false, "beside");
	expect(place, "on-the-path", false, "on-the-path");
	expect(place, "on-the-pat", false, NULL);
	expect(place, "other", false, NULL);
	expect(place, "none", false, NULL);
	expect(place, "", false, NULL);
	expect(place, "../one", false, NULL);
}

/* A name that the kernel cut is completed only if nothing else begins like it. */
static void test_cut_names(void **state)
{
	const struct place *place = *state;

	make_link(place->tools, "a-name-of-more-than-15", place->file);
	make_link(place->folder, "a-name-of-more-", "/bin/sh");
	expect(place, "a-name-of-more-", true, "a-name-of-more-than-15");
	make_link(place->folder, "a-name-of-more-than-15", "one"); /* the same name again */
	expect(place, "a-name-of-more-", true, "a-name-of-more-than-15");
	make_link(place->tools, "a-name-of-more-letters", place->file);
	expect(place, "a-name-of-more-", true, NULL);
}

/* Links are looked up as a process does that sees the same files. */
static void test_names_of_a_process(void **state)
{
	struct place *place = *state;

	make_link(place->folder, "beside", place->file);
	make_link(place->tools, "a-name-of-more-than-15", place->file);
	place->end.pid = getpid();
	expect(place, "beside", false, "beside");
	expect(place, "a-name-of-more-", true, "a-name-of-more-than-15");
	place->end.pid = -1; /* no process */
	expect(place, "beside", false, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_whole_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names_of_a_process, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
