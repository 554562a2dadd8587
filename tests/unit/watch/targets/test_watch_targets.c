/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_targets.h"

#include <errno.h>

#include "watch/targets/watched_program.h"

/* Turns one word, "PROGRAM" + @rest, into targets. */
static int turn(const char *rest, struct watch_target_options options,
		struct watch_targets **ret_targets, struct err *err)
{
	struct buf word = { 0 };
	const char *words[1];
	int rc;

	buf_printf(&word, "%s%s", program, rest);
	words[0] = buf_text(&word);
	options.words = words;
	options.word_count = 1;
	options.lines.no_cache = true;
	rc = watch_targets_new(&options, ret_targets, err);
	buf_done(&word);
	return rc;
}

static struct watch_targets *find(const char *rest, struct watch_target_options options)
{
	struct watch_targets *targets;
	struct err err;

	if (turn(rest, options, &targets, &err) < 0)
		fail_msg("%s: %s", rest, err.text);
	return targets;
}

static void refuse(const char *rest, struct watch_target_options options, int code,
		   const char *part)
{
	struct watch_targets *targets;
	struct err err;
	int rc = turn(rest, options, &targets, &err);

	if (rc != code || !strstr(err.text, part))
		fail_msg("%s: %d, '%s' has no '%s'", rest, rc, rc < 0 ? err.text : "", part);
}

static const struct probe_target *only(const struct watch_targets *targets)
{
	struct probe_options probes = { .target_count = 0 };

	watch_targets_give(targets, &probes);
	assert_int_equal(probes.target_count, 1);
	return probes.targets;
}

static const struct watch_target_options plain = { .exits = true };

static void test_function(void **state)
{
	struct watch_targets *targets = find(":original", plain);
	const struct probe_target *target = only(targets);

	(void)state;
	assert_true(target->user && !target->instruction);
	assert_string_equal(target->label, "prog:original");
	assert_int_equal(target->offset, nm("original"));
	/* Its return address is not replaced: what else will be in the process is unknown. */
	assert_non_null(target->returns_at);
	assert_true(target->return_count > 0);
	watch_targets_free(targets);
}

static void test_alias(void **state)
{
	struct watch_targets *targets = find(":same", plain);

	(void)state;
	assert_int_equal(only(targets)->offset, nm("original"));
	watch_targets_free(targets);
	targets = find(":[os][ra][im]*", plain); /* same, original: one place */
	assert_int_equal(only(targets)->offset, nm("original"));
	watch_targets_free(targets);
}

static void test_twins(void **state)
{
	struct watch_target_options all = plain;
	struct probe_options probes = { .target_count = 0 };
	struct watch_targets *targets;

	(void)state;
	refuse(":twin", plain, -ENOTUNIQ, "matches 2 functions");
	refuse(":twin", plain, -ENOTUNIQ, "twin at b.c:2");
	all.all = true;
	targets = find(":twin", all);
	watch_targets_give(targets, &probes);
	assert_int_equal(probes.target_count, 2);
	assert_string_not_equal(probes.targets[0].label, probes.targets[1].label);
	watch_targets_free(targets);
}

static void test_nothing(void **state)
{
	(void)state;
	refuse(":gone", plain, -ENOENT, "a.c:15 (0x");
	refuse(":originel", plain, -ENOENT, "similar: original");
	refuse(":puts", plain, -ENOENT, "no function puts");
	refuse("", plain, -EINVAL, "no function given");
	refuse(":", plain, -EINVAL, "invalid function");
	refuse("nothing:main", plain, -ENOENT, "No such file");
	refuse(":0x1", plain, -ENOENT, "no code at 0x1");
}

static void test_instructions(void **state)
{
	static const char *const at[] = { "+0x1", "+0x4" }, *const beyond[] = { "+0x1000" };
	struct watch_target_options options = { .at = at, .at_count = 1 };
	struct watch_targets *targets;
	char word[64];

	(void)state;
	options.at = beyond;
	refuse(":rounds", options, -EINVAL, "beyond its end");
	snprintf(word, sizeof(word), ":0x%lx", nm("rounds"));
	targets = find(word, plain);
	assert_false(only(targets)->instruction);
	watch_targets_free(targets);
#ifdef __x86_64__
	/* the first instruction of such a loop has two bytes: test %edi,%edi */
	options.at = at;
	refuse(":rounds", options, -EINVAL, "inside an instruction");
#endif
	targets = find(":rounds+0x0", plain);
	assert_true(only(targets)->instruction);
	assert_int_equal(only(targets)->offset, nm("rounds"));
	watch_targets_free(targets);
}

static void test_lines(void **state)
{
	static const char *const lines[] = { "a.c:11" }, *const none[] = { "a.c:6" },
				 *const wrong[] = { "c.c:1" }, *const bad[] = { "a.c" };
	struct watch_target_options options = { .at_lines = lines, .at_line_count = 1 };
	struct watch_targets *targets = find("", options);
	struct probe_options probes = { .target_count = 0 };
	uint64_t start = nm("rounds");

	(void)state;
	watch_targets_give(targets, &probes);
	assert_true(probes.target_count >= 1);
	for (size_t i = 0; i < probes.target_count; i++) {
		const struct probe_target *target = &probes.targets[i];

		assert_true(target->instruction && target->offset > start &&
			    target->offset < start + 0x100);
		assert_non_null(strstr(target->label, "(a.c:11)"));
	}
	watch_targets_free(targets);
	options.at_lines = none;
	refuse("", options, -ENOENT, "the next line with code is ");
	options.at_lines = wrong;
	refuse("", options, -ENOENT, "no source file");
	options.at_lines = bad;
	refuse("", options, -EINVAL, "invalid line");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function),     cmocka_unit_test(test_alias),
		cmocka_unit_test(test_twins),	     cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_instructions), cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
