/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/stream.h"

struct pieces {
	const char *bytes;
	size_t size, at;
};

static int give(void *context, const void **ret_bytes, size_t *ret_size)
{
	struct pieces *pieces = context;
	size_t left = pieces->size - pieces->at;

	*ret_size = left < 1000 ? left : 1000;
	*ret_bytes = pieces->bytes + pieces->at;
	pieces->at += *ret_size;
	return 0;
}

static int take(void *context, const void *bytes, size_t size)
{
	buf_add(context, bytes, size);
	return 0;
}

static int inflate_all(const char *bytes, size_t size, struct buf *ret_buf)
{
	struct pieces pieces = { bytes, size, 0 };
	const struct stream_inflate inflate = { .method = STREAM_GZIP,
						.source = give,
						.source_context = &pieces,
						.sink = take,
						.sink_context = ret_buf,
						.most_bytes = 1 << 24 };
	struct err err;

	return stream_inflate(&inflate, &err);
}

static void what_goes_in_comes_out(void **state)
{
	char *packed = NULL;
	size_t packed_size = 0;
	FILE *out = open_memstream(&packed, &packed_size);
	struct stream_gzip *stream = stream_gzip_new(out);
	struct buf plain = { 0 }, back = { 0 };
	unsigned seed = 7;

	for (int i = 0; i < 300; i++) {
		char piece[1000];

		for (size_t j = 0; j < sizeof(piece); j++) {
			seed = seed * 1103515245 + 12345;
			piece[j] = (char)(seed >> (i % 2 ? 16 : 28));
		}
		buf_add(&plain, piece, sizeof(piece) - (size_t)i);
		stream_gzip_add(stream, piece, sizeof(piece) - (size_t)i);
	}
	stream_gzip_finish(stream);
	stream_gzip_free(stream);
	fclose(out);
	assert_true(packed_size < plain.size);
	assert_int_equal(inflate_all(packed, packed_size, &back), 0);
	assert_int_equal(back.size, plain.size);
	assert_memory_equal(back.bytes, plain.bytes, plain.size);
	buf_clear(&back);
	assert_true(inflate_all(packed, packed_size / 2, &back) < 0);
	assert_true(inflate_all("no gzip", 7, &back) < 0);
	buf_done(&plain);
	buf_done(&back);
	free(packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_in_comes_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
