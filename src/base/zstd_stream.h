/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompresses a zstd stream (RFC 8878) that arrives in pieces and may stop anywhere: the caller
 * pushes each piece in, and the output goes to a sink.
 */
#ifndef BASE_ZSTD_STREAM_H
#define BASE_ZSTD_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct zstd_stream;

/* @most_ratio: the limit of output bytes per input byte, over all pieces. More is refused, except
 * that the first 16 MiB of output are free. */
struct zstd_stream *zstd_stream_new(unsigned most_ratio);
void zstd_stream_free(struct zstd_stream *stream); /* NULL is fine */
DEFINE_CLEANUP(struct zstd_stream *, zstd_stream_free);

/* Takes the next piece of output, borrowed. Returns 0 or a negative errno, which ends the call. */
typedef int (*zstd_stream_sink)(void *context, const void *bytes, size_t size);

/* Decompresses as much as possible with this piece into the sink. -EBADMSG: damaged; -EFBIG: the
 * output exceeds the ratio; or the sink's error. */
int zstd_stream_feed(struct zstd_stream *stream, const void *bytes, size_t size,
		     zstd_stream_sink sink, void *context, struct err *err);

#endif
