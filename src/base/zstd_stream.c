/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/zstd_stream.h"

#include <errno.h>
#include <zstd.h>

#include "base/xalloc.h"

enum {
	OUT_BYTES = 128 * 1024,
	FREE_BYTES = 16 * 1024 * 1024, /* the ratio applies above this */
	MOST_WINDOW_LOG = 27,	       /* 128 MiB */
};

struct zstd_stream {
	ZSTD_DStream *zstd;
	uint64_t in_total, out_total;
	unsigned most_ratio;
	uint8_t out[OUT_BYTES];
};

struct zstd_stream *zstd_stream_new(unsigned most_ratio)
{
	struct zstd_stream *stream = xcalloc(1, sizeof(*stream));

	stream->most_ratio = most_ratio;
	stream->zstd = ZSTD_createDStream();
	if (stream->zstd)
		ZSTD_DCtx_setParameter(stream->zstd, ZSTD_d_windowLogMax, MOST_WINDOW_LOG);
	return stream;
}

void zstd_stream_free(struct zstd_stream *stream)
{
	if (!stream)
		return;
	ZSTD_freeDStream(stream->zstd);
	free(stream);
}

int zstd_stream_feed(struct zstd_stream *stream, const void *bytes, size_t size,
		     zstd_stream_sink sink, void *context, struct err *err)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_outBuffer out = { stream->out, OUT_BYTES, OUT_BYTES };

	if (!stream->zstd)
		return err_set(err, -ENOMEM, "out of memory (zstd)");
	stream->in_total += size;
	/* A full output buffer may leave more output inside zstd. */
	while (in.pos < in.size || out.pos == out.size) {
		size_t rc;
		int sunk;

		out.pos = 0;
		rc = ZSTD_decompressStream(stream->zstd, &out, &in);
		if (ZSTD_isError(rc))
			return err_set(err, -EBADMSG, "corrupt compressed data: %s",
				       ZSTD_getErrorName(rc));
		stream->out_total += out.pos;
		if (stream->out_total > FREE_BYTES + stream->in_total * stream->most_ratio)
			return err_set(err, -EFBIG,
				       "the compressed data expands to more than the limit");
		sunk = sink(context, stream->out, out.pos);
		if (sunk < 0)
			return sunk;
	}
	return 0;
}
