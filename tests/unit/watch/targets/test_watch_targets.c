/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_targets.h"

#include <errno.h>

#include "tools.h"

/* Two static functions of a name, an alias, a function that is only inlined, a loop of two lines,
 * a tail call. */
static const char first_source[] =
	"volatile int sink;\n"
	"static __attribute__((noinline)) int twin(int x) { sink = x; return x + 1; }\n"
	"__attribute__((noinline)) int original(int x) { sink += x; return x * 3; }\n"
	"int same(int x) __attribute__((alias(\"original\")));\n"
	"static inline __attribute__((always_inline)) void gone(int x) { sink ^= x; }\n"
	"int other(int x);\n"
	"__attribute__((noinline)) int rounds(int n)\n"
	"{\n"
	"	int sum = 0;\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		sink = i;\n"
	"		if (sink & 1)\n"
	"			sum += other(i);\n"
	"	}\n"
	"	gone(sum);\n"
	"	return sum;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	gone(argc);\n"
	"	return twin(argc) + original(argc) + same(2) + rounds(10);\n"
	"}\n";
static const char second_source[] =
	"extern volatile int sink;\n"
	"static __attribute__((noinline)) int twin(int x) { sink = -x; return x + 2; }\n"
	"int other(int x) { return twin(x); }\n";

static char *folder, *program;

static void write_text(const char *name, const char *text)
{
	struct buf path = { 0 };
	FILE *file;

	buf_printf(&path, "%s/%s", folder, name);
	file = fopen(buf_text(&path), "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	buf_done(&path);
}

static int set_up(void **state)
{
	struct buf out = { 0 };

	(void)state;
	folder = tools_folder();
	write_text("a.c", first_source);
	write_text("b.c", second_source);
	assert_true(asprintf(&program, "%s/prog", folder) > 0);
	if (tools_run(&out, "cd '%s' && cc -g -O2 -fno-toplevel-reorder -o prog a.c b.c 2>&1",
		      folder) != 0)
		fail_msg("%s", buf_text(&out));
	buf_done(&out);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(program);
	tools_remove(folder);
	return 0;
}

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
	size_t count;
	const struct probe_target *list = watch_targets_list(targets, &count);

	assert_int_equal(count, 1);
	return list;
}

/* The address nm has for a name, which in this program is the offset in the file too. */
static uint64_t nm(const char *name)
{
	struct buf out = { 0 };
	uint64_t address;

	assert_int_equal(tools_run(&out, "nm '%s' | grep -i ' t %s$'", program, name), 0);
	address = strtoull(buf_text(&out), NULL, 16);
	buf_done(&out);
	return address;
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
	/* Its return address is not exchanged: nobody knows what else will be in the process. */
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
	struct watch_targets *targets;
	const struct probe_target *list;
	size_t count;

	(void)state;
	refuse(":twin", plain, -ENOTUNIQ, "matches 2 functions");
	refuse(":twin", plain, -ENOTUNIQ, "twin at b.c:2");
	all.all = true;
	targets = find(":twin", all);
	list = watch_targets_list(targets, &count);
	assert_int_equal(count, 2);
	assert_string_not_equal(list[0].label, list[1].label);
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
	uint64_t start = nm("rounds");
	size_t count;
	const struct probe_target *list = watch_targets_list(targets, &count);

	(void)state;
	assert_true(count >= 1);
	for (size_t i = 0; i < count; i++) {
		assert_true(list[i].instruction && list[i].offset > start &&
			    list[i].offset < start + 0x100);
		assert_non_null(strstr(list[i].label, "(a.c:11)"));
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
