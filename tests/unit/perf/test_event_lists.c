/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "perf/event_names.h"
#include "perf/event_sources.h"

enum { MOST = 4 };

struct parsed {
	struct event_spec specs[MOST];
	unsigned groups[MOST];
	size_t count;
};

static struct parsed parsed(const char *list)
{
	const char *const lists[] = { list };
	struct parsed parsed = { .count = 0 };
	struct err err = { "" };

	if (event_names_parse_groups(lists, 1, parsed.specs, parsed.groups, MOST, &parsed.count,
				     &err) < 0)
		fail_msg("%s: %s", list, err.text);
	return parsed;
}

static void assert_refused(const char *list, const char *because)
{
	const char *const lists[] = { list };
	struct parsed parsed = { .count = 77 };
	struct err err = { "" };

	assert_int_equal(event_names_parse_groups(lists, 1, parsed.specs, parsed.groups, MOST,
						  &parsed.count, &err),
			 -EINVAL);
	assert_int_equal(parsed.count, 77);
	if (!strstr(err.text, because))
		fail_msg("'%s' lacks '%s'", err.text, because);
}

static void groups(void **state)
{
	struct parsed list = parsed("{cycles,instructions},page-faults,{cycles:u}");

	assert_int_equal(list.count, 4);
	assert_int_equal(list.groups[0], 1);
	assert_int_equal(list.groups[1], 1);
	assert_int_equal(list.groups[2], 0);
	assert_int_equal(list.groups[3], 2);
	assert_true(list.specs[3].exclude_kernel);
	assert_int_equal(list.specs[1].config, PERF_COUNT_HW_INSTRUCTIONS);
}

static void modifiers_after_a_group_are_of_all(void **state)
{
	struct parsed list = parsed("{cycles,instructions}:k,page-faults");

	assert_true(list.specs[0].exclude_user && list.specs[1].exclude_user);
	assert_string_equal(list.specs[1].name, "instructions:k");
	assert_false(list.specs[2].exclude_user);
}

static void the_same_twice(void **state)
{
	assert_int_equal(parsed("cycles,cycles,cpu-clock").count, 3);
}

static void wrong_lists(void **state)
{
	assert_refused("{cycles", "{A,B}");
	assert_refused("{cycles,instructions", "{A,B}");
	assert_refused("{{cycles}}", "name is empty");
	assert_refused("cycles}", "{A,B}");
	assert_refused("{}", "name is empty");
	assert_refused("{cycles}{instructions}", "missing comma");
	assert_refused("cycles,", "name is empty");
	assert_refused("", "name is empty");
	assert_refused("cycles@6000", "every event is counted");
	assert_refused("cycles,cycles,cycles,cycles,cycles", "at most 4");
}

static void sampling(void **state)
{
	struct event_spec spec;
	struct err err = { "" };

	assert_int_equal(event_names_parse("page-faults:u@100", &spec, &err), 0);
	assert_int_equal(spec.period, 100);
	assert_true(spec.exclude_kernel);
	assert_int_equal(event_names_parse("cycles@250hz", &spec, &err), 0);
	assert_true(spec.rate_hz == 250);
	assert_int_equal(spec.period, 0);
	assert_int_equal(event_names_parse("cycles@", &spec, &err), -EINVAL);
	assert_int_equal(event_names_parse("cycles@0", &spec, &err), -EINVAL);
	assert_int_equal(event_names_parse("cycles@1khz", &spec, &err), -EINVAL);
	assert_int_equal(event_names_parse("cycles@0hz", &spec, &err), -EINVAL);
}

/* Every event that is listed is found by its name, as the same one. */
static void check_entry(void *context, const struct event_entry *entry)
{
	struct event_spec spec = { 0 };

	assert_true(event_tables_find(entry->name, &spec));
	assert_int_equal(spec.type, entry->type);
	assert_int_equal(spec.config, entry->config);
	++*(int *)context;
}

