/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dumps that processes write while they are read. */
#include "place/jit/jit.h"

#include <time.h>

#include "place/jit/jit_fixture.h"
#include "place/jit/jit_source.h"

static void test_dump(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_maker maker = { 0 };
	struct buf code = { 0 };
	uint64_t now = clock_ns(), start, at;
	struct frame frame;

	make_header(&maker, 0, 0);
	make_load(&maker, now, CODE, "first", "1234567890", 1);
	make_load(&maker, now + 1000, CODE, "second", "abcd", 2);
	make_move(&maker, now + 2000, CODE, CODE + 0x1000, 4, 2);
	map_dump(fixture, &maker);
	append(fixture, "7f0000001000 20 of the map\n7f0000009000 20 of the map alone\n");
	jit_follow(fixture->jit, now + 2 * NS_PER_S);
	assert_string_equal(name_at(fixture, CODE + 1, now + 999), "first");
	assert_string_equal(name_at(fixture, CODE + 1, now + 1000), "second");
	assert_string_equal(name_at(fixture, CODE + 5, now + 1000), "first");
	assert_string_equal(name_at(fixture, CODE + 0x1001, now + 2000), "second");
	assert_string_equal(name_at(fixture, CODE + 0x8000, now), "of the map alone");
	frame = place(fixture, fixture->process, CODE + 0x1001, now + 2000);
	assert_true(jit_code(fixture->jit, &frame, &at, &start, &code));
	assert_int_equal(start, CODE + 0x1000);
	assert_int_equal(at, frame.offset - 1);
	assert_string_equal(buf_text(&code), "abcd");
	buf_clear(&code);
	frame = place(fixture, fixture->process, CODE + 0x8000, now);
	assert_false(jit_code(fixture->jit, &frame, &at, &start, &code));
	buf_done(&code);
	buf_done(&maker.bytes);
}

/* A dump that is written anew in place has nothing of the code that was announced before, whatever
 * stands where its lines and its bytes stood. */
static void test_dump_written_anew(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_maker maker = { 0 }, anew = { 0 };
	uint64_t now = clock_ns(), start, at;
	struct buf code = { 0 };
	struct frame frame;

	make_header(&maker, 0, 0);
	make_lines(&maker, now, CODE, "/src/one");
	make_load(&maker, now, CODE, "one", "12345678", 1);
	make_load(&maker, now, CODE + 0x800, "more", "12345678", 2);
	map_dump(fixture, &maker);
	assert_true(keep_lines(fixture, CODE, now, false));
	make_header(&anew, 0, 0);
	make_lines(&anew, now, CODE + 0x100, "/src/two");
	make_load(&anew, now, CODE + 0x100, "two", "abcdefgh", 1);
	write_file(fixture->dump, O_TRUNC, anew.bytes.bytes, anew.bytes.size);
	jit_follow(fixture->jit, clock_ns());
	assert_true(keep_lines(fixture, CODE + 4, now, false));
	assert_true(keep_lines(fixture, CODE + 0x100, now, false));
	expect_lines(fixture, "7f0000001000+4=/src/one:10 7f0000001100+4=/src/two:10");
	frame = place(fixture, fixture->process, CODE + 4, now);
	assert_false(jit_code(fixture->jit, &frame, &at, &start, &code));
	frame = place(fixture, fixture->process, CODE + 0x104, now);
	assert_true(jit_code(fixture->jit, &frame, &at, &start, &code));
	assert_string_equal(buf_text(&code), "abcdefgh");
	buf_done(&code);
	buf_done(&maker.bytes);
	buf_done(&anew.bytes);
}

static void test_dump_written_anew_and_longer(void **state)
{
	static const char *const names[] = { "a name that is longer", "two", "three" };
	struct fixture *fixture = *state;
	struct jitdump_maker maker = { 0 }, anew = { 0 };
	uint64_t now = clock_ns();

	make_header(&maker, 0, 0);
	make_load(&maker, now, CODE, "one", "12345678", 1);
	map_dump(fixture, &maker);
	jit_follow(fixture->jit, clock_ns());
	assert_string_equal(name_at(fixture, CODE, now), "one");
	make_header(&anew, 0, 0);
	for (uint64_t i = 0; i < 3; i++)
		make_load(&anew, now, CODE + 0x100 * (1 + i), names[i], "12345678", i);
	write_file(fixture->dump, O_TRUNC, anew.bytes.bytes, anew.bytes.size);
	jit_follow(fixture->jit, clock_ns());
	for (uint64_t i = 0; i < 3; i++)
		assert_string_equal(name_at(fixture, CODE + 0x100 * (1 + i), now), names[i]);
	buf_done(&maker.bytes);
	buf_done(&anew.bytes);
}

