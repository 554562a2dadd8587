/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of lines, of writers of both kinds and of none. */
#include "place/jit/jit_lines.h"

#include "place/jit/jitdump_maker.h"
#include "tools.h"

enum { START = 0x7000 };

#define FILE_NAME "/home/a b/program.js"

static const struct jitdump_header header = { .machine = 62 };

/* One record, parsed. */
struct fixture {
	struct jitdump_maker maker;
	struct jitdump_record record;
};

static void parse(struct fixture *fixture)
{
	assert_int_equal(jitdump_record(&header, fixture->maker.bytes.bytes,
					fixture->maker.bytes.size, fixture->maker.bytes.size,
					&fixture->record),
			 0);
	assert_int_equal(fixture->record.kind, JITDUMP_LINES);
}

static void make(struct fixture *fixture, uint64_t first, uint32_t count)
{
	buf_clear(&fixture->maker.bytes);
	make_many_lines(&fixture->maker, START, first, count, FILE_NAME);
	parse(fixture);
}

static enum jit_lines_origin origin_after(struct fixture *fixture, uint64_t first, uint32_t count,
					  uint64_t code_size, struct jit_lines_evidence *evidence)
{
	make(fixture, first, count);
	jit_lines_weigh(&header, &fixture->record, code_size, evidence);
	return jit_lines_origin(evidence);
}

static void test_proofs(void **state)
{
	struct jit_lines_evidence code = { 0 }, after = { 0 };
	struct fixture fixture = { 0 };

	(void)state;
	/* in [0x48, 0x58] of 0x100 bytes: who knows */
	assert_int_equal(origin_after(&fixture, 0x48, 5, 0x100, &code), JIT_LINES_UNKNOWN);
	assert_int_equal(origin_after(&fixture, 0x3c, 5, 0x100, &code), JIT_LINES_FROM_CODE);
	assert_int_equal(origin_after(&fixture, 0x48, 5, 0x58, &after), JIT_LINES_UNKNOWN);
	assert_int_equal(origin_after(&fixture, 0x48, 5, 0x57, &after), JIT_LINES_FROM_HEADER);
	/* beyond the end whatever is taken off proves nothing */
	code = (struct jit_lines_evidence){ 0 };
	assert_int_equal(origin_after(&fixture, 0x48, 5, 0x17, &code), JIT_LINES_UNKNOWN);
	assert_int_equal(origin_after(&fixture, 0x40, 5, 0xf, &code), JIT_LINES_UNKNOWN);
	assert_int_equal(origin_after(&fixture, 0x40, 5, 0x10, &code), JIT_LINES_FROM_HEADER);
	/* a contradiction */
	assert_int_equal(origin_after(&fixture, 0, 5, 0x10, &code), JIT_LINES_UNKNOWN);
	buf_done(&fixture.maker.bytes);
}

/* Where all begin at the size of a header and none proves anything, it is no chance. */
static void test_hints(void **state)
{
	struct jit_lines_evidence evidence = { 0 };
	struct fixture fixture = { 0 };

	(void)state;
	assert_int_equal(origin_after(&fixture, 0x40, 5, 0x100, &evidence), JIT_LINES_UNKNOWN);
	assert_int_equal(origin_after(&fixture, 0x44, 5, 0x100, &evidence), JIT_LINES_UNKNOWN);
	assert_int_equal(origin_after(&fixture, 0x40, 5, 0x100, &evidence), JIT_LINES_UNKNOWN);
	assert_int_equal(origin_after(&fixture, 0x40, 5, 0x100, &evidence), JIT_LINES_FROM_HEADER);
	assert_int_equal(origin_after(&fixture, 0, 5, 0x100, &evidence), JIT_LINES_FROM_CODE);
	assert_false(jit_lines_settled(&evidence));
	buf_done(&fixture.maker.bytes);
}

static void expect(const struct fixture *fixture, uint64_t size, enum jit_lines_origin origin,
		   const char *expected)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	jit_line_list list = { 0 };

	if (!jit_lines_read(&header, &fixture->record, size, origin, &list))
		buf_add_str(&text, "none");
	for (size_t i = 0; i < list.count; i++)
		buf_printf(&text, "%s%u+%u=%s:%u", i ? " " : "", list.items[i].start,
			   list.items[i].size, list.items[i].file, list.items[i].line);
	assert_string_equal(buf_text(&text), expected);
	vec_free(&list);
}

static void test_read(void **state)
{
	struct fixture fixture = { 0 };

	(void)state;
	make(&fixture, 0x40, 3);
	expect(&fixture, 20, JIT_LINES_FROM_HEADER,
	       "0+4=" FILE_NAME ":1 4+4=" FILE_NAME ":2 8+12=" FILE_NAME ":3");
	expect(&fixture, 100, JIT_LINES_FROM_CODE,
	       "64+4=" FILE_NAME ":1 68+4=" FILE_NAME ":2 72+28=" FILE_NAME ":3");
	expect(&fixture, 100, JIT_LINES_UNKNOWN, "none");
	expect(&fixture, 7, JIT_LINES_FROM_HEADER, "none");
	expect(&fixture, 71, JIT_LINES_FROM_CODE, "none");
	make(&fixture, 0x3f, 3);
	expect(&fixture, 100, JIT_LINES_FROM_HEADER, "none");
	buf_done(&fixture.maker.bytes);
}

static void add_line(struct jitdump_maker *maker, uint64_t address, uint32_t line)
{
	make_u64(maker, address);
	make_u32(maker, line);
	make_u32(maker, 0);
	buf_add(&maker->bytes, "f", 2);
}

