/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compressed streams: how (enum stream_method, or beyond it a stream of zstd that is pushed), how
 * many bytes come at a time, the stream. What comes out is not above what was allowed. */
#include <stdlib.h>

#include "base/stream.h"
#include "target.h"

enum { MOST_BYTES = 1 << 20, MOST_RATIO = 100, FREE_BYTES = 17 << 20 };

struct input {
	const uint8_t *at;
	size_t left, piece;
};

static volatile uint64_t sink;

static int give(void *context, const void **ret_bytes, size_t *ret_size)
{
	struct input *input = context;
	size_t size = input->left < input->piece ? input->left : input->piece;

	*ret_bytes = input->at;
	*ret_size = size;
	input->at += size;
	input->left -= size;
	return 0;
}

static int take(void *context, const void *bytes, size_t size)
{
	uint64_t *total = context;

	for (size_t i = 0; i < size; i += 61)
		sink += ((const uint8_t *)bytes)[i];
	*total += size;
	return 0;
}

static void pull(struct input *input, enum stream_method method)
{
	uint64_t total = 0;
	const struct stream_inflate inflate = { .method = method,
						.source = give,
						.source_context = input,
						.sink = take,
						.sink_context = &total,
						.most_bytes = MOST_BYTES };

	stream_inflate(&inflate, NULL);
	if (total > MOST_BYTES)
		abort();
}

static void push(struct input *input)
{
	struct stream_zstd *stream = stream_zstd_new(MOST_RATIO);
	uint64_t total = 0, whole = input->left;
	const void *bytes;
	size_t size;

	while (give(input, &bytes, &size) == 0 && size > 0)
		if (stream_zstd_feed(stream, bytes, size, take, &total, NULL) < 0)
			break;
	if (total > FREE_BYTES + MOST_RATIO * whole)
		abort();
	stream_zstd_free(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input;

	if (size < 2)
		return 0;
	input = (struct input){ bytes + 2, size - 2, bytes[1] ? bytes[1] : SIZE_MAX };
	if (bytes[0] <= STREAM_XZ)
		pull(&input, (enum stream_method)bytes[0]);
	else
		push(&input);
	return 0;
}
