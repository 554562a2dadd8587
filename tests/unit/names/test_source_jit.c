/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/symbol_source.h"

#include <fcntl.h>
#include <inttypes.h>

#include "base/clock.h"
#include "place/jit/jit.h"
#include "tools.h"

#define CODE 0x7f0000001000ULL

struct fixture {
	struct profile *profile;
	struct jit *jit;
	void *made;
	char map[64];
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->profile = profile_new();
	fixture->jit = jit_new(fixture->profile);
	fixture->made = symbol_source_jit.make(
		&(struct symbol_parts){ .profile = fixture->profile, .jit = fixture->jit });
	snprintf(fixture->map, sizeof(fixture->map), "/tmp/perf-%d.map", getpid());
	unlink(fixture->map);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->map);
	symbol_source_jit.free(fixture->made);
	jit_free(fixture->jit);
	profile_free(fixture->profile);
	free(fixture);
	return 0;
}

static uint32_t add_frame(struct fixture *fixture, uint32_t process)
{
	struct image anon = { .kind = IMAGE_ANON,
			      .path = strpool_intern(&fixture->profile->strings, "[anon]") };
	struct frame frame = { .image = profile_image(fixture->profile, &anon),
			       .address = CODE + 5,
			       .offset = CODE + 5 };

	if (process)
		jit_place(fixture->jit, process, &frame);
	return profile_frame(fixture->profile, &frame);
}

static void announce(const struct fixture *fixture, const char *text)
{
	FILE *map = fopen(fixture->map, "we");

	assert_non_null(map);
	fputs(text, map);
	fclose(map);
}

/* A name that is announced later is found later; until then the next source is asked. */
static void test_later(void **state)
{
	struct fixture *fixture = *state;
	const struct symbol_source *source = &symbol_source_jit;
	struct process process = { .pid = getpid(), .start_ns = 1 };
	uint32_t frame;
	struct symbol symbol;
	uint64_t changes = 0;

	frame = add_frame(fixture, profile_add_process(fixture->profile, &process));
	source->begin(fixture->made);
	assert_int_equal(source->look_up(fixture->made, frame, &changes, &symbol), SYMBOL_LATER);
	announce(fixture, "7f0000001000 20 first\n");
	jit_follow(fixture->jit, clock_ns() + 2 * NS_PER_S);
	assert_int_equal(source->look_up(fixture->made, frame, &changes, &symbol), SYMBOL_FOUND);
	assert_string_equal(profile_text(fixture->profile, symbol.name), "first");
	assert_int_equal(symbol.start, CODE);
	assert_int_equal(symbol.size, 0x20);
	source->end(fixture->made);
}

/* Memory that was not placed by the JIT is left to others. */
static void test_not_placed(void **state)
{
	struct fixture *fixture = *state;
	uint32_t frame = add_frame(fixture, 0);
	struct symbol symbol;
	uint64_t changes = 0;

	assert_int_equal(symbol_source_jit.look_up(fixture->made, frame, &changes, &symbol),
			 SYMBOL_PASS);
	assert_true(symbol_source_jit.answers_for(fixture->made,
						  &(struct image){ .kind = IMAGE_ANON }));
	assert_false(symbol_source_jit.answers_for(fixture->made,
						   &(struct image){ .kind = IMAGE_FILE }));
}

static void test_no_jit(void **state)
{
	struct fixture *fixture = *state;

	assert_null(symbol_source_jit.make(&(struct symbol_parts){ .profile = fixture->profile }));
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(test_later),
		CASE(test_not_placed),
		CASE(test_no_jit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