/* More than a chunk, written in pieces that end anywhere. */
static void test_dump_grows(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_maker maker = { 0 };
	struct jitdump_maker begin = { 0 };
	char *code = calloc(1, 20001), name[32];
	uint64_t now = clock_ns();

	memset(code, 'x', 20000);
	make_header(&maker, 0, 0);
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "function %d", i);
		make_load(&maker, now, CODE + (uint64_t)i * 0x8000, name, code, (uint64_t)i);
	}
	buf_add(&begin.bytes, maker.bytes.bytes, 10);
	map_dump(fixture, &begin);
	for (size_t at = 10; at < maker.bytes.size; at += 77777) {
		size_t left = maker.bytes.size - at;

		write_file(fixture->dump, O_APPEND, maker.bytes.bytes + at,
			   left < 77777 ? left : 77777);
		jit_follow(fixture->jit, clock_ns());
	}
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "function %d", i);
		assert_string_equal(name_at(fixture, CODE + (uint64_t)i * 0x8000 + 19999, now),
				    name);
	}
	free(code);
	buf_done(&begin.bytes);
	buf_done(&maker.bytes);
}

/* Stamped with the processor's counter. */
static void test_processor_clock(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_maker maker = { 0 };
	struct jit_clock early = jit_source_clock(), moment;
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };

	if (!early.ticks)
		skip();
	nanosleep(&pause, NULL);
	moment = jit_source_clock();
	nanosleep(&pause, NULL);
	make_header(&maker, 0, 1);
	make_load(&maker, early.ticks, CODE, "old", "1234", 1);
	make_load(&maker, moment.ticks, CODE, "new", "1234", 2);
	map_dump(fixture, &maker);
	assert_string_equal(name_at(fixture, CODE, moment.ns + 5 * NS_PER_MS), "new");
	assert_string_equal(name_at(fixture, CODE, moment.ns - 5 * NS_PER_MS), "old");
	buf_done(&maker.bytes);
}

/* Another file of that name is not the one that was mapped. */
static void test_another_dump(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_maker maker = { 0 };
	struct mapped_file file = { .pid = getpid(), .path = fixture->dump, .inode = 1 };

	make_header(&maker, 0, 0);
	make_load(&maker, 1, CODE, "foreign", "1234", 1);
	write_file(fixture->dump, O_TRUNC, maker.bytes.bytes, maker.bytes.size);
	jit_mapped(fixture->jit, fixture->process, &file);
	jit_follow(fixture->jit, clock_ns());
	assert_string_equal(name_at(fixture, CODE, clock_ns()), "(not yet)");
	buf_done(&maker.bytes);
}

/* Files are held open of so many processes only: of those beyond, names are known and no code. That
 * a dump is mapped often, or a file that is gone, counts for nothing. */
static void test_past_dumps(void **state)
{
	enum { OPEN = 128, FIRST_PID = 500 };
	struct fixture *fixture = *state;
	struct jit *now = fixture->jit;
	struct jitdump_maker maker = { 0 };

	fixture->jit = jit_new_of_past(fixture->profile, fixture->folder);
	make_header(&maker, 0, 0);
	make_load(&maker, 1, CODE, "made", "1234567890", 1);
	for (int pid = FIRST_PID; pid < FIRST_PID + OPEN + 2; pid++) {
		uint32_t row = add_process(fixture, pid, 0);
		struct frame frame;
		char path[256], inside[32];
		struct mapped_file file = { .pid = pid, .path = inside };
		uint64_t start, at;
		struct buf code = { 0 };

		snprintf(inside, sizeof(inside), "/jit-%d.dump", pid);
		jit_mapped(fixture->jit, row, &file);
		snprintf(path, sizeof(path), "%s%s", fixture->folder, inside);
		write_file(path, O_TRUNC, maker.bytes.bytes, maker.bytes.size);
		jit_mapped(fixture->jit, row, &file);
		jit_mapped(fixture->jit, row, &file);
		frame = place(fixture, row, CODE + 5, 12345);
		assert_string_equal(name_of(fixture, &frame), "made");
		assert_int_equal(jit_code(fixture->jit, &frame, &at, &start, &code),
				 pid < FIRST_PID + OPEN);
		buf_done(&code);
	}
	assert_int_equal(jit_dumps_closed(fixture->jit), 2);
	buf_done(&maker.bytes);
	jit_free(fixture->jit);
	fixture->jit = now;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_dump),
		TEST(test_dump_written_anew),
		TEST(test_dump_written_anew_and_longer),
		TEST(test_dump_grows),
		TEST(test_processor_clock),
		TEST(test_another_dump),
		TEST(test_past_dumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
