/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compresses a stream while it is written: gzip (RFC 1952). */
#ifndef BASE_GZIP_STREAM_H
#define BASE_GZIP_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"

struct gzip_stream;

/* Writes to @out, which is borrowed. Favors speed over size. */
struct gzip_stream *gzip_stream_new(FILE *out);
/* Discards what was not finished. NULL is fine. */
void gzip_stream_free(struct gzip_stream *stream);
DEFINE_CLEANUP(struct gzip_stream *, gzip_stream_free);

void gzip_stream_add(struct gzip_stream *stream, const void *bytes, size_t size);
/* Ends the stream; nothing can be added afterwards. Write errors stay in @out for ferror(). */
void gzip_stream_finish(struct gzip_stream *stream);

#endif