/* Not in order, one line twice, two at one address: the last counts. */
static void test_order(void **state)
{
	struct fixture fixture = { 0 };

	(void)state;
	make_prefix(&fixture.maker, 2, 16 + 5 * 18, 1);
	make_u64(&fixture.maker, START);
	make_u64(&fixture.maker, 5);
	add_line(&fixture.maker, START + 8, 7);
	add_line(&fixture.maker, START, 5);
	add_line(&fixture.maker, START + 4, 5);
	add_line(&fixture.maker, START + 8, 9);
	add_line(&fixture.maker, START + 16, 0);
	parse(&fixture);
	expect(&fixture, 16, JIT_LINES_FROM_CODE, "0+8=f:5 8+8=f:9");
	buf_done(&fixture.maker.bytes);
}

/* A control character is no name of a file; neither is what leaves much of the record over. */
static void test_broken(void **state)
{
	struct fixture fixture = { 0 };

	(void)state;
	make_many_lines(&fixture.maker, START, 0, 1, "a\nb");
	parse(&fixture);
	expect(&fixture, 16, JIT_LINES_FROM_CODE, "none");
	make(&fixture, 0, 2);
	memcpy(strstr((char *)fixture.maker.bytes.bytes + 32 + 16 + sizeof(FILE_NAME) + 16, "/h"),
	       "(z\0", 3);
	expect(&fixture, 16, JIT_LINES_FROM_CODE, "none");
	buf_done(&fixture.maker.bytes);
}

/* One line, whose record ends with the @tail. */
static void make_tail(struct fixture *fixture, const char *tail, size_t size)
{
	buf_clear(&fixture->maker.bytes);
	make_prefix(&fixture->maker, 2, 16 + 18 + size, 1);
	make_u64(&fixture->maker, START);
	make_u64(&fixture->maker, 1);
	add_line(&fixture->maker, START, 5);
	buf_add(&fixture->maker.bytes, tail, size);
	parse(fixture);
}

/* What follows is up to seven zeroes; else the name of the last file lost its begin. */
static void test_padding(void **state)
{
	struct fixture fixture = { 0 };

	(void)state;
	make_tail(&fixture, "\0\0\0\0\0\0", 7);
	expect(&fixture, 16, JIT_LINES_FROM_CODE, "0+16=f:5");
	make_tail(&fixture, "\0\0\0\0\0\0\0", 8);
	expect(&fixture, 16, JIT_LINES_FROM_CODE, "none");
	make_tail(&fixture, "\0a.js", 6);
	expect(&fixture, 16, JIT_LINES_FROM_CODE, "none");
	buf_done(&fixture.maker.bytes);
}

/* No file has a name as long as that. */
static void test_long_names(void **state)
{
	char name[JIT_LINES_MAX_FILE + 2] = "";
	struct fixture fixture = { 0 };
	jit_line_list list = { 0 };

	(void)state;
	memset(name, 'a', JIT_LINES_MAX_FILE + 1);
	make_many_lines(&fixture.maker, START, 0, 1, name);
	parse(&fixture);
	expect(&fixture, 16, JIT_LINES_FROM_CODE, "none");
	name[JIT_LINES_MAX_FILE] = '\0';
	buf_clear(&fixture.maker.bytes);
	make_many_lines(&fixture.maker, START, 0, 1, name);
	parse(&fixture);
	assert_true(jit_lines_read(&header, &fixture.record, 16, JIT_LINES_FROM_CODE, &list));
	vec_free(&list);
	buf_done(&fixture.maker.bytes);
}

static void test_find(void **state)
{
	struct jit_line lines[] = { { 4, 4, 1, "a" }, { 8, 2, 2, "a" }, { 16, 4, 3, "a" } };
	jit_line_list list = { .items = lines, .count = 3 };

	(void)state;
	assert_null(jit_lines_find(&list, 3));
	assert_ptr_equal(jit_lines_find(&list, 4), &lines[0]);
	assert_ptr_equal(jit_lines_find(&list, 9), &lines[1]);
	assert_null(jit_lines_find(&list, 10));
	assert_ptr_equal(jit_lines_find(&list, 19), &lines[2]);
	assert_null(jit_lines_find(&list, 20));
}

static void test_file_names(void **state)
{
	static const struct {
		const char *file, *path;
	} cases[] = {
		{ "/src/a%20b.js", "/src/a%20b.js" }, /* no URL, but its name */
		{ "file:///src/a.js", "/src/a.js" },
		{ "file:///src/a%20b/%C3%BC%c3%bc%25.js", "/src/a b/\xc3\xbc\xc3\xbc%.js" },
		{ "file:///src/%2520", "/src/%20" }, /* once */
		{ "file:///a%00b", "/a%00b" },
		{ "file:///a%", "/a%" },
		{ "file:///a%4", "/a%4" },
		{ "file:///a%4g%g4%%41", "/a%4g%g4%A" },
		{ "file://host/a%20b", "file://host/a%20b" },
		{ "file://", "file://" },
		{ "node:internal/a%20b", "node:internal/a%20b" },
		{ "", "" },
	};
	struct strpool strings = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(strpool_get(&strings, jit_lines_file(&strings, cases[i].file)),
				    cases[i].path);
	strpool_done(&strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proofs),	   cmocka_unit_test(test_hints),
		cmocka_unit_test(test_read),	   cmocka_unit_test(test_order),
		cmocka_unit_test(test_broken),	   cmocka_unit_test(test_padding),
		cmocka_unit_test(test_long_names), cmocka_unit_test(test_find),
		cmocka_unit_test(test_file_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
