/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jitdump.h"

#include <errno.h>
#include <inttypes.h>

#include "place/jit/jitdump_maker.h"
#include "tools.h"

static void take_line(void *context, const struct jitdump_line *line)
{
	buf_printf(context, " %" PRIx64 "=%s:%u", line->address, line->file, line->line);
}

static void print_record(const struct jitdump_header *header, const char *at,
			 const struct jitdump_record *record, struct buf *text)
{
	switch (record->kind) {
	case JITDUMP_LOAD:
		buf_printf(text, "load %" PRIu64 " %" PRIx64 "+%" PRIu64 " %.*s", record->time,
			   record->start, record->code_size, (int)record->name_length,
			   record->name);
		if (record->code_at)
			buf_printf(text, " <%.*s>", (int)record->code_size, at + record->code_at);
		break;
	case JITDUMP_MOVE:
		buf_printf(text, "move %" PRIu64 " %" PRIx64 "->%" PRIx64, record->time,
			   record->old_start, record->start);
		break;
	case JITDUMP_LINES:
		buf_add_str(text, "lines");
		jitdump_lines(header, record, take_line, text);
		break;
	default:
		buf_add_str(text, record->kind == JITDUMP_CLOSE ? "close" : "other");
	}
	buf_add_char(text, '\n');
}

/* All records as text; the last line is the answer that ended it. */
static void print_dump(const char *bytes, size_t size, struct buf *text)
{
	struct jitdump_header header;
	struct jitdump_record record;
	struct err err;
	size_t at;
	int rc = jitdump_header(bytes, size, &header, &err);

	buf_clear(text);
	for (at = rc == 0 ? header.size : 0; rc == 0; at += record.size) {
		rc = at > size ? -ENODATA
			       : jitdump_record(&header, bytes + at, size - at, size - at, &record);
		if (rc == 0)
			print_record(&header, bytes + at, &record, text);
	}
	buf_add_str(text, rc == -EBADMSG ? "broken\n" : "more\n");
}

static void make_whole(struct jitdump_maker *maker)
{
	make_header(maker, 8, 0);
	make_load(maker, 100, 0x7f0000001000, "fib(int)", "codeofib", 1);
	make_lines(maker, 150, 0x7f0000002000, "a.js");
	make_load(maker, 200, 0x7f0000002000, "", "xyz", 2);
	make_prefix(maker, 4, 12, 210); /* unwinding tables */
	buf_add(&maker->bytes, "abcdefghijkl", 12);
	make_prefix(maker, 77, 3, 220); /* a kind of the future */
	buf_add(&maker->bytes, "abc", 3);
	make_move(maker, 300, 0x7f0000001000, 0x7f0000005000, 8, 1);
	make_prefix(maker, 3, 0, 400);
}

static void test_records(void **state)
{
	struct buf text = { 0 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct jitdump_maker maker = { .swap = swap };

		make_whole(&maker);
		print_dump(maker.bytes.bytes, maker.bytes.size, &text);
		assert_string_equal(buf_text(&text),
				    "load 100 7f0000001000+8 fib(int) <codeofib>\n"
				    "lines 7f0000002000=a.js:10 7f0000002004=a.js:11\n"
				    "load 200 7f0000002000+3  <xyz>\n"
				    "other\n"
				    "other\n"
				    "move 300 7f0000001000->7f0000005000\n"
				    "close\n"
				    "more\n");
		buf_done(&maker.bytes);
	}
	buf_done(&text);
}

/* A dump truncated anywhere yields its complete records and nothing else. */
static void test_cut(void **state)
{
	struct jitdump_maker maker = { 0 };
	struct buf all = { 0 }, text = { 0 };
	size_t last = 0;

	(void)state;
	make_whole(&maker);
	print_dump(maker.bytes.bytes, maker.bytes.size, &all);
	for (size_t size = 0; size < maker.bytes.size; size++) {
		/* a copy of just this size, so that reading beyond it is seen */
		_cleanup_free_ char *cut = malloc(size ? size : 1);

		memcpy(cut, maker.bytes.bytes, size);
		print_dump(cut, size, &text);
		assert_true(text.size >= last);
		assert_string_equal(buf_text(&text) + text.size - 5, "more\n");
		assert_memory_equal(buf_text(&text), buf_text(&all), text.size - 5);
		last = text.size;
	}
	buf_done(&maker.bytes);
	buf_done(&all);
	buf_done(&text);
}

/* One field changed. */
static void test_wrong(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		const char *text;
	} rows[] = {
		{ 0, 0x12345678, "broken\n" }, /* the magic */
		{ 4, 2, "broken\n" },	       /* the version */
		{ 8, 39, "broken\n" },	       /* the header's size */
		{ 8, 1 << 20, "broken\n" },
		{ 40 + 4, 15, "broken\n" }, /* the record's */
		{ 40 + 4, 0x7fffffff, "broken\n" },
		{ 40 + 4, 1 << 20, "more\n" },
		{ 40 + 4, 50, "other\nmore\n" }, /* it ends in its fixed part */
		/* more code than the record has: none is handed out */
		{ 40 + 40, 1000, "load 100 1000+1000 f\nmore\n" },
		{ 40 + 44, 1, "load 100 1000+4294967300 f\nmore\n" },
	};
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct jitdump_maker maker = { 0 };

		make_header(&maker, 0, 0);
		make_load(&maker, 100, 0x1000, "f", "code", 1);
		memcpy(maker.bytes.bytes + rows[i].at, &rows[i].value, 4);
		print_dump(maker.bytes.bytes, maker.bytes.size, &text);
		assert_string_equal(buf_text(&text), rows[i].text);
		buf_done(&maker.bytes);
	}
	buf_done(&text);
}

static void test_flags(void **state)
{
	struct jitdump_maker maker = { 0 };
	struct jitdump_header header;
	struct err err;

	(void)state;
	make_header(&maker, 0, 1);
	assert_int_equal(jitdump_header(maker.bytes.bytes, maker.bytes.size, &header, &err), 0);
	assert_true(header.processor_clock);
	assert_int_equal(header.pid, 1234);
	assert_int_equal(header.machine, 62);
	buf_done(&maker.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
