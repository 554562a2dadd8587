/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings made by hand, as perf.data-file-format.txt of Linux lays them out. */
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "import/perf_data.h"
#include "import/perf_data_made.h"

static void files_with_attributes_of_any_size(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 112, 136, 144, 1000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct made made = { .swap = false };
		struct perf_data *data;

		make_file(&made, sizes[i]);
		data = open_ok(&made);
		assert_int_equal(perf_data_head(data)->events.count, 2);
		assert_string_equal(perf_data_head(data)->events.items[0].name, "cpu-clock");
		assert_string_equal(perf_data_head(data)->events.items[1].name, "page-faults");
		check_records(data);
		perf_data_free(data);
		buf_done(&made.bytes);
	}
}

static void the_other_byte_order(void **state)
{
	struct made made = { .swap = true };
	struct perf_data *data;

	make_file(&made, 112);
	assert_true(perf_data_is(made.bytes.bytes, 8));
	data = open_ok(&made);
	assert_true(perf_data_head(data)->events.items[0].attr.sample_id_all);
	check_records(data);
	perf_data_free(data);
	buf_done(&made.bytes);
}

static void killed_recordings_are_read_to_their_end(void **state)
{
	struct made made = { .swap = false };
	struct seen seen = { .count = 0 };
	struct perf_data *data;

	file_head(&made, 112, 0, 1 << 3);
	records(&made);
	data = open_ok(&made);
	assert_int_equal(perf_data_run(data, take, &seen), 0);
	assert_int_equal(seen.count, 8);
	assert_non_null(strstr(perf_data_damage(data), "killed"));
	perf_data_free(data);
	buf_done(&made.bytes);
}

static void features_are_facts(void **state)
{
	struct made made = { .swap = false };
	uint64_t features = 1 << 2 | 1 << 3 | 1 << 7 | 1 << 12;
	struct perf_data *data;
	size_t at;

	file_head(&made, 112, records_size(), features);
	records(&made);
	at = made.bytes.size + 4 * 16;
	for (int i = 0; i < 4; i++) {
		static const uint64_t sizes[] = { 8 + 4 + 24 + 16, 4 + 64, 8,
						  8 + 112 + 4 + 4 + 64 + 8 };

		u64(&made, at);
		u64(&made, sizes[i]);
		at += sizes[i];
	}
	header(&made, 0, 1 << 15 | PERF_RECORD_MISC_USER, 4 + 24 + 16); /* a build id of 16 bytes */
	u32(&made, 5);
	text(&made, "0123456789abcdef", 20);
	u32(&made, 16);
	text(&made, "/bin/thing", 16);
	u32(&made, 64); /* the host's name */
	text(&made, "somewhere", 64);
	u32(&made, 8); /* processors */
	u32(&made, 6);
	u32(&made, 1); /* descriptions: of the second event, by its id */
	u32(&made, 112);
	attr(&made, 112, PERF_COUNT_SW_PAGE_FAULTS);
	u32(&made, 1);
	u32(&made, 64);
	text(&made, "faults:u", 64);
	u64(&made, SECOND_ID);
	data = open_ok(&made);
	assert_string_equal(perf_data_head(data)->facts.hostname, "somewhere");
	assert_int_equal(perf_data_head(data)->facts.cpus, 6);
	assert_string_equal(perf_data_head(data)->events.items[0].name, "cpu-clock");
	assert_string_equal(perf_data_head(data)->events.items[1].name, "faults:u");
	assert_int_equal(perf_data_head(data)->facts.build_ids.count, 1);
	assert_int_equal(perf_data_head(data)->facts.build_ids.items[0].size, 16);
	assert_string_equal(perf_data_head(data)->facts.build_ids.items[0].path, "/bin/thing");
	check_records(data);
	perf_data_free(data);
	buf_done(&made.bytes);
}

/* A pipe, with its metadata records between the other records and after them. */
static void make_pipe(struct made *made)
{
	u64(made, 0x32454c4946524550);
	u64(made, 16);
	for (uint64_t i = 0; i < 2; i++) {
		header(made, 64, 0, 112 + 8);
		attr(made, 112, i ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK);
		u64(made, i ? SECOND_ID : FIRST_ID);
	}
	header(made, 66, 0, 4); /* tracing data: more follows than its size says */
	u32(made, 16);
	text(made, "what is traced", 16);
	records(made);
	header(made, 80, 0, 8 + 4 + 64);
	u64(made, 4);
	u32(made, 64);
	text(made, "9.9.9-test", 64);
	header(made, 78, 0, 16 + 16);
	u64(made, 2);
	u64(made, SECOND_ID);
	text(made, "renamed", 16);
}

