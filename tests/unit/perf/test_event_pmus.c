/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counter units as sysfs describes them, made here: the layout is that of the kernel's documents.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/event_sources.h"

static const struct {
	const char *path, *text; /* NULL: a folder */
} tree[] = {
	{ "core", NULL },
	{ "core/format", NULL },
	{ "core/events", NULL },
	{ "core/type", "4\n" },
	{ "core/format/event", "config:0-7,32-35\n" },
	{ "core/format/umask", "config:8-15\n" },
	{ "core/format/inv", "config:23\n" },
	{ "core/format/ldlat", "config1:0-15\n" },
	{ "core/format/odd", "config9:0-3\n" },
	{ "core/events/cycles-here", "event=0x3c\n" },
	{ "core/events/loop", "loop\n" },
	{ "energy", NULL },
	{ "energy/events", NULL },
	{ "energy/format", NULL },
	{ "energy/type", "9\n" },
	{ "energy/cpumask", "0,8\n" },
	{ "energy/format/event", "config:0-7\n" },
	{ "energy/events/ram", "event=0x03\n" },
	{ "energy/events/ram.scale", "2.5e-10\n" },
	{ "energy/events/ram.unit", "Joules\n" },
};

enum { ENTRIES = sizeof(tree) / sizeof(tree[0]) };

static int make_tree(void **state)
{
	char folder[] = "/tmp/test_event_pmus.XXXXXX", path[256];

	if (!mkdtemp(folder))
		return -1;
	for (size_t i = 0; i < ENTRIES; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", folder, tree[i].path);
		if (!tree[i].text) {
			mkdir(path, 0700);
			continue;
		}
		file = fopen(path, "w");
		if (!file)
			return -1;
		fputs(tree[i].text, file);
		fclose(file);
	}
	*state = strdup(folder);
	return 0;
}

static int remove_tree(void **state)
{
	char path[256];

	for (size_t i = ENTRIES; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", (char *)*state, tree[i].path);
		remove(path);
	}
	rmdir(*state);
	free(*state);
	return 0;
}

static struct event_spec found(const char *folder, const char *pmu, const char *terms)
{
	struct event_spec spec = { 0 };
	struct err err = { "" };

	if (event_pmus_find(folder, pmu, terms, &spec, &err) < 0)
		fail_msg("%s/%s/: %s", pmu, terms, err.text);
	return spec;
}

static void assert_refused(const char *folder, const char *pmu, const char *terms, int rc,
			   const char *because)
{
	struct event_spec spec = { 0 };
	struct err err = { "" };

	assert_int_equal(event_pmus_find(folder, pmu, terms, &spec, &err), rc);
	if (!strstr(err.text, because))
		fail_msg("'%s' lacks '%s'", err.text, because);
}

static void fields_go_where_the_format_says(void **state)
{
	assert_int_equal(found(*state, "core", "event=0x3c,umask=1").config, 0x13c);
	assert_int_equal(found(*state, "core", "event=0xf3c").config, 0xf0000003cULL);
	assert_int_equal(found(*state, "core", "event=1,inv").config, 0x800001);
	assert_int_equal(found(*state, "core", "event=1,ldlat=30").config1, 30);
	assert_int_equal(found(*state, "core", "config=0x1ff,config2=7,name=mine").config, 0x1ff);
	assert_int_equal(found(*state, "core", "config2=7").config2, 7);
	assert_int_equal(found(*state, "core", "event=1").type, 4);
	assert_true(found(*state, "core", "event=1").hardware);
}

static void events_by_name(void **state)
{
	struct event_spec spec = found(*state, "core", "cycles-here,umask=2");

	assert_int_equal(spec.config, 0x23c);
	spec = found(*state, "energy", "ram");
	assert_string_equal(spec.unit, "Joules");
	assert_true(spec.scale == 2.5e-10);
	assert_true(spec.whole_cpus);
	memset(&spec, 0, sizeof(spec));
	assert_int_equal(event_pmus_find_bare(*state, "cycles-here", &spec), 0);
	assert_int_equal(spec.config, 0x3c);
	assert_int_equal(event_pmus_find_bare(*state, "ram.unit2", &spec), -ENOENT);
	assert_int_equal(event_pmus_find_bare(*state, "../type", &spec), -ENOENT);
}

static void what_is_wrong(void **state)
{
	assert_refused(*state, "none", "event=1", -ENOENT, "no PMU 'none'");
	assert_refused(*state, "..", "event=1", -ENOENT, "no PMU");
	assert_refused(*state, "core", "nosuch", -EINVAL, "no event or field 'nosuch'");
	assert_refused(*state, "core", "nosuch=3", -EINVAL, "no event or field 'nosuch'");
	assert_refused(*state, "core", "event=x", -EINVAL, "is not a number");
	assert_refused(*state, "core", "event=-1", -EINVAL, "is not a number");
	assert_refused(*state, "core", "umask=256", -EINVAL, "does not fit");
	assert_refused(*state, "core", "odd=1", -EINVAL, "unknown format");
	assert_refused(*state, "core", "event=1,", -EINVAL, "empty or invalid");
	assert_refused(*state, "core", "../../x", -EINVAL, "empty or invalid");
	assert_refused(*state, "core", "loop", -EINVAL, "no event or field 'loop'");
}

static void count_entry(void *context, const struct event_entry *entry)
{
	if (strcmp(entry->name, "energy/ram/") == 0) {
		assert_int_equal(entry->type, 9);
		assert_int_equal(entry->config, 3);
	}
	++*(int *)context;
}

static void all_of_them(void **state)
{
	char text[64];
	int count = 0;

	event_pmus_each(*state, count_entry, &count);
	assert_int_equal(count, 3);
	assert_true(event_pmus_name(*state, 9, text, sizeof(text)));
	assert_string_equal(text, "energy");
	assert_false(event_pmus_name(*state, 77, text, sizeof(text)));
	assert_true(event_pmus_cpus(*state, 9, text, sizeof(text)));
	assert_string_equal(text, "0,8");
	assert_false(event_pmus_cpus(*state, 4, text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_go_where_the_format_says),
		cmocka_unit_test(events_by_name),
		cmocka_unit_test(what_is_wrong),
		cmocka_unit_test(all_of_them),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
