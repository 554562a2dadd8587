/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <stdio.h>

#include "aggregate/account/completeness.h"

struct program {
	struct fixture *fixture;
	uint32_t task;
};

static struct program program(struct fixture *fixture, const char *name, int32_t pid)
{
	uint32_t process = fixture_process(fixture, name, pid);

	return (struct program){ fixture, fixture_task(fixture, process, name) };
}

static void hit(const struct program *program, uint32_t stack, uint64_t samples)
{
	fixture_hit(program->fixture, program->task, stack, MODE_USER, CONTEXT_TASK, samples);
}

/* Code that was made at run time, called from nowhere. */
static uint32_t made(struct fixture *fixture, enum stack_end end)
{
	uint32_t stack = fixture_chain(fixture, fixture_cut(fixture, end), "[anon]", "made called");
	uint32_t frame = fixture->profile->stacks.items[stack].frame;

	fixture->profile->images.items[fixture->profile->frames.items[frame].image].kind =
		IMAGE_ANON;
	return stack;
}

static struct completeness completeness_of(struct fixture *fixture)
{
	struct completeness found;

	profile_set_text(&fixture->profile->run.stacks, "full");
	completeness_make(fixture->profile, fixture->totals.rows.items, fixture->totals.rows.count,
			  0, &found);
	return found;
}

static const char *name_of(const struct fixture *fixture, const struct remedy *remedy)
{
	return profile_text(fixture->profile, remedy->program);
}

/* By the library, not by the name of the program. */
static void run_time_systems_have_switches(void **state)
{
	struct fixture fixture;
	struct program server, other;
	struct completeness found;
	const struct remedy *rows;

	(void)state;
	fixture_init(&fixture);
	server = program(&fixture, "server", 10);
	other = program(&fixture, "other", 11);
	hit(&server, made(&fixture, STACK_NO_ROWS), 30);
	hit(&server, fixture_chain(&fixture, 0, "/usr/lib/jvm/libjvm.so", "start run"), 10);
	hit(&other, made(&fixture, STACK_NO_ROWS), 20);
	found = completeness_of(&fixture);
	assert_int_equal(found.remedies.count, 2);
	rows = found.remedies.items;
	assert_string_equal(name_of(&fixture, &rows[0]), "server");
	assert_string_equal(rows[0].fix, "java -XX:+PreserveFramePointer");
	assert_int_equal(rows[0].samples, 30);
	assert_int_equal(rows[0].whole, 40);
	assert_string_equal(name_of(&fixture, &rows[1]), "other");
	assert_null(rows[1].fix);
	completeness_done(&found);
	fixture_done(&fixture);
}

/* Every file has some code of an assembler. */
static void a_few_stacks_need_no_remedy(void **state)
{
	struct fixture fixture;
	struct program worker;
	struct completeness found;
	uint32_t bare;

	(void)state;
	fixture_init(&fixture);
	worker = program(&fixture, "worker", 10);
	bare = fixture_chain(&fixture, fixture_cut(&fixture, STACK_NO_ROWS), "/bin/bare", "f g");
	hit(&worker, bare, 4);
	hit(&worker, fixture_chain(&fixture, 0, "/bin/worker", "main"), 96);
	found = completeness_of(&fixture);
	assert_int_equal(found.remedies.count, 0);
	completeness_done(&found);
	hit(&worker, bare, 4);
	found = completeness_of(&fixture);
	assert_int_equal(found.remedies.count, 1);
	assert_non_null(strstr(found.remedies.items[0].fix, "-fasynchronous-unwind-tables"));
	completeness_done(&found);
	fixture_done(&fixture);
}

/* How deep stacks were to be is our option only where we recorded them. */
static void deep_stacks_were_asked_for(void **state)
{
	(void)state;
	for (int imported = 0; imported < 2; imported++) {
		struct fixture fixture;
		struct program deep;
		struct completeness found;

		fixture_init(&fixture);
		profile_set_text(&fixture.profile->run.scope, imported ? "perf" : "machine");
		deep = program(&fixture, "deep", 10);
		hit(&deep,
		    fixture_chain(&fixture, fixture_cut(&fixture, STACK_TOO_DEEP), "/bin/deep",
				  "f f"),
		    10);
		hit(&deep, fixture_cut(&fixture, STACK_LOST), 1); /* has no remedy */
		found = completeness_of(&fixture);
		assert_int_equal(found.remedies.count, imported ? 0 : 1);
		completeness_done(&found);
		fixture_done(&fixture);
	}
}

