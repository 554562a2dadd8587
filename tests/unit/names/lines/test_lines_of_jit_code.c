/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that come one by one between the questions, or many at once, against going through all. */
#include "names/lines/lines.h"

#include "tools.h"

enum { IMAGES = 3, PLACES = 400, STEP = 8 };

struct fixture {
	struct profile *profile;
	struct lines *lines;
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
		struct source_line line = { .image = 1 + draw(fixture, IMAGES),
					    .start = (uint64_t)draw(fixture, PLACES) * STEP,
					    .size = STEP,
					    .line = 0 };

		line.line = (uint32_t)(1 + line.start / STEP);
		profile_line(fixture->profile, &line);
	}
}

static size_t count_within(const struct profile *profile, uint32_t image, uint64_t start,
			   uint64_t end)
{
	size_t count = 0;

	for (size_t i = 1; i < profile->lines.count; i++) {
		const struct source_line *line = &profile->lines.items[i];

		count += line->image == image && line->start < end &&
			 line->start + line->size > start;
	}
	return count;
}

/* What lines_each gave. */
struct given {
	uint64_t start, end, last;
	size_t count;
};

static void give(void *context, uint64_t start, uint64_t end, const char *file, uint32_t line)
{
	struct given *given = context;

	assert_string_equal(file, "");
	assert_true(start < given->end && end > given->start);
	assert_int_equal(line, 1 + start / STEP);
	assert_true(given->count == 0 || given->last < start);
	given->last = start;
	given->count++;
}

static void ask(struct fixture *fixture)
{
	const struct profile *profile = fixture->profile;
	uint32_t image = 1 + draw(fixture, IMAGES + 1);
	uint64_t start = draw(fixture, PLACES * STEP), end = start + 1 + draw(fixture, 100);
	struct given given = { .start = start, .end = end };
	size_t count;
	const struct line_place *place = lines_of(fixture->lines, image, start, &count);

	assert_int_equal(count, count_within(profile, image, start, start + 1));
	assert_int_equal(place != NULL, count);
	assert_true(!place || place->line == 1 + start / STEP);
	count = count_within(profile, image, start, end);
	assert_int_equal(lines_each(fixture->lines, image, start, end, give, &given), count > 0);
	assert_int_equal(given.count, count);
}

static void set_up(struct fixture *fixture)
{
	struct image image = { .kind = IMAGE_ANON };

	*fixture = (struct fixture){ .profile = profile_new() };
	for (uint32_t i = 1; i <= IMAGES + 1; i++) {
		image.inode = i;
		assert_int_equal(profile_image(fixture->profile, &image), i);
	}
	fixture->lines = lines_new(fixture->profile, &(struct lines_options){ .cache = NULL });
}

static void tear_down(struct fixture *fixture)
{
	lines_free(fixture->lines);
	profile_free(fixture->profile);
}

static void test_between_questions(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
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
	tear_down(&fixture);
}

/* Nothing is in a range without bytes. */
static void test_empty_range(void **state)
{
	struct fixture fixture;
	struct source_line line = { .image = 1, .start = 16, .size = 8, .line = 3 };
	struct given given = { .end = UINT64_MAX };

	(void)state;
	set_up(&fixture);
	profile_line(fixture.profile, &line);
	assert_false(lines_each(fixture.lines, 1, 20, 20, give, &given));
	assert_int_equal(given.count, 0);
	assert_true(lines_each(fixture.lines, 1, 23, 24, give, &given));
	assert_int_equal(given.count, 1);
	assert_false(lines_each(fixture.lines, 1, 24, 25, give, &given));
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between_questions),
		cmocka_unit_test(test_empty_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