static void tables(void **state)
{
	struct event_spec spec = { 0 };
	int count = 0;

	event_tables_each(check_entry, &count);
	assert_true(count > 50);
	assert_true(event_tables_find("cpu-cycles", &spec));
	assert_int_equal(spec.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_true(event_tables_least_period(&spec) > 1);
	assert_true(event_tables_find("faults", &spec));
	assert_int_equal(event_tables_least_period(&spec), 1);
}

#define RAW "/sys/kernel/tracing/events/raw_syscalls/"

static void explained(struct tracefs_facts facts, int rc, const char *words)
{
	struct err err = { "" };

	assert_int_equal(event_tracepoints_explain(&facts, &err), rc);
	if (!strstr(err.text, words))
		fail_msg("'%s' is not in: %s", words, err.text);
}

/* Root's are they only where they are there. */
static void why_tracepoints_are_not_to_be_seen(void **state)
{
	(void)state;
	explained((struct tracefs_facts){ true, true, true, true }, 0, "");
	explained((struct tracefs_facts){ false, true, true, true }, -EACCES, "only root");
	explained((struct tracefs_facts){ false, false, true, true }, -ENOENT,
		  "not mounted (sudo mount -t tracefs tracefs /sys/kernel/tracing)");
	explained((struct tracefs_facts){ false, false, true, false }, -ENOENT, "nor /sys");
	explained((struct tracefs_facts){ false, false, false, true }, -ENOENT,
		  "this kernel has no tracefs");
}

/* In a mount namespace of this process, where the machine has tracefs mounted nowhere. */
static int mount_tracefs(void **state)
{
	(void)state;
	if (access(RAW, R_OK) != 0 && unshare(CLONE_NEWNS) == 0 &&
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	return 0;
}

/* Against the folders of tracefs, which are in the same order. */
static void tracepoints_that_fit(void **state)
{
	struct parsed list;
	glob_t folders;

	(void)state;
	if (glob(RAW "sys_*/id", 0, NULL, &folders) != 0) {
		print_message("tracefs cannot be read\n");
		skip();
	}
	list = parsed("{raw_syscalls:sys_*:k},page-faults");
	assert_int_equal(list.count, folders.gl_pathc + 1);
	for (size_t i = 0; i < folders.gl_pathc; i++) {
		const char *name = folders.gl_pathv[i] + strlen(RAW);
		const char *expected = "raw_syscalls:";

		assert_memory_equal(list.specs[i].name, expected, strlen(expected));
		assert_memory_equal(list.specs[i].name + strlen(expected), name,
				    strcspn(name, "/"));
		assert_string_equal(list.specs[i].name + strlen(expected) + strcspn(name, "/"),
				    ":k");
		assert_int_equal(list.specs[i].type, PERF_TYPE_TRACEPOINT);
		assert_true(list.specs[i].exclude_user);
		assert_int_equal(list.groups[i], 1);
	}
	assert_int_equal(list.groups[folders.gl_pathc], 0);
	globfree(&folders);
	assert_int_equal(parsed("raw_syscalls:sys_ent?r").count, 1);
	assert_int_equal(parsed("raw_sys*:sys_[e]nter").count, 1);
	assert_refused("*:*", "at most 4");
}

static void tracepoints_that_nothing_fits(void **state)
{
	const char *const lists[] = { "nobody:has_*" };
	struct parsed list = { .count = 77 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(event_names_parse_groups(lists, 1, list.specs, list.groups, MOST,
						  &list.count, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "'nobody:has_*'"));
	assert_refused("page-*", "unknown event");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(why_tracepoints_are_not_to_be_seen),
		cmocka_unit_test_setup(tracepoints_that_fit, mount_tracefs),
		cmocka_unit_test(tracepoints_that_nothing_fits),
		cmocka_unit_test(modifiers_after_a_group_are_of_all),
		cmocka_unit_test(the_same_twice),
		cmocka_unit_test(wrong_lists),
		cmocka_unit_test(sampling),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