/* A stack cut for its depth, of so many user frames, recursion among them. */
static uint32_t deep_stack(struct fixture *fixture, unsigned depth)
{
	uint32_t stack = fixture_cut(fixture, STACK_TOO_DEEP);

	for (unsigned i = 0; i < depth; i++)
		stack = fixture_callee(fixture, stack, "/bin/deep", "f", i % 3 ? 4 : 8);
	return stack;
}

/* The innermost place with a function that was inlined there. */
static uint32_t inlined_into(struct fixture *fixture, uint32_t stack)
{
	struct profile *profile = fixture->profile;
	struct frame frame = profile->frames.items[profile->stacks.items[stack].frame];

	*vec_push(&profile->frames) = frame;
	return profile_stack(profile, stack, (uint32_t)profile->frames.count - 1);
}

static void the_greatest_depth_has_no_remedy(void **state)
{
	static const struct {
		unsigned depth;
		bool inlined, fixable;
	} cases[] = { { 1024, false, false }, { 1023, false, true }, { 1023, true, true } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;
		struct program deep;
		struct completeness found;
		const struct remedy *row;
		uint32_t stack;

		fixture_init(&fixture);
		deep = program(&fixture, "deep", 10);
		stack = deep_stack(&fixture, cases[i].depth);
		if (cases[i].inlined)
			stack = inlined_into(&fixture, stack);
		hit(&deep, fixture_chain(&fixture, stack, "[kernel]", "entry call"), 10);
		found = completeness_of(&fixture);
		assert_int_equal(found.remedies.count, 1);
		row = &found.remedies.items[0];
		if (cases[i].fixable)
			assert_string_equal(row->fix, "--max-depth, up to 1024");
		else
			assert_null(row->fix);
		assert_non_null(
			strstr(row->why, cases[i].fixable ? "recording's limit" : "1024 frames"));
		completeness_done(&found);
		fixture_done(&fixture);
	}
}

/* Each call is one place, though it has two frames. */
static void recursion_through_inlined_calls(void **state)
{
	struct fixture fixture;
	struct program deep;
	struct completeness found;
	uint32_t stack, outer, inlined;

	(void)state;
	fixture_init(&fixture);
	deep = program(&fixture, "deep", 10);
	stack = deep_stack(&fixture, 1);
	outer = fixture.profile->stacks.items[stack].frame;
	stack = inlined_into(&fixture, stack);
	inlined = fixture.profile->stacks.items[stack].frame;
	for (int i = 1; i < 1024; i++) {
		stack = profile_stack(fixture.profile, stack, outer);
		stack = profile_stack(fixture.profile, stack, inlined);
	}
	hit(&deep, fixture_chain(&fixture, stack, "[kernel]", "entry call"), 10);
	found = completeness_of(&fixture);
	assert_int_equal(found.remedies.count, 1);
	assert_null(found.remedies.items[0].fix);
	completeness_done(&found);
	fixture_done(&fixture);
}

/* Each of its own, with what all processes of the program have. */
static void many_programs_are_apart(void **state)
{
	enum { PROGRAMS = 60, PROCESSES = 3 };
	struct fixture fixture;
	struct completeness found;
	char name[32];

	(void)state;
	fixture_init(&fixture);
	for (int i = 0; i < PROGRAMS * PROCESSES; i++) {
		struct program one;

		snprintf(name, sizeof(name), "program%d", i % PROGRAMS);
		one = program(&fixture, name, 10 + i);
		hit(&one, made(&fixture, STACK_NO_ROWS), 100 + (uint64_t)(i % PROGRAMS));
		hit(&one, fixture_cut(&fixture, STACK_TOO_DEEP), 50);
		hit(&one, fixture_chain(&fixture, 0, "/bin/whole", "main"), 7);
	}
	found = completeness_of(&fixture);
	assert_int_equal(found.remedies.count, 2 * PROGRAMS);
	for (uint64_t i = 0; i < 2 * PROGRAMS; i++) {
		const struct remedy *row = &found.remedies.items[i];
		uint64_t number = strtoull(name_of(&fixture, row) + strlen("program"), NULL, 10);

		if (i < PROGRAMS)
			assert_int_equal(number, PROGRAMS - 1 - i);
		assert_int_equal(row->samples, PROCESSES * (i < PROGRAMS ? 100 + number : 50));
		assert_int_equal(row->whole, PROCESSES * (157 + number));
	}
	completeness_done(&found);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_time_systems_have_switches),
		cmocka_unit_test(a_few_stacks_need_no_remedy),
		cmocka_unit_test(deep_stacks_were_asked_for),
		cmocka_unit_test(the_greatest_depth_has_no_remedy),
		cmocka_unit_test(recursion_through_inlined_calls),
		cmocka_unit_test(many_programs_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
