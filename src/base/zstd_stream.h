/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A zstd stream (RFC 8878) that arrives in pieces and may stop anywhere, made plain: each piece is
 * pushed in, what comes of it goes to a sink.
 */
#ifndef BASE_ZSTD_STREAM_H
#define BASE_ZSTD_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct zstd_stream;

/* @most_ratio: more than so many bytes for each that went in, over all pieces, are refused; some
 * for nothing are free. */
struct zstd_stream *zstd_stream_new(unsigned most_ratio);
void zstd_stream_free(struct zstd_stream *stream); /* NULL is fine */
DEFINE_CLEANUP(struct zstd_stream *, zstd_stream_free);

/* Takes the next piece of what comes out, borrowed. 0 or a negative errno, which ends it. */
typedef int (*zstd_stream_sink)(void *context, const void *bytes, size_t size);

/* All that can be had from the next piece goes to the sink. -EBADMSG: damaged; -EFBIG: too much
 * comes out of it; or what the sink returned. */
int zstd_stream_feed(struct zstd_stream *stream, const void *bytes, size_t size,
		     zstd_stream_sink sink, void *context, struct err *err);

#endif
