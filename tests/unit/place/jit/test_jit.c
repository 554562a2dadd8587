/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that announce code: this one, with maps and dumps of its own making. */
#include "place/jit/jit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "names/resolver.h"
#include "place/files/image_files.h"
#include "place/jit/jit_line_keeper.h"
#include "place/jit/jitdump_maker.h"
#include "place/jit/processor_clock.h"
#include "tools.h"

enum { CODE = 0x7f0000001000 };

struct fixture {
	struct profile *profile;
	struct jit *jit;
	uint32_t anon, process;
	char map[64];
	char *folder;
	char *dump;
};

static uint32_t add_process(struct fixture *fixture, int32_t pid, uint32_t parent)
{
	struct process process = { .pid = pid,
				   .uid = getuid(),
				   .parent = parent,
				   .start_ns = clock_ns(),
				   .exec_count = parent ? 0 : 1 };

	return profile_add_process(fixture->profile, &process);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct image anon = { .kind = IMAGE_ANON };

	fixture->profile = profile_new();
	anon.path = strpool_intern(&fixture->profile->strings, "[anon]");
	fixture->anon = profile_image(fixture->profile, &anon);
	fixture->jit = jit_new(fixture->profile);
	fixture->process = add_process(fixture, getpid(), 0);
	snprintf(fixture->map, sizeof(fixture->map), "/tmp/perf-%d.map", getpid());
	unlink(fixture->map);
	fixture->folder = tools_folder();
	if (asprintf(&fixture->dump, "%s/jit-%d.dump", fixture->folder, getpid()) < 0)
		abort();
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->map);
	tools_remove(fixture->folder);
	jit_free(fixture->jit);
	profile_free(fixture->profile);
	free(fixture->dump);
	free(fixture);
	return 0;
}

static void write_file(const char *path, int flags, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void append(const struct fixture *fixture, const char *text)
{
	write_file(fixture->map, O_APPEND, text, strlen(text));
}

static struct frame place(const struct fixture *fixture, uint32_t process, uint64_t address,
			  uint64_t time_ns)
{
	struct frame frame = { .image = fixture->anon, .address = address, .offset = address };

	jit_set_time(fixture->jit, time_ns);
	jit_place(fixture->jit, process, &frame);
	return frame;
}

static const char *name_of(const struct fixture *fixture, const struct frame *frame)
{
	struct symbol symbol;
	uint64_t changes = 0;

	switch (jit_lookup(fixture->jit, frame, &changes, &symbol)) {
	case JIT_NAMED:
		return profile_text(fixture->profile, symbol.name);
	case JIT_NOT_YET:
		return "(not yet)";
	case JIT_NEVER:
		return "(never)";
	default:
		return "(not ours)";
	}
}

static const char *name_at(const struct fixture *fixture, uint64_t address, uint64_t time_ns)
{
	struct frame frame = place(fixture, fixture->process, address, time_ns);

	return name_of(fixture, &frame);
}

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
	/* a call that is the last instruction of its function returns behind it */
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

/* Also for who was kept from reading for long since the clock was looked at. */
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

/* ---- dumps ---- */

static void map_dump(const struct fixture *fixture, const struct jitdump_maker *maker)
{
	struct mapped_file file = { .pid = getpid(), .path = fixture->dump };
	struct stat st;

	write_file(fixture->dump, O_TRUNC, maker->bytes.bytes, maker->bytes.size);
	assert_int_equal(stat(fixture->dump, &st), 0);
	file.inode = st.st_ino;
	jit_mapped(fixture->jit, fixture->process, &file);
	jit_follow(fixture->jit, clock_ns());
}

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

static void expect_lines(const struct fixture *fixture, const char *expected)
{
	_cleanup_(buf_done) struct buf text = { 0 };

	for (size_t i = 1; i < fixture->profile->lines.count; i++) {
		const struct told_line *line = &fixture->profile->lines.items[i];

		buf_printf(&text, "%s%" PRIx64 "+%" PRIu64 "=%s:%u", i > 1 ? " " : "", line->start,
			   line->size, profile_text(fixture->profile, line->file), line->line);
	}
	assert_string_equal(buf_text(&text), expected);
}

static bool keep_lines(const struct fixture *fixture, uint64_t address, uint64_t time_ns,
		       bool whole)
{
	struct frame frame = place(fixture, fixture->process, address, time_ns);
	uint64_t changes = 0;

	return jit_keep_lines(fixture->jit, &frame, whole, &changes);
}

/* Lines go with the piece that follows them, to where it is moved; of each only what is asked for,
 * once. */
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

/* Adds a function at an address that has so many lines; how many bytes tell them. */
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

/* Frames of two functions by turns: what is told of each is read once, with a pause behind it, in
 * which other work is done. */
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
	assert_int_equal(pauses, 1 + 2); /* before the image, and behind each record */
	resolver_run(resolver);
	assert_int_equal(jit_line_counts(fixture->jit).bytes_read, bytes);
	assert_int_equal(jit_line_counts(fixture->jit).dropped, 0);
	resolver_free(resolver);
	image_files_free(files);
	buf_done(&maker.bytes);
}

static void fill_lines(struct profile *profile)
{
	struct told_line line = { .image = 1, .size = 1, .line = 1 };

	while (profile->lines.count <= JIT_LINE_KEEPER_MOST) {
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
	assert_int_equal(fixture->profile->lines.count, 1 + JIT_LINE_KEEPER_MOST);
	buf_done(&maker.bytes);
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
	struct processor_clock early = processor_clock_now(), moment;
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };

	if (!early.ticks)
		skip();
	nanosleep(&pause, NULL);
	moment = processor_clock_now();
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
		cmocka_unit_test_setup_teardown(test_map, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_map_written_anew, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_follower_that_is_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_used_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_used_before_it_was_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_renew, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_processes_do_not_mix, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fork, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_parent_ends_before_its_child_is_seen, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_end_while_frames_are_asked_about, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_dump, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dump_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dump_lines_understood_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dump_lines_broken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dump_lines_never_understood, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_dump_written_anew, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dump_written_anew_and_longer, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_dump_lines_by_turns, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dump_lines_without_room, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dump_grows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_processor_clock, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_another_dump, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_past, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_past_dumps, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
