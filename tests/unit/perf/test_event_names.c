/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>

#include "perf/event_names.h"

enum { MOST = 3 };

static struct event_spec parsed(const char *text)
{
	struct event_spec spec;
	struct err err = { "" };

	if (event_names_parse(text, &spec, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	assert_string_equal(spec.name, text);
	return spec;
}

static void assert_event(const char *text, uint32_t type, uint64_t config)
{
	struct event_spec spec = parsed(text);

	assert_int_equal(spec.type, type);
	assert_int_equal(spec.config, config);
	assert_int_equal(spec.period, 0);
	assert_false(spec.exclude_user);
	assert_false(spec.exclude_kernel);
	assert_int_equal(spec.hardware, type != PERF_TYPE_SOFTWARE);
}

static void assert_refused(const char *text, int rc, const char *because)
{
	struct event_spec spec = { .period = 77 };
	struct err err = { "" };

	assert_int_equal(event_names_parse(text, &spec, &err), rc);
	assert_int_equal(spec.period, 77);
	if (!strstr(err.text, because))
		fail_msg("'%s' lacks '%s'", err.text, because);
}

static void fixed_names(void **state)
{
	assert_event("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	assert_event("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	assert_event("ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES);
	assert_true(parsed("cpu-clock").counts_ns);
	assert_true(parsed("task-clock").counts_ns);
	assert_false(parsed("page-faults").counts_ns);
}

/* The numbers are those of the comment on PERF_TYPE_HW_CACHE in perf_event_open(2). */
static void cache_names(void **state)
{
	assert_event("L1-dcache-loads", PERF_TYPE_HW_CACHE, 0x00000);
	assert_event("LLC-load-misses", PERF_TYPE_HW_CACHE, 0x10002);
	assert_event("dTLB-store-misses", PERF_TYPE_HW_CACHE, 0x10103);
	assert_event("node-prefetches", PERF_TYPE_HW_CACHE, 0x00206);
	assert_refused("LLC", -EINVAL, "unknown event");
	assert_refused("LLC-", -EINVAL, "unknown event");
	assert_refused("LLC-load", -EINVAL, "unknown event");
}

static void raw_codes(void **state)
{
	assert_event("r01c2", PERF_TYPE_RAW, 0x1c2);
	assert_event("rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX);
	assert_refused("r", -EINVAL, "unknown event");
	assert_refused("r10000000000000000", -EINVAL, "unknown event");
	assert_refused("r1g", -EINVAL, "unknown event");
}

static void tracepoints_that_are_absent(void **state)
{
	assert_refused("nosuch:point", -ENOENT, "tracepoint nosuch:point");
	assert_refused("nosuch:../x", -EINVAL, "invalid tracepoint");
	assert_refused("../x:point", -EINVAL, "invalid tracepoint");
}

static void counts_and_modifiers(void **state)
{
	struct event_spec user = parsed("page-faults:u"), kernel = parsed("page-faults:k");
	struct event_spec both = parsed("page-faults:uk"), all = parsed("page-faults:100:k");

	assert_true(user.exclude_kernel && !user.exclude_user);
	assert_true(kernel.exclude_user && !kernel.exclude_kernel);
	assert_false(both.exclude_user || both.exclude_kernel);
	assert_int_equal(all.period, 100);
	assert_true(all.exclude_user);
	assert_int_equal(parsed("cycles:9223372036854775807").period, INT64_MAX);
	assert_refused("cycles:0", -EINVAL, "invalid modifier");
	assert_refused("cycles:9223372036854775808", -EINVAL, "invalid modifier");
	assert_refused("cycles:99999999999999999999", -EINVAL, "invalid modifier");
	assert_refused("cycles:12x", -EINVAL, "invalid modifier");
	assert_refused("cycles:", -EINVAL, "invalid modifier");
	assert_refused("cycles:x", -EINVAL, "invalid modifier");
	assert_refused("cycles:1:u:k:u", -EINVAL, "too many colons");
}

static void nearest_names(void **state)
{
	char longest[2 * EVENT_NAME_MAX];

	assert_refused("cycels", -EINVAL, "did you mean cycles?");
	assert_refused("page-fault:u", -EINVAL, "did you mean page-faults?");
	assert_refused("quite-something-else", -EINVAL, "known are cpu-clock");
	assert_refused("", -EINVAL, "empty or too long");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_refused(longest, -EINVAL, "empty or too long");
}

static void assert_list(const char *first, const char *second, size_t count,
			const char *const *names)
{
	const char *const lists[] = { first, second };
	struct event_spec specs[MOST];
	struct err err = { "" };
	size_t got = 77;

	if (event_names_parse_list(lists, second ? 2 : 1, specs, MOST, &got, &err) < 0)
		fail_msg("%s: %s", first, err.text);
	assert_int_equal(got, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(specs[i].name, names[i]);
}

static void lists_of_events(void **state)
{
	assert_list("page-faults:u,page-faults:k", NULL, 2,
		    (const char *[]){ "page-faults:u", "page-faults:k" });
	assert_list("cycles", "cycles:10000,page-faults", 3,
		    (const char *[]){ "cycles", "cycles:10000", "page-faults" });
	assert_list("cpu-clock", NULL, 0, NULL);
	assert_list("cpu-clock,cycles", "cpu-clock:u", 2,
		    (const char *[]){ "cycles", "cpu-clock:u" });
}

static void assert_list_refused(const char *first, const char *second, const char *because)
{
	const char *const lists[] = { first, second };
	struct event_spec specs[MOST];
	struct err err = { "" };
	size_t got = 77;

	assert_int_equal(event_names_parse_list(lists, second ? 2 : 1, specs, MOST, &got, &err),
			 -EINVAL);
	assert_int_equal(got, 77);
	if (!strstr(err.text, because))
		fail_msg("'%s' lacks '%s'", err.text, because);
}

static void wrong_lists(void **state)
{
	char longest[2 * EVENT_NAME_MAX];

	assert_list_refused("", NULL, "empty");
	assert_list_refused(",", NULL, "empty");
	assert_list_refused("cycles,,page-faults", NULL, "empty");
	assert_list_refused("cycles,", NULL, "empty");
	assert_list_refused("cycles", "", "empty");
	assert_list_refused("cycles,cycles", NULL, "'cycles' is given twice");
	assert_list_refused("cycles:u", "cycles:u", "'cycles:u' is given twice");
	assert_list_refused("cpu-clock:100", NULL, "always sampled");
	assert_list_refused("cpu-clock:u:100", NULL, "always sampled");
	assert_list_refused("cycles,instructions,branches,page-faults", NULL, "at most 3");
	assert_list_refused("cycles,nosuchevent", NULL, "unknown event");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_list_refused(longest, NULL, "too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_names),
		cmocka_unit_test(cache_names),
		cmocka_unit_test(raw_codes),
		cmocka_unit_test(tracepoints_that_are_absent),
		cmocka_unit_test(counts_and_modifiers),
		cmocka_unit_test(nearest_names),
		cmocka_unit_test(lists_of_events),
		cmocka_unit_test(wrong_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
