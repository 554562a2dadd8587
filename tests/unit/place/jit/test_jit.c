/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that processes announce in maps, and whose it is. */
#include "place/jit/jit.h"

#include <time.h>

#include "place/jit/jit_fixture.h"

static void test_map(void **state)
{
	struct fixture *fixture = *state;
	uint64_t early = clock_ns();
	struct frame frame = place(fixture, fixture->process, CODE + 5, early);
	const struct image *image = &fixture->profile->images.items[frame.image];
	struct frame back = { .address = CODE + 0x20, .kind = FRAME_RETURN };

	assert_int_not_equal(frame.image, fixture->anon);
	assert_int_equal(image->inode, fixture->process);
	assert_string_equal(profile_text(fixture->profile, image->path), "[anon]");
	assert_string_equal(name_of(fixture, &frame), "(not yet)");
	append(fixture, "7f0000001000 20 first\n7f0000001020 20 second\n7f00000010");
	jit_follow(fixture->jit, clock_ns() + 2 * NS_PER_S);
	assert_string_equal(name_of(fixture, &frame), "first");
	image = &fixture->profile->images.items[frame.image];
	assert_string_equal(profile_text(fixture->profile, image->path), "[jit]");
	assert_string_equal(name_at(fixture, CODE + 0x20, early), "second");
	/* a call that is the last instruction of its function returns to the address after it */
	back.image = fixture->anon;
	jit_place(fixture->jit, fixture->process, &back);
	assert_string_equal(name_of(fixture, &back), "first");
	assert_string_equal(name_at(fixture, CODE + 0x40, early), "(not yet)");
	append(fixture, "40 20 third");
	jit_finish(fixture->jit, clock_ns());
	assert_string_equal(name_at(fixture, CODE + 0x40, early), "third");
	assert_string_equal(name_at(fixture, CODE + 0x60, early), "(never)");
}

/* A map that is written anew in place, and is longer than it was, is read from its begin. */
static void test_map_written_anew(void **state)
{
	static const char anew[] = "7f0000003000 20 elsewhere\n"
				   "7f0000001000 20 other\n7f0000001020 20 last of them\n";
	struct fixture *fixture = *state;
	uint64_t later;

	append(fixture, "7f0000001000 20 first\n7f0000001020 20 second\n");
	jit_follow(fixture->jit, clock_ns());
	assert_string_equal(name_at(fixture, CODE, clock_ns()), "first");
	write_file(fixture->map, O_TRUNC, anew, strlen(anew));
	later = clock_ns() + 2 * NS_PER_S;
	jit_follow(fixture->jit, later);
	assert_string_equal(name_at(fixture, CODE + 0x2000, later), "elsewhere");
	assert_string_equal(name_at(fixture, CODE, later), "other");
	assert_string_equal(name_at(fixture, CODE + 0x20, later), "last of them");
}

/* Also with a time that was read long before jit_follow is called. */
static void test_follower_that_is_late(void **state)
{
	struct fixture *fixture = *state;
	uint64_t looked_ns, between_ns;

	append(fixture, "7f0000001000 20 first\n");
	assert_string_equal(name_at(fixture, CODE, clock_ns()), "first");
	looked_ns = clock_ns();
	jit_follow(fixture->jit, looked_ns);
	usleep(50000); /* files have the time of the last tick */
	between_ns = clock_ns();
	usleep(50000);
	append(fixture, "7f0000001000 20 second\n");
	jit_follow(fixture->jit, looked_ns);
	assert_string_equal(name_at(fixture, CODE, between_ns), "first");
	assert_string_equal(name_at(fixture, CODE, clock_ns()), "second");
}

/* The time of a line is when the file was written. */
static void test_used_again(void **state)
{
	struct fixture *fixture = *state;
	const struct timespec pause = { .tv_nsec = 30 * 1000 * 1000 };
	struct frame old, new;
	uint64_t before;

	append(fixture, "7f0000001000 20 old\n");
	old = place(fixture, fixture->process, CODE, clock_ns());
	jit_follow(fixture->jit, clock_ns());
	nanosleep(&pause, NULL);
	before = clock_ns();
	nanosleep(&pause, NULL);
	append(fixture, "7f0000001000 20 new\n");
	nanosleep(&pause, NULL);
	jit_follow(fixture->jit, clock_ns());
	assert_string_equal(name_at(fixture, CODE, before), "old");
	new = place(fixture, fixture->process, CODE, clock_ns());
	assert_string_equal(name_of(fixture, &new), "new");
	assert_string_equal(name_of(fixture, &old), "old");
	assert_true(new.offset >= 1ULL << 63);
	assert_int_equal(new.address, CODE);
	assert_int_equal(old.offset, CODE);
}

/* Both are there when the map is found: the one that was written last counts from then on. */
static void test_used_before_it_was_found(void **state)
{
	struct fixture *fixture = *state;
	uint64_t before = clock_ns();

	usleep(30000);
	append(fixture, "7f0000001000 20 old\n7f0000001000 20 new\n7f0000002000 20 other\n");
	usleep(30000);
	assert_string_equal(name_at(fixture, CODE, before), "old");
	assert_string_equal(name_at(fixture, CODE, clock_ns()), "new");
	assert_string_equal(name_at(fixture, CODE + 0x1000, before), "other");
}

