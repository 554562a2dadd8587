/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples without names: in which file most of them are, and what would give names. */
#include "aggregate/fixture.h"

#include "aggregate/account/unnamed.h"

static uint32_t task_of(struct fixture *fixture, const char *exe)
{
	uint32_t process = fixture_process(fixture, "program", 100);

	fixture->profile->processes.items[process].exe = fixture_text(fixture, exe);
	return fixture_task(fixture, process, "thread");
}

static struct total hits(uint32_t task, uint32_t stack, uint64_t weight)
{
	return (struct total){ .task = task, .stack = stack, .samples = 1, .weight = weight };
}

static uint32_t jit_stack(struct fixture *fixture)
{
	uint32_t stack = fixture_stack(fixture, "/jit", NULL, 0x9000, SYMBOL_NONE);
	uint32_t frame = fixture->profile->stacks.items[stack].frame;
	uint32_t image = fixture->profile->frames.items[frame].image;

	fixture->profile->images.items[image].kind = IMAGE_ANON;
	return stack;
}

static void the_file_with_most(void **state)
{
	struct fixture fixture;
	struct unnamed found;
	uint32_t task, named, between, none;

	(void)state;
	fixture_init(&fixture);
	task = task_of(&fixture, "/bin/a");
	named = fixture_stack(&fixture, "/bin/a", "main", 0x100, SYMBOL_NAMED);
	between = fixture_stack(&fixture, "/bin/b", "x->y", 0x200, SYMBOL_BRACKET);
	none = fixture_stack(&fixture, "/bin/c", "[.text]", 0x300, SYMBOL_NONE);
	unnamed_find(fixture.profile,
		     (struct total[]){ hits(task, named, 5), hits(task, between, 2),
				       hits(task, none, 3) },
		     3, &found);
	assert_int_equal(found.whole, 10);
	assert_int_equal(found.in_files, 5);
	assert_string_equal(
		profile_text(fixture.profile, fixture.profile->images.items[found.file].path),
		"/bin/c");
	assert_int_equal(found.jit, 0);
	assert_int_equal(found.python, 0);
	fixture_done(&fixture);
}

static void runtimes_by_their_executable(void **state)
{
	static const struct {
		const char *exe, *runs, *since; /* NULL: not known; any */
	} cases[] = {
		{ "/usr/bin/node", "node --perf-basic-prof", NULL },
		{ "/opt/node20", "node --perf-basic-prof", NULL },
		{ "/usr/bin/nodemon", NULL, NULL },
		{ "/usr/lib/jvm/bin/java",
		  "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit", "Java 17" },
		{ "", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;
		struct unnamed found;
		struct total total;

		fixture_init(&fixture);
		total = hits(task_of(&fixture, cases[i].exe), jit_stack(&fixture), 4);
		unnamed_find(fixture.profile, &total, 1, &found);
		assert_int_equal(found.jit, 4);
		assert_int_equal(found.in_files, 0);
		if (cases[i].runs)
			assert_string_equal(found.runs, cases[i].runs);
		else
			assert_null(found.runs);
		if (cases[i].since)
			assert_string_equal(found.since, cases[i].since);
		else
			assert_null(found.since);
		fixture_done(&fixture);
	}
}

static void python_and_its_version(void **state)
{
	struct fixture fixture;
	struct unnamed found;
	struct total total;
	uint32_t stack;

	(void)state;
	fixture_init(&fixture);
	stack = fixture_stack(&fixture, "/usr/bin/python3.11", "eval", 0x100, SYMBOL_NAMED);
	total = hits(task_of(&fixture, "/usr/bin/python3.11"), stack, 4);
	unnamed_find(fixture.profile, &total, 1, &found);
	assert_int_equal(found.python, 4);
	assert_int_equal(found.python_minor, 11);
	/* It tells names. */
	fixture_stack(&fixture, "/tmp/perf-1.map", "py::main:/a.py", 0x100, SYMBOL_NAMED);
	unnamed_find(fixture.profile, &total, 1, &found);
	assert_int_equal(found.python, 0);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_with_most),
		cmocka_unit_test(runtimes_by_their_executable),
		cmocka_unit_test(python_and_its_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
