/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_condition.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* As the kernel side does it (bpf/probe_condition.bpf.h). */
static uint64_t widen(uint64_t value, unsigned bits, bool sign)
{
	unsigned shift = 64 - bits;

	value <<= shift;
	return sign ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

static bool test_step(const struct probe_step *step, const uint64_t *operands)
{
	uint64_t value = widen(operands[step->operand], step->bits, step->sign);

	if (step->kind == PROBE_STEP_EQUAL)
		return value == step->constants[0];
	if (step->kind == PROBE_STEP_BITS)
		return value & step->constants[0];
	assert_int_equal(step->kind, PROBE_STEP_LESS);
	return step->sign ? (int64_t)value < (int64_t)step->constants[0]
			  : value < step->constants[0];
}

static bool evaluate(const struct probe_condition *condition, const uint64_t *operands)
{
	bool stack[PROBE_CONDITION_STEPS];
	size_t depth = 0;

	for (size_t i = 0; i < condition->count; i++) {
		const struct probe_step *step = &condition->steps[i];

		if (step->kind == PROBE_STEP_NOT) {
			stack[depth - 1] = !stack[depth - 1];
		} else if (step->kind == PROBE_STEP_AND || step->kind == PROBE_STEP_OR) {
			assert_true(depth >= 2);
			depth--;
			stack[depth - 1] = step->kind == PROBE_STEP_AND
						   ? stack[depth - 1] && stack[depth]
						   : stack[depth - 1] || stack[depth];
		} else {
			stack[depth++] = test_step(step, operands);
		}
	}
	assert_int_equal(depth, 1);
	return stack[0];
}

static void test_meaning(void **state)
{
	static const struct {
		const char *text;
		uint64_t arg1, arg2;
		bool holds;
	} cases[] = {
		{ "arg1 > 4096", 4097, 0, true },
		{ "arg1 > 4096", 4096, 0, false },
		{ "arg1>4k", 4097, 0, true },
		{ "arg1 >= -1", (uint64_t)-1, 0, true },
		{ "arg1 < 0", (uint64_t)-22, 0, true },
		{ "arg1:u64 < 0", (uint64_t)-22, 0, false },
		{ "arg1:s32 == -22", 0xffffffea, 0, true },
		{ "arg1:u32 > 5", 0x100000000, 0, false },
		{ "arg1 == NULL", 0, 0, true },
		{ "arg1 & 0x10 && arg2", 0, 0, false }, /* refused below */
		{ "arg1 == 1 || arg1 == 2 && arg2 == 3", 1, 0, true },
		{ "(arg1 == 1 || arg1 == 2) && arg2 == 3", 1, 0, false },
		{ "! arg1 == 1", 2, 0, true },
		{ "!!(arg1 & 6)", 4, 0, true },
		{ "arg1 & 6", 9, 0, false },
		{ "arg1 in 3..5", 5, 0, true },
		{ "arg1 in -5..-3", (uint64_t)-3, 0, true },
		{ "arg1 in 3..5", 6, 0, false },
		{ "arg1 <= 9223372036854775807", INT64_MAX, 0, true },
		{ "arg1 > 9223372036854775807", INT64_MAX, 0, false },
		{ "arg1:u64 > 18446744073709551615", UINT64_MAX, 0, false },
		{ "arg1:u64 <= 18446744073709551615", 7, 0, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t operands[PROBE_OPERAND_RETURNED + 1] = { cases[i].arg1, cases[i].arg2 };
		struct probe_condition condition;
		struct err err;
		int rc = probe_condition_parse("--if", cases[i].text, &condition, &err);

		if (strcmp(cases[i].text, "arg1 & 0x10 && arg2") == 0) {
			assert_int_equal(rc, -EINVAL);
			continue;
		}
		assert_int_equal(rc, 0);
		if (evaluate(&condition, operands) != cases[i].holds)
			fail_msg("%s", cases[i].text);
	}
}

static void test_refusals(void **state)
{
	static const char *const texts[] = {
		"",
		"arg1",
		"arg7 == 1",
		"arg1 = 1",
		"arg1 == ",
		"arg1 == x",
		"(arg1 == 1",
		"arg1 == 1)",
		"arg1:u7 == 1",
		"comm == x",
		"comm == \"x",
		"arg1 in 3",
		"arg1 == 1 &&",
		"&& arg1 == 1",
		"arg1 == 1 arg2 == 2",
		"arg1 == 0x",
		"arg1 == 99999999999999999999",
		"arg1 == 5z",
	};
	struct probe_condition condition;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (probe_condition_parse("--if", texts[i], &condition, &err) != -EINVAL)
			fail_msg("'%s' was taken", texts[i]);
		assert_non_null(strstr(err.text, "--if"));
	}
}

/* Which parts are decided at the entry, and which at the return. */
static void test_parts(void **state)
{
	static const struct {
		const char *text;
		size_t entry, at_return; /* steps */
		int rc;
	} cases[] = {
		{ "arg1 == 1", 1, 0, 0 },
		{ "retval == 1", 0, 1, 0 },
		{ "arg1 == 1 && retval == 1", 1, 1, 0 },
		{ "retval == 1 && arg1 == 1 && retval:s32 < 5 && !(arg2 < 7)", 4, 3, 0 },
		{ "(arg1 == 1 || pid == 2) && (retval == 1 || tid == 2)", 3, 3, 0 },
		{ "retval in 1..5", 0, 4, 0 }, /* not below 1, and below 6 */
		{ "arg1 == 1 || retval == 1", 0, 0, -EINVAL },
		{ "!(arg1 == 1 && retval == 1)", 0, 0, -EINVAL },
		{ "pid == 1 && (cpu == 1 || retval == 1 && arg1 == 1)", 0, 0, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct probe_condition whole, entry, at_return;
		struct err err;

		assert_int_equal(probe_condition_parse("--if", cases[i].text, &whole, &err), 0);
		assert_int_equal(probe_condition_split(&whole, &entry, &at_return), cases[i].rc);
		if (cases[i].rc < 0)
			continue;
		assert_int_equal(entry.count, cases[i].entry);
		assert_int_equal(at_return.count, cases[i].at_return);
	}
}

/* Each part is true when its own tests are. */
static void test_parts_mean_the_whole(void **state)
{
	static const char text[] =
		"arg1 == 1 && retval < 0 && (arg2 == 2 || arg1 & 1) && !(retval == -5)";
	struct probe_condition whole, entry, at_return;
	struct err err;

	(void)state;
	assert_int_equal(probe_condition_parse("--if", text, &whole, &err), 0);
	assert_int_equal(probe_condition_split(&whole, &entry, &at_return), 0);
	for (uint64_t i = 0; i < 4 * 4 * 8; i++) {
		uint64_t operands[PROBE_OPERAND_RETURNED + 1] = {
			[PROBE_OPERAND_ARGUMENT] = i % 4,
			[PROBE_OPERAND_ARGUMENT + 1] = i / 4 % 4,
			[PROBE_OPERAND_RETURNED] = (i / 16) - 7,
		};

		assert_int_equal(evaluate(&whole, operands),
				 evaluate(&entry, operands) && evaluate(&at_return, operands));
	}
}

static void test_limits(void **state)
{
	char text[64 * 24] = "arg1 == 1", brackets[256] = "";
	struct probe_condition condition;
	struct err err;

	(void)state;
	for (int i = 0; i < 63; i++)
		strcat(text, " || arg1 == 1");
	assert_int_equal(probe_condition_parse("--if", text, &condition, &err), -E2BIG);
	memset(brackets, '(', sizeof(brackets) - 1);
	assert_int_equal(probe_condition_parse("--if", brackets, &condition, &err), -E2BIG);
}

static void test_names_are_cut_as_the_kernel_does(void **state)
{
	struct probe_condition condition;
	struct err err;

	(void)state;
	assert_int_equal(probe_condition_parse("--if", "comm != \"a-very-long-name-of-16\"",
					       &condition, &err),
			 0);
	assert_int_equal(condition.count, 2);
	assert_memory_equal(condition.steps[0].constants, "a-very-long-nam", 16);
	assert_false(probe_condition_uses_arguments(&condition));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meaning),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_parts_mean_the_whole),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_names_are_cut_as_the_kernel_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