/* A stack that was made before has other frames when other code lies there. */
static void test_renew(void **state)
{
	struct fixture *fixture = *state;
	struct frame frame;

	append(fixture, "7f0000001000 20 old\n");
	frame = place(fixture, fixture->process, CODE, clock_ns());
	assert_false(jit_reuses(fixture->jit, fixture->process));
	assert_false(jit_renew(fixture->jit, &frame));
	usleep(30000);
	append(fixture, "7f0000001000 20 new\n");
	jit_follow(fixture->jit, clock_ns());
	assert_true(jit_reuses(fixture->jit, fixture->process));
	assert_false(jit_renew(fixture->jit, &frame));
	jit_set_time(fixture->jit, clock_ns());
	assert_true(jit_renew(fixture->jit, &frame));
	assert_string_equal(name_of(fixture, &frame), "new");
	assert_int_equal(frame.address, CODE);
}

static void test_processes_do_not_mix(void **state)
{
	struct fixture *fixture = *state;
	uint32_t other = add_process(fixture, 0x7fffff00, 0); /* no such process */
	struct frame frame;

	append(fixture, "7f0000001000 20 ours\n");
	assert_string_equal(name_at(fixture, CODE, clock_ns()), "ours");
	frame = place(fixture, other, CODE, clock_ns());
	assert_string_equal(name_of(fixture, &frame), "(not yet)");
	frame.image = fixture->anon;
	assert_string_equal(name_of(fixture, &frame), "(not ours)");
}

/* A forked process runs its parent's code, and what either makes later is its own. */
static void test_fork(void **state)
{
	struct fixture *fixture = *state;
	uint32_t child;
	struct frame frame;

	append(fixture, "7f0000001000 20 before\n");
	name_at(fixture, CODE, clock_ns());
	jit_follow(fixture->jit, clock_ns());
	child = add_process(fixture, 0x7fffff00, fixture->process);
	usleep(30000);
	append(fixture, "7f0000001000 20 after\n");
	usleep(30000);
	jit_follow(fixture->jit, clock_ns());
	assert_string_equal(name_at(fixture, CODE, clock_ns()), "after");
	frame = place(fixture, child, CODE, clock_ns());
	assert_string_equal(name_of(fixture, &frame), "before");
	/* the parent's end is not the end of its code */
	fixture->profile->processes.items[fixture->process].end_ns = clock_ns();
	jit_follow(fixture->jit, clock_ns());
	jit_asking(fixture->jit);
	jit_rest(fixture->jit);
	assert_string_equal(name_of(fixture, &frame), "before");
	fixture->profile->processes.items[child].end_ns = clock_ns();
	jit_finish(fixture->jit, clock_ns());
	jit_asking(fixture->jit);
	jit_rest(fixture->jit);
	assert_string_equal(name_of(fixture, &frame), "(never)");
}

/* What a child inherited is there for it, whenever it is first seen to run it. */
static void test_parent_ends_before_its_child_is_seen(void **state)
{
	struct fixture *fixture = *state;
	uint32_t child = add_process(fixture, 0x7fffff00, fixture->process);
	struct frame frame;

	append(fixture, "7f0000001000 20 before\n");
	name_at(fixture, CODE, clock_ns());
	fixture->profile->processes.items[fixture->process].end_ns = clock_ns();
	jit_follow(fixture->jit, clock_ns());
	jit_asking(fixture->jit);
	jit_rest(fixture->jit);
	frame = place(fixture, child, CODE, clock_ns());
	assert_string_equal(name_of(fixture, &frame), "before");
	fixture->profile->processes.items[child].end_ns = clock_ns();
	jit_follow(fixture->jit, clock_ns());
	jit_asking(fixture->jit);
	jit_rest(fixture->jit);
	assert_string_equal(name_of(fixture, &frame), "(never)");
}

/* Java writes its map when it exits, which may be while frames are asked about. */
static void test_end_while_frames_are_asked_about(void **state)
{
	struct fixture *fixture = *state;
	struct frame frame = place(fixture, fixture->process, CODE, clock_ns());

	jit_asking(fixture->jit);
	assert_string_equal(name_of(fixture, &frame), "(not yet)");
	append(fixture, "7f0000001000 20 late\n");
	fixture->profile->processes.items[fixture->process].end_ns = clock_ns();
	jit_follow(fixture->jit, clock_ns());
	jit_rest(fixture->jit);
	assert_string_equal(name_of(fixture, &frame), "late");
	jit_asking(fixture->jit);
	jit_rest(fixture->jit);
	assert_string_equal(name_of(fixture, &frame), "(never)");
}

/* A recording that is over: the map is where its machine's files are, and has no time. */
static void test_past(void **state)
{
	struct fixture *fixture = *state;
	uint32_t row = add_process(fixture, 77, 0), other = add_process(fixture, 78, 0);
	struct jit *now = fixture->jit;
	char path[256];
	struct frame frame;

	snprintf(path, sizeof(path), "%s/tmp", fixture->folder);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/tmp/perf-77.map", fixture->folder);
	write_file(path, O_TRUNC, "7f0000001000 20 kept", 20);
	fixture->jit = jit_new_of_past(fixture->profile, fixture->folder);
	frame = place(fixture, row, CODE + 5, 12345);
	assert_string_equal(name_of(fixture, &frame), "kept");
	frame = place(fixture, other, CODE + 5, 12345);
	assert_string_equal(name_of(fixture, &frame), "(never)");
	jit_free(fixture->jit);
	fixture->jit = now;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_map),
		TEST(test_map_written_anew),
		TEST(test_follower_that_is_late),
		TEST(test_used_again),
		TEST(test_used_before_it_was_found),
		TEST(test_renew),
		TEST(test_processes_do_not_mix),
		TEST(test_fork),
		TEST(test_parent_ends_before_its_child_is_seen),
		TEST(test_end_while_frames_are_asked_about),
		TEST(test_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
