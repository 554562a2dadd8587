/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records whose names of files lost their first bytes, as V8 writes them now and then. */
#include "place/jit/jit_lines.h"

#include "place/jit/jitdump_maker.h"
#include "tools.h"

enum { START = 0x7f0000007000, SIZE = 32 };

#define PATH  "/home/a b/program.js"
#define OTHER "/a/longer/path/of/another/file.js"
#define NAME  "JS:*get it " PATH ":12:3"

static const struct jitdump_header header = { .machine = 62 };

struct scene {
	struct jitdump_maker maker;
	struct jitdump_record record;
};

static void add(struct scene *scene, uint64_t offset, uint32_t line, const char *file)
{
	make_u64(&scene->maker, START + 64 + offset);
	make_u32(&scene->maker, line);
	make_u32(&scene->maker, 0);
	buf_add(&scene->maker.bytes, file, strlen(file) + 1);
}

/* The first @lost bytes of the name that was added last are those of a pointer and a key. */
static void lose(struct scene *scene, const char *file, size_t lost)
{
	static const char junk[16] = "(z\0\0\0\0\0\0\x01\x02\x03\x04\x05\x06\x07";

	memcpy(scene->maker.bytes.bytes + scene->maker.bytes.size - strlen(file) - 1, junk, lost);
}

/* The records of a test are made of lines alone; @padding bytes follow. */
static bool repair(struct scene *scene, uint64_t count, size_t padding, const char *name)
{
	buf_add(&scene->maker.bytes, "\0\0\0\0\0\0\0\0\0\0", padding);
	scene->record = (struct jitdump_record){ .kind = JITDUMP_LINES,
						 .start = START,
						 .line_count = count,
						 .lines = scene->maker.bytes.bytes,
						 .lines_size = scene->maker.bytes.size };
	return jit_lines_repair(&header, &scene->record, name, SIZE,
				(char *)scene->maker.bytes.bytes);
}

static void expect(struct scene *scene, const char *expected)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	jit_line_list list = { 0 };

	assert_true(jit_lines_read(&header, &scene->record, SIZE, JIT_LINES_FROM_HEADER, &list));
	for (size_t i = 0; i < list.count; i++) {
		if (list.items[i].line)
			buf_printf(&text, "%u=%s:%u ", list.items[i].start, list.items[i].file,
				   list.items[i].line);
		else
			buf_printf(&text, "%u ", list.items[i].start);
	}
	assert_string_equal(buf_text(&text), expected);
	vec_free(&list);
	buf_clear(&scene->maker.bytes);
}

static void test_repaired(void **state)
{
	struct scene scene = { 0 };

	(void)state;
	add(&scene, 0, 5, PATH);
	lose(&scene, PATH, 16);
	add(&scene, 4, 6, PATH);
	lose(&scene, PATH, 16);
	assert_true(repair(&scene, 2, 3, NAME));
	expect(&scene, "0=" PATH ":5 4=" PATH ":6 ");
	buf_done(&scene.maker.bytes);
}

/* Lines of functions of another file were inlined; of those with a name that is lost no more than
 * their place is known. */
static void test_several_files(void **state)
{
	struct scene scene = { 0 };

	(void)state;
	add(&scene, 0, 5, PATH);
	lose(&scene, PATH, 16);
	add(&scene, 4, 77, OTHER);
	add(&scene, 8, 78, OTHER);
	lose(&scene, OTHER, 16);
	add(&scene, 12, 79, "short");
	lose(&scene, "short", 5);
	add(&scene, 16, 6, PATH);
	lose(&scene, PATH, 8);
	assert_true(repair(&scene, 5, 0, NAME));
	expect(&scene, "0=" PATH ":5 4=" OTHER ":77 8 12 16=" PATH ":6 ");
	buf_done(&scene.maker.bytes);
}

/* The last name is so short that what is left of it could be taken for padding. */
static void test_short_last_name(void **state)
{
	struct scene scene = { 0 };

	(void)state;
	add(&scene, 0, 5, "/a/b.js");
	lose(&scene, "/a/b.js", 3);
	assert_true(repair(&scene, 1, 0, NAME));
	expect(&scene, "0 ");
	buf_done(&scene.maker.bytes);
}

/* What is not to be understood is refused: another writer's names, addresses outside of the code,
 * fewer lines than there should be. */
static void test_refused(void **state)
{
	static const char *const names[] = { "", "JS:*run " PATH ":12", PATH, "run" };
	struct scene scene = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		add(&scene, 0, 5, PATH);
		assert_false(repair(&scene, 1, 0, names[i]));
		buf_clear(&scene.maker.bytes);
	}
	add(&scene, SIZE + 1, 5, PATH);
	assert_false(repair(&scene, 1, 0, NAME));
	buf_clear(&scene.maker.bytes);
	add(&scene, 0, 5, PATH);
	assert_false(repair(&scene, 2, 0, NAME));
	buf_clear(&scene.maker.bytes);
	assert_false(repair(&scene, 1, 0, NAME));
	buf_done(&scene.maker.bytes);
}

/* A path with another end is another file. */
static void test_no_wrong_file(void **state)
{
	struct scene scene = { 0 };

	(void)state;
	add(&scene, 0, 5, PATH);
	lose(&scene, PATH, 16);
	assert_true(repair(&scene, 1, 0, "JS:*run /home/a b/program.ts:12:3"));
	expect(&scene, "0 ");
	add(&scene, 0, 5, PATH);
	lose(&scene, PATH, 16);
	assert_true(repair(&scene, 1, 0, "JS:*run /x" PATH ":12:3"));
	expect(&scene, "0 ");
	buf_done(&scene.maker.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repaired),	cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_short_last_name), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_wrong_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
