/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/gzip_stream.h"

#include <limits.h>
#include <zlib.h>

#include "base/xalloc.h"

enum {
	OUT_BYTES = 64 * 1024,
	LEVEL = 1,		    /* others take several times as long to save a few percent */
	GZIP_WINDOW_BITS = 15 + 16, /* plus 16: zlib writes a gzip header and trailer */
	MEMORY_LEVEL = 8,
};

struct gzip_stream {
	FILE *out;
	z_stream z;
	unsigned char bytes[OUT_BYTES];
};

struct gzip_stream *gzip_stream_new(FILE *out)
{
	struct gzip_stream *stream = xcalloc(1, sizeof(*stream));

	stream->out = out;
	/* The only possible failure is lack of memory. */
	if (deflateInit2(&stream->z, LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		xmalloc(SIZE_MAX);
	return stream;
}

void gzip_stream_free(struct gzip_stream *stream)
{
	if (!stream)
		return;
	deflateEnd(&stream->z);
	free(stream);
}

static int step(struct gzip_stream *stream, int flush)
{
	int status;

	stream->z.next_out = stream->bytes;
	stream->z.avail_out = OUT_BYTES;
	status = deflate(&stream->z, flush);
	fwrite(stream->bytes, 1, OUT_BYTES - stream->z.avail_out, stream->out);
	return status;
}

void gzip_stream_add(struct gzip_stream *stream, const void *bytes, size_t size)
{
	while (size > 0) {
		size_t piece = size < INT_MAX ? size : INT_MAX;

		stream->z.next_in = (Bytef *)(uintptr_t)bytes;
		stream->z.avail_in = (uInt)piece;
		while (stream->z.avail_in > 0)
			step(stream, Z_NO_FLUSH);
		bytes = (const char *)bytes + piece;
		size -= piece;
	}
}

void gzip_stream_finish(struct gzip_stream *stream)
{
	stream->z.avail_in = 0;
	while (step(stream, Z_FINISH) == Z_OK)
		;
}
