/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that come one by one between the questions, or many at once, against going through all. */
#include "place/jit/told_lines.h"

#include "tools.h"

enum { IMAGES = 3, PLACES = 400, STEP = 8 };

struct fixture {
	struct profile *profile;
	struct told_lines lines;
	uint32_t random;
};

static uint32_t draw(struct fixture *fixture, uint32_t below)
{
	fixture->random = fixture->random * 1664525 + 1013904223;
	return (fixture->random >> 8) % below;
}

static void add_lines(struct fixture *fixture, int count)
{
	for (int i = 0; i < count; i++) {
		struct told_line line = { .image = 1 + draw(fixture, IMAGES),
					  .start = (uint64_t)draw(fixture, PLACES) * STEP,
					  .size = STEP,
					  .line = 1 };

		profile_line(fixture->profile, &line);
	}
}

static size_t count_within(const struct profile *profile, uint32_t image, uint64_t start,
			   uint64_t end)
{
	size_t count = 0;

	for (size_t i = 1; i < profile->lines.count; i++) {
		const struct told_line *line = &profile->lines.items[i];

		count += line->image == image && line->start < end &&
			 line->start + line->size > start;
	}
	return count;
}

static void ask(struct fixture *fixture)
{
	const struct profile *profile = fixture->profile;
	uint32_t image = draw(fixture, IMAGES + 2);
	uint64_t start = draw(fixture, PLACES * STEP), end = start + 1 + draw(fixture, 100);
	const struct told_line *line =
		told_lines_find(&fixture->lines, fixture->profile, image, start);
	const uint32_t *rows;
	size_t count;

	assert_int_equal(line != NULL, count_within(profile, image, start, start + 1));
	assert_true(!line || (line->image == image && start - line->start < line->size));
	rows = told_lines_within(&fixture->lines, profile, image, start, end, &count);
	assert_int_equal(count, count_within(profile, image, start, end));
	for (size_t i = 0; i < count; i++) {
		line = &profile->lines.items[rows[i]];
		assert_int_equal(line->image, image);
		assert_true(line->start < end && line->start + line->size > start);
		assert_true(i == 0 || profile->lines.items[rows[i - 1]].start < line->start);
	}
}

static void test_between_questions(void **state)
{
	struct fixture fixture = { .profile = profile_new() };

	(void)state;
	ask(&fixture);
	for (int i = 0; i < 300; i++) {
		add_lines(&fixture, 1);
		for (int j = 0; j < 5; j++)
			ask(&fixture);
	}
	add_lines(&fixture, 500); /* so many at once are sorted */
	for (int j = 0; j < 300; j++)
		ask(&fixture);
	add_lines(&fixture, 3);
	for (int j = 0; j < 300; j++)
		ask(&fixture);
	told_lines_done(&fixture.lines);
	profile_free(fixture.profile);
}

/* Nothing is in a range without bytes. */
static void test_empty_range(void **state)
{
	struct fixture fixture = { .profile = profile_new() };
	struct told_line line = { .image = 1, .start = 16, .size = 8, .line = 1 };
	size_t count;

	(void)state;
	profile_line(fixture.profile, &line);
	assert_null(told_lines_within(&fixture.lines, fixture.profile, 1, 20, 20, &count));
	assert_int_equal(count, 0);
	assert_non_null(told_lines_within(&fixture.lines, fixture.profile, 1, 23, 24, &count));
	assert_null(told_lines_within(&fixture.lines, fixture.profile, 1, 24, 25, &count));
	told_lines_done(&fixture.lines);
	profile_free(fixture.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between_questions),
		cmocka_unit_test(test_empty_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
