/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed data that need not fit in memory.
 *
 * stream_inflate decompresses parts of ELF files: zlib and zstd (ELF gABI "Section Compression"),
 * xz (.gnu_debugdata); and gzip (pprof profiles). The output goes to a sink piece by piece.
 * stream_zstd decompresses a zstd stream (RFC 8878) that arrives in pieces and may stop anywhere:
 * the caller pushes each piece in. stream_gzip compresses while it is written (RFC 1952).
 */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"

enum stream_method {
	STREAM_ZLIB, /* RFC 1950 */
	STREAM_GZIP, /* RFC 1952, any number of members */
	STREAM_ZSTD, /* RFC 8878 */
	STREAM_XZ,   /* the .xz file format */
};

/* Takes the next piece of output, borrowed. Returns 0 or a negative errno, which ends the run. */
typedef int (*stream_sink)(void *context, const void *bytes, size_t size);
/* Returns the next piece of input, borrowed until the next call; *ret_size 0: the end. */
typedef int (*stream_source)(void *context, const void **ret_bytes, size_t *ret_size);

struct stream_inflate {
	enum stream_method method;
	stream_source source;
	void *source_context;
	stream_sink sink;
	void *sink_context;
	uint64_t most_bytes; /* of output: more is -EFBIG */
};

/* -EBADMSG: the data is damaged or truncated; -ENOMEM: it needs too much memory. */
int stream_inflate(const struct stream_inflate *inflate, struct err *err);

struct stream_zstd;

/* @most_ratio: the limit of output bytes per input byte, over all pieces. More is refused, except
 * that the first 16 MiB of output are free. */
struct stream_zstd *stream_zstd_new(unsigned most_ratio);
void stream_zstd_free(struct stream_zstd *stream); /* NULL is fine */
DEFINE_CLEANUP(struct stream_zstd *, stream_zstd_free);

/* Decompresses as much as possible with this piece into the sink. -EBADMSG: damaged; -EFBIG: the
 * output exceeds the ratio; or the sink's error. */
int stream_zstd_feed(struct stream_zstd *stream, const void *bytes, size_t size, stream_sink sink,
		     void *context, struct err *err);

struct stream_gzip;

/* Writes to @out, which is borrowed. Favors speed over size. */
struct stream_gzip *stream_gzip_new(FILE *out);
/* Discards what was not finished. NULL is fine. */
void stream_gzip_free(struct stream_gzip *stream);
DEFINE_CLEANUP(struct stream_gzip *, stream_gzip_free);

void stream_gzip_add(struct stream_gzip *stream, const void *bytes, size_t size);
/* Ends the stream; nothing can be added afterwards. Write errors stay in @out for ferror(). */
void stream_gzip_finish(struct stream_gzip *stream);

#endif
