/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/stream.h"

static int take(void *context, const void *bytes, size_t size)
{
	buf_add(context, bytes, size);
	return 0;
}

static int refuse(void *context, const void *bytes, size_t size)
{
	return size ? -ENOSPC : 0;
}

/* A frame of one raw block, RFC 8878 section 3.1.1: magic, descriptor of a single segment with one
 * byte of size, block header (last << 0 | type << 1 | size << 3). */
static size_t make_frame(uint8_t *frame, const char *text, bool last)
{
	size_t size = strlen(text);
	const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50 };

	memcpy(frame, head, sizeof(head));
	frame[6] = (uint8_t)(size << 3 | last);
	frame[7] = frame[8] = 0;
	memcpy(frame + 9, text, size);
	return 9 + size;
}

static void pieces_of_any_size_make_the_same(void **state)
{
	uint8_t frame[64];
	size_t size = make_frame(frame, "twenty-one bytes here", false);

	for (size_t piece = 1; piece <= size; piece++) {
		_cleanup_(stream_zstd_freep) struct stream_zstd *stream = stream_zstd_new(100);
		struct buf out = { 0 };

		for (size_t at = 0; at < size; at += piece) {
			size_t now = size - at < piece ? size - at : piece;

			assert_int_equal(
				stream_zstd_feed(stream, frame + at, now, take, &out, NULL), 0);
		}
		assert_string_equal(buf_text(&out), "twenty-one bytes here");
		buf_done(&out);
	}
}

static void damage_is_reported(void **state)
{
	_cleanup_(stream_zstd_freep) struct stream_zstd *stream = stream_zstd_new(100);
	struct buf out = { 0 };
	struct err err;

	assert_int_equal(stream_zstd_feed(stream, "no zstd at all", 14, take, &out, &err),
			 -EBADMSG);
	assert_non_null(strstr(err.text, "corrupt"));
	buf_done(&out);
}

static void what_the_sink_says_ends_it(void **state)
{
	_cleanup_(stream_zstd_freep) struct stream_zstd *stream = stream_zstd_new(100);
	uint8_t frame[64];
	size_t size = make_frame(frame, "text", true);

	assert_int_equal(stream_zstd_feed(stream, frame, size, refuse, NULL, NULL), -ENOSPC);
}

static int count(void *context, const void *bytes, size_t size)
{
	*(uint64_t *)context += size;
	return 0;
}

/* Blocks of one byte repeated 128 KiB times, each 4 bytes long. */
static void bombs_are_refused(void **state)
{
	_cleanup_(stream_zstd_freep) struct stream_zstd *stream = stream_zstd_new(100);
	uint8_t bomb[6 + 4 * 4096] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38 };
	const uint32_t block = 1 << 1 | (128 * 1024) << 3;
	uint64_t came = 0;
	struct err err;

	for (size_t i = 0; i < 4096; i++)
		memcpy(bomb + 6 + 4 * i, &block, 4);
	assert_int_equal(stream_zstd_feed(stream, bomb, sizeof(bomb), count, &came, &err), -EFBIG);
	assert_true(came < 20 << 20);
	assert_non_null(strstr(err.text, "more than the limit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_of_any_size_make_the_same),
		cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(what_the_sink_says_ends_it),
		cmocka_unit_test(bombs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
