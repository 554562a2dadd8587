/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "import/import_chain.h"

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define GUEST  ((uint64_t)PERF_CONTEXT_GUEST_KERNEL)

enum { MOST = 8 };

struct chain_case {
	uint8_t mode;
	uint64_t ip;
	uint64_t chain[MOST];
	size_t length;
	uint64_t kernel[MOST], user[MOST]; /* ended by 0 */
};

static void check_part(const uint64_t *got, size_t count, const uint64_t *wanted)
{
	size_t i;

	for (i = 0; i < MOST && wanted[i]; i++) {
		assert_true(i < count);
		assert_int_equal(got[i], wanted[i]);
	}
	assert_int_equal(count, i);
}

static void chains_are_taken_apart(void **state)
{
	static const struct chain_case cases[] = {
		{ PERF_RECORD_MISC_KERNEL,
		  10,
		  { KERNEL, 10, 11, USER, 20, 21 },
		  6,
		  { 10, 11 },
		  { 20, 21 } },
		{ PERF_RECORD_MISC_USER, 20, { USER, 20, 21 }, 3, { 0 }, { 20, 21 } },
		/* a precise event: the interrupt came later */
		{ PERF_RECORD_MISC_USER, 19, { USER, 20, 21 }, 3, { 0 }, { 19, 21 } },
		{ PERF_RECORD_MISC_USER, 20, { 20, 21 }, 2, { 0 }, { 20, 21 } }, /* no marks */
		{ PERF_RECORD_MISC_USER, 20, { 0 }, 0, { 0 }, { 20 } },
		{ PERF_RECORD_MISC_KERNEL, 10, { 0 }, 0, { 10 }, { 0 } },
		{ PERF_RECORD_MISC_KERNEL,
		  10,
		  { KERNEL, 10, GUEST, 99, USER, 20 },
		  6,
		  { 10 },
		  { 20 } },
		{ PERF_RECORD_MISC_GUEST_KERNEL, 99, { GUEST, 99 }, 2, { 0 }, { 0 } },
		/* an unknown mark: what follows is left out */
		{ PERF_RECORD_MISC_USER, 20, { USER, 20, (uint64_t)-640, 5 }, 4, { 0 }, { 20 } },
		{ PERF_RECORD_MISC_CPUMODE_UNKNOWN, 1ULL << 63, { 0 }, 0, { 1ULL << 63 }, { 0 } },
		{ PERF_RECORD_MISC_CPUMODE_UNKNOWN, 20, { 0 }, 0, { 0 }, { 20 } },
	};
	static struct import_chain chain;
	const struct perf_format format = { .sample_type = PERF_SAMPLE_CALLCHAIN };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_record record = { .type = PERF_RECORD_SAMPLE,
					      .cpu_mode = cases[i].mode };

		record.sample.ip = cases[i].ip;
		record.sample.chain = cases[i].chain;
		record.sample.chain_length = cases[i].length;
		import_chain_read(&record, &format, &chain);
		check_part(chain.kernel, chain.kernel_count, cases[i].kernel);
		check_part(chain.user, chain.user_count, cases[i].user);
	}
}

/* main calls a (at 100), a calls b (at 200), b is sampled at 300. */
static void a_processors_call_stack_is_the_user_part(void **state)
{
	static const struct perf_branch calls[] = { { 200, 290, 0 }, { 100, 190, 0 } };
	static const uint64_t user[MOST] = { 300, 201, 101 }, from_kernel[MOST] = { 290, 201, 101 };
	const struct perf_format format = { .sample_type = PERF_SAMPLE_BRANCH_STACK,
					    .branch_type = PERF_SAMPLE_BRANCH_CALL_STACK };
	static struct import_chain chain;
	struct perf_record record = { .type = PERF_RECORD_SAMPLE,
				      .cpu_mode = PERF_RECORD_MISC_USER };

	record.sample.ip = 300;
	record.sample.branches = (struct perf_branches){ calls, 2 };
	import_chain_read(&record, &format, &chain);
	check_part(chain.user, chain.user_count, user);
	record.cpu_mode = PERF_RECORD_MISC_KERNEL;
	import_chain_read(&record, &format, &chain);
	check_part(chain.user, chain.user_count, from_kernel);
	assert_int_equal(chain.kernel_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_are_taken_apart),
		cmocka_unit_test(a_processors_call_stack_is_the_user_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