static void pipes(void **state)
{
	for (int swap = 0; swap <= 1; swap++) {
		struct made made = { .swap = swap };
		struct perf_data *data;

		make_pipe(&made);
		data = open_ok(&made);
		assert_int_equal(perf_data_head(data)->events.count, 2);
		assert_string_equal(perf_data_head(data)->events.items[1].name, "renamed");
		assert_string_equal(perf_data_head(data)->facts.os_release, "9.9.9-test");
		check_records(data);
		perf_data_free(data);
		buf_done(&made.bytes);
	}
}

static void pipes_that_cannot_be_gone_back_in(void **state)
{
	struct made made = { .swap = false };
	struct perf_data_input input;
	struct perf_data *data;
	int ends[2];

	make_pipe(&made);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], made.bytes.bytes, made.bytes.size), made.bytes.size);
	close(ends[1]);
	perf_data_input_begin(&input, ends[0]);
	assert_int_equal(perf_data_open(&input, &data, NULL), 0);
	check_records(data);
	perf_data_free(data);
	buf_done(&made.bytes);
}

/* Records within a zstd frame of raw blocks (RFC 8878), cut in the middle of a record. */
static void compressed_records(void **state)
{
	for (int has_size = 0; has_size <= 1; has_size++) {
		static const uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50 };
		struct made plain = { .swap = false }, made = { .swap = false };
		size_t cut = 100, at = 0;
		struct perf_data *data;

		records(&plain);
		file_head(&made, 112, 0, 0);
		while (at < plain.bytes.size) {
			size_t now = plain.bytes.size - at < cut ? plain.bytes.size - at : cut;
			size_t size = (at == 0 ? sizeof(frame) : 0) + 3 + now;
			uint32_t block = (uint32_t)now << 3;

			header(&made, has_size ? 83 : 81, 0, size + 8 * (size_t)has_size);
			if (has_size)
				u64(&made, size);
			if (at == 0)
				buf_add(&made.bytes, frame, sizeof(frame));
			buf_add(&made.bytes, &block, 3);
			buf_add(&made.bytes, plain.bytes.bytes + at, now);
			at += now;
		}
		data = open_ok(&made);
		{
			struct seen seen = { .count = 0 };

			assert_int_equal(perf_data_run(data, take, &seen), 0);
			assert_int_equal(seen.count, 8);
			assert_int_equal(seen.times[7], 70);
		}
		perf_data_free(data);
		buf_done(&made.bytes);
		buf_done(&plain.bytes);
	}
}

/* Whatever is cut off: an error, or what was there and a word about the rest. */
static void cut_recordings(void **state)
{
	for (int as_pipe = 0; as_pipe <= 1; as_pipe++) {
		struct made made = { .swap = false };

		if (as_pipe)
			make_pipe(&made);
		else
			make_file(&made, 112);
		for (size_t size = 0; size < made.bytes.size; size++) {
			struct seen seen = { .count = 0 };
			struct perf_data *data = NULL;
			struct err err = { .text = "" };

			if (open_bytes(made.bytes.bytes, size, &data, &err) < 0) {
				assert_true(err.text[0]);
				continue;
			}
			assert_int_equal(perf_data_run(data, take, &seen), 0);
			assert_true(seen.count <= 8);
			if (!as_pipe)
				assert_true(perf_data_damage(data)[0]);
			perf_data_free(data);
		}
		buf_done(&made.bytes);
	}
}

/* Each byte wrong in turn: nothing is read that is not there (the sanitizers watch). */
static void damaged_recordings(void **state)
{
	struct made made = { .swap = false };

	make_file(&made, 112);
	for (size_t at = 0; at < made.bytes.size; at++) {
		struct seen seen = { .count = 0 };
		struct perf_data *data = NULL;

		made.bytes.bytes[at] ^= (char)0xff;
		if (open_bytes(made.bytes.bytes, made.bytes.size, &data, NULL) == 0)
			assert_int_equal(perf_data_run(data, take, &seen), 0);
		perf_data_free(data);
		made.bytes.bytes[at] ^= (char)0xff;
	}
	buf_done(&made.bytes);
}

static void what_is_no_recording_is_refused(void **state)
{
	static const char *const others[] = { "", "PERF", "SQLite format 3", "PERFILE2",
					      "#!/bin/sh\nPERFILE2 and more text here" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct perf_data *data = NULL;
		struct err err = { .text = "" };

		assert_int_equal(open_bytes(others[i], strlen(others[i]), &data, &err), -EINVAL);
		assert_non_null(strstr(err.text, "not a recording"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_with_attributes_of_any_size),
		cmocka_unit_test(the_other_byte_order),
		cmocka_unit_test(killed_recordings_are_read_to_their_end),
		cmocka_unit_test(features_are_facts),
		cmocka_unit_test(pipes),
		cmocka_unit_test(pipes_that_cannot_be_gone_back_in),
		cmocka_unit_test(compressed_records),
		cmocka_unit_test(cut_recordings),
		cmocka_unit_test(damaged_recordings),
		cmocka_unit_test(what_is_no_recording_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
