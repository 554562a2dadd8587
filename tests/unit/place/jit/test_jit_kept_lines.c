/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of dumps, kept for the pieces of code that were met. */
#include "place/jit/jit.h"

#include "names/resolver.h"
#include "place/jit/jit_fixture.h"

static void test_dump_lines(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_maker maker = { 0 };
	uint64_t now = clock_ns(), changes = 0;
	struct frame frame;

	make_header(&maker, 0, 0);
	make_lines(&maker, now, CODE, "/src/first");
	make_load(&maker, now, CODE, "first", "12345678", 1);
	make_lines(&maker, now, CODE + 0x100, "file:///src/sec%6fnd");
	make_load(&maker, now, CODE + 0x100, "second", "12345678", 2);
	make_load(&maker, now, CODE + 0x200, "without", "12345678", 3);
	make_lines(&maker, now, CODE + 0x300, "/src/of/nothing");
	make_load(&maker, now, CODE + 0x400, "another", "12345678", 4);
	make_load(&maker, now, CODE + 0x300, "late", "12345678", 5);
	make_move(&maker, now + 1000, CODE, CODE + 0x1000, 8, 1);
	map_dump(fixture, &maker);
	assert_true(keep_lines(fixture, CODE + 4, now, false));
	assert_true(keep_lines(fixture, CODE + 7, now, false));
	assert_true(keep_lines(fixture, CODE + 0x200, now, true));
	assert_true(keep_lines(fixture, CODE + 0x300, now, true));
	assert_true(keep_lines(fixture, CODE + 0x400, now, true));
	assert_true(keep_lines(fixture, CODE + 0x9000, now, true));
	expect_lines(fixture, "7f0000001004+4=/src/first:11");
	assert_true(keep_lines(fixture, CODE + 0x103, now, true));
	assert_true(keep_lines(fixture, CODE + 0x1001, now + 2000, false));
	expect_lines(fixture, "7f0000001004+4=/src/first:11 7f0000001100+4=/src/second:10"
			      " 7f0000001104+4=/src/second:11 7f0000002000+4=/src/first:10");
	frame = place(fixture, fixture->process, CODE + 0x1008, now + 2000);
	frame.kind = FRAME_RETURN; /* of a call that is the last instruction */
	frame.offset = frame.address;
	assert_true(jit_keep_lines(fixture->jit, &frame, false, &changes));
	assert_int_equal(fixture->profile->lines.count, 1 + 5);
	buf_done(&maker.bytes);
}

/* A dump of one piece of code, at CODE, whose lines do not show what they count from. */
static void map_unclear_dump(struct fixture *fixture, uint64_t now)
{
	struct jitdump_maker maker = { 0 };
	char code[128];

	memset(code, 'x', sizeof(code) - 1);
	code[sizeof(code) - 1] = '\0';
	make_header(&maker, 0, 0);
	make_many_lines(&maker, CODE, 0x44, 3, "/src/a.js");
	make_load(&maker, now, CODE, "first", code, 1);
	map_dump(fixture, &maker);
	buf_done(&maker.bytes);
}

/* What the lines count from shows only with a later piece. */
static void test_dump_lines_understood_late(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_maker late = { 0 };
	uint64_t now = clock_ns();

	map_unclear_dump(fixture, now);
	assert_false(keep_lines(fixture, CODE + 9, now, false));
	expect_lines(fixture, "");
	make_many_lines(&late, CODE + 0x100, 0x40, 3, "/src/b.js");
	make_load(&late, now, CODE + 0x100, "second", "123456789", 2);
	write_file(fixture->dump, O_APPEND, late.bytes.bytes, late.bytes.size);
	jit_follow(fixture->jit, clock_ns());
	assert_true(keep_lines(fixture, CODE + 9, now, false));
	expect_lines(fixture, "7f0000001008+4=/src/a.js:2");
	buf_done(&late.bytes);
}

/* What could not be understood is not tried again for each frame of the piece: that the record has
 * become a good one meanwhile shows that it was not read. */
static void test_dump_lines_broken(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_maker maker = { 0 };
	uint64_t now = clock_ns();
	size_t name_at;

	make_header(&maker, 0, 0);
	make_lines(&maker, now, CODE, "/src/good");
	make_load(&maker, now, CODE, "good", "12345678", 1);
	name_at = maker.bytes.size + 16 + 16 + 16;
	make_lines(&maker, now, CODE + 0x100, "\nsrc/bad");
	make_load(&maker, now, CODE + 0x100, "bad", "12345678", 2);
	map_dump(fixture, &maker);
	assert_true(keep_lines(fixture, CODE + 0x100, now, false));
	assert_int_equal(maker.bytes.bytes[name_at], '\n');
	maker.bytes.bytes[name_at] = '/';
	write_file(fixture->dump, O_TRUNC, maker.bytes.bytes, maker.bytes.size);
	assert_true(keep_lines(fixture, CODE + 0x104, now, false));
	expect_lines(fixture, "");
	assert_true(keep_lines(fixture, CODE, now, false));
	assert_true(keep_lines(fixture, CODE + 0x104, now, false));
	expect_lines(fixture, "7f0000001000+4=/src/good:10 7f0000001104+4=/src/bad:11");
	buf_done(&maker.bytes);
}

