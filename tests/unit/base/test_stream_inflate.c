/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/stream.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

enum { MOST = 4096 };

/* Appends a member. */
static void add_member(struct buf *file, const char *text)
{
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);
	struct stream_gzip *stream = stream_gzip_new(out);

	stream_gzip_add(stream, text, strlen(text));
	stream_gzip_finish(stream);
	stream_gzip_free(stream);
	fclose(out);
	buf_add(file, bytes, size);
	free(bytes);
}

/* Hands a file out in pieces. */
struct pieces {
	const struct buf *file;
	size_t at, size;
};

static int next_piece(void *context, const void **ret_bytes, size_t *ret_size)
{
	struct pieces *pieces = context;
	size_t left = pieces->file->size - pieces->at;

	*ret_bytes = pieces->file->bytes + pieces->at;
	*ret_size = left < pieces->size ? left : pieces->size;
	pieces->at += *ret_size;
	return 0;
}

static int keep(void *context, const void *bytes, size_t size)
{
	buf_add(context, bytes, size);
	return 0;
}

static int gunzip(const struct buf *file, size_t piece, struct buf *ret_text)
{
	struct pieces pieces = { .file = file, .size = piece };
	const struct stream_inflate inflate = { .method = STREAM_GZIP,
						.source = next_piece,
						.source_context = &pieces,
						.sink = keep,
						.sink_context = ret_text,
						.most_bytes = MOST };

	buf_clear(ret_text);
	return stream_inflate(&inflate, NULL);
}

static void all_members_of_gzip(void **state)
{
	struct buf file = { 0 }, text = { 0 };

	(void)state;
	add_member(&file, "one, ");
	add_member(&file, "");
	add_member(&file, "two");
	for (size_t piece = 1; piece <= file.size; piece++) {
		assert_int_equal(gunzip(&file, piece, &text), 0);
		assert_string_equal(buf_text(&text), "one, two");
	}
	/* Padding is none. */
	buf_add(&file, "\0\0\0\0", 4);
	assert_int_equal(gunzip(&file, 7, &text), 0);
	assert_string_equal(buf_text(&text), "one, two");
	/* What is neither padding nor a member may have been one. */
	buf_add(&file, "J", 1);
	add_member(&file, "three");
	for (size_t piece = 1; piece <= file.size; piece++)
		assert_int_equal(gunzip(&file, piece, &text), -EBADMSG);
	buf_done(&text);
	buf_done(&file);
}

static void cut_members_of_gzip(void **state)
{
	struct buf file = { 0 }, text = { 0 };
	size_t first;

	(void)state;
	add_member(&file, "one, ");
	first = file.size;
	add_member(&file, "two");
	for (size_t size = file.size - 1; size > 0; size--) {
		file.size = size;
		assert_int_equal(gunzip(&file, size, &text), size == first ? 0 : -EBADMSG);
	}
	buf_done(&text);
	buf_done(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_members_of_gzip),
		cmocka_unit_test(cut_members_of_gzip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