/* What the lines count from never shows: that is sure when the process has ended. */
static void test_dump_lines_never_understood(void **state)
{
	struct fixture *fixture = *state;
	uint64_t now = clock_ns(), changes = 0, first;
	struct frame frame;

	map_unclear_dump(fixture, now);
	frame = place(fixture, fixture->process, CODE + 9, now);
	assert_false(jit_keep_lines(fixture->jit, &frame, false, &changes));
	assert_true(changes > 0);
	first = changes;
	assert_false(jit_keep_lines(fixture->jit, &frame, false, &changes));
	assert_int_equal(changes, first);
	jit_finish(fixture->jit, clock_ns());
	assert_true(jit_keep_lines(fixture->jit, &frame, false, &changes));
	expect_lines(fixture, "");
}

static void count(void *context)
{
	++*(int *)context;
}

enum { MANY = 15000 }; /* lines, which are more than are read without a pause */

/* Adds a function with many lines at an address. Returns the size of its line records. */
static size_t make_long(struct jitdump_maker *maker, uint64_t now, uint64_t start, const char *name)
{
	_cleanup_free_ char *code = calloc(1, MANY * 4 + 1);
	size_t before = maker->bytes.size, bytes;

	memset(code, 'x', MANY * 4);
	make_many_lines(maker, start, 0, MANY, "/src/long.js");
	bytes = maker->bytes.size - before;
	make_load(maker, now, start, name, code, 1);
	return bytes;
}

/* Frames of two functions in turn: the record of each is read once, followed by a pause in which
 * other work is done. */
static void test_dump_lines_by_turns(void **state)
{
	struct fixture *fixture = *state;
	struct image_files *files = image_files_new(fixture->profile, 64);
	int pauses = 0;
	struct resolver *resolver =
		resolver_new(&(struct symbol_parts){ .profile = fixture->profile,
						     .files = files,
						     .jit = fixture->jit,
						     .pause = { count, &pauses } });
	struct jitdump_maker maker = { 0 };
	uint64_t now = clock_ns();
	size_t bytes;

	make_header(&maker, 0, 0);
	bytes = make_long(&maker, now, CODE, "one");
	bytes += make_long(&maker, now, CODE + 0x100000, "two");
	map_dump(fixture, &maker);
	for (uint64_t i = 0; i < 100; i++) {
		struct frame frame =
			place(fixture, fixture->process, CODE + i % 2 * 0x100000 + 400 * i, now);

		profile_frame(fixture->profile, &frame);
	}
	resolver_run(resolver);
	assert_int_equal(fixture->profile->lines.count, 1 + 100);
	assert_int_equal(jit_line_counts(fixture->jit).bytes_read, bytes);
	assert_int_equal(pauses, 1 + 2); /* before the image, and after each record */
	resolver_run(resolver);
	assert_int_equal(jit_line_counts(fixture->jit).bytes_read, bytes);
	assert_int_equal(jit_line_counts(fixture->jit).dropped, 0);
	resolver_free(resolver);
	image_files_free(files);
	buf_done(&maker.bytes);
}

static void fill_lines(struct profile *profile)
{
	struct source_line line = { .image = 1, .size = 1, .line = 1 };

	while (profile->lines.count <= JIT_MOST_LINES) {
		line.start++;
		profile_line(profile, &line);
	}
}

/* What there is no room for is counted. */
static void test_dump_lines_without_room(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_maker maker = { 0 };
	uint64_t now = clock_ns();

	make_header(&maker, 0, 0);
	make_lines(&maker, now, CODE, "/src/first");
	make_load(&maker, now, CODE, "first", "12345678", 1);
	make_lines(&maker, now, CODE + 0x100, "/src/second");
	make_load(&maker, now, CODE + 0x100, "second", "12345678", 2);
	map_dump(fixture, &maker);
	fill_lines(fixture->profile);
	assert_true(keep_lines(fixture, CODE + 4, now, false));
	assert_int_equal(jit_line_counts(fixture->jit).dropped, 1);
	assert_true(keep_lines(fixture, CODE + 0x104, now, true));
	assert_int_equal(jit_line_counts(fixture->jit).dropped, 1 + 2);
	assert_int_equal(fixture->profile->lines.count, 1 + JIT_MOST_LINES);
	buf_done(&maker.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_dump_lines),		TEST(test_dump_lines_understood_late),
		TEST(test_dump_lines_broken),	TEST(test_dump_lines_never_understood),
		TEST(test_dump_lines_by_turns), TEST(test_dump_lines_without_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
