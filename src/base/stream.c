/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In decompression, running out of memory is an error and does not end the program: the libraries
 * allocate, in sizes that the data asks for, and say so. */
#include "base/stream.h"

#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdbool.h>
#include <zlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum {
	OUT_BYTES = 256 * 1024,
	/* The limit for a stream's window: xz -9 needs 65 MB, zstd -19 8 MB. */
	MOST_WINDOW_BYTES = 128 * 1024 * 1024,
	MOST_WINDOW_LOG = 27,
	GZIP_ONLY = 16,	   /* added to zlib's window: require a gzip header */
	GZIP_FIRST = 0x1f, /* its first byte */
};

struct run {
	const struct stream_inflate *inflate;
	const void *in;
	size_t in_size; /* the bytes left of it */
	bool in_ended;
	uint8_t *out; /* OUT_BYTES, owned */
	uint64_t out_total;
};

static int damaged(struct err *err)
{
	return err_set(err, -EBADMSG, "corrupt compressed data");
}

static int refill(struct run *stream)
{
	int rc = 0;

	if (stream->in_size == 0 && !stream->in_ended) {
		rc = stream->inflate->source(stream->inflate->source_context, &stream->in,
					     &stream->in_size);
		stream->in_ended = rc == 0 && stream->in_size == 0;
	}
	return rc;
}

static int put_out(struct run *stream, size_t size, struct err *err)
{
	stream->out_total += size;
	if (stream->out_total > stream->inflate->most_bytes)
		return err_set(err, -EFBIG, "the decompressed data is larger than its header says");
	return size ? stream->inflate->sink(stream->inflate->sink_context, stream->out, size) : 0;
}

static void take_in(struct run *stream, size_t size)
{
	stream->in = (const char *)stream->in + size;
	stream->in_size -= size;
}

static int run_window(struct run *stream, int window, struct err *err)
{
	z_stream z = { .next_in = Z_NULL };
	int rc = inflateInit2(&z, window) == Z_OK ? 0
						  : err_set(err, -ENOMEM, "out of memory (zlib)");
	int status = Z_OK;

	while (rc == 0 && status != Z_STREAM_END) {
		size_t size;

		rc = refill(stream);
		if (rc < 0 || stream->in_ended)
			break;
		size = stream->in_size < OUT_BYTES ? stream->in_size : OUT_BYTES;
		z.next_in = (Bytef *)(uintptr_t)stream->in;
		z.avail_in = (uInt)size;
		z.next_out = stream->out;
		z.avail_out = OUT_BYTES;
		status = inflate(&z, Z_NO_FLUSH);
		take_in(stream, size - z.avail_in);
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			rc = damaged(err);
		else
			rc = put_out(stream, OUT_BYTES - z.avail_out, err);
	}
	inflateEnd(&z);
	return rc < 0 || status == Z_STREAM_END ? rc : damaged(err);
}

static int run_zlib(struct run *stream, struct err *err)
{
	return run_window(stream, MAX_WBITS, err);
}

/* Skips zeros after the last member: padding, as gzip(1) allows. */
static int skip_padding(struct run *stream, struct err *err)
{
	int rc = 0;

	while (rc == 0 && stream->in_size) {
		if (*(const uint8_t *)stream->in != 0)
			return damaged(err);
		take_in(stream, 1);
		rc = refill(stream);
	}
	return rc;
}

static bool has_member(const struct run *stream)
{
	return stream->in_size && *(const uint8_t *)stream->in == GZIP_FIRST;
}

static int run_gzip(struct run *stream, struct err *err)
{
	int rc;

	do {
		rc = run_window(stream, MAX_WBITS + GZIP_ONLY, err);
		if (rc == 0)
			rc = refill(stream);
	} while (rc == 0 && has_member(stream));
	return rc < 0 ? rc : skip_padding(stream, err);
}

/* One step: consumes input, or writes output that was kept back because the buffer was full. */
static int step_zstd(struct run *stream, ZSTD_DStream *zstd, size_t *hint, size_t *ret_out,
		     struct err *err)
{
	ZSTD_outBuffer out = { stream->out, OUT_BYTES, 0 };
	ZSTD_inBuffer in = { stream->in, stream->in_size, 0 };

	*hint = ZSTD_decompressStream(zstd, &out, &in);
	take_in(stream, in.pos);
	*ret_out = out.pos;
	return ZSTD_isError(*hint) ? damaged(err) : put_out(stream, out.pos, err);
}

/* NULL: out of memory. */
static ZSTD_DStream *new_zstd(void)
{
	ZSTD_DStream *zstd = ZSTD_createDStream();

	if (zstd)
		ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, MOST_WINDOW_LOG);
	return zstd;
}

static int run_zstd(struct run *stream, struct err *err)
{
	ZSTD_DStream *zstd = new_zstd();
	size_t hint = 1, out = 0; /* hint 0: a frame is complete */
	int rc = zstd ? 0 : err_set(err, -ENOMEM, "out of memory (zstd)");

	while (rc == 0) {
		rc = refill(stream);
		if (rc < 0 || (stream->in_ended && out < OUT_BYTES))
			break;
		rc = step_zstd(stream, zstd, &hint, &out, err);
	}
	ZSTD_freeDStream(zstd);
	return rc < 0 || hint == 0 ? rc : damaged(err);
}

static int run_xz(struct run *stream, struct err *err)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	lzma_ret status = lzma_stream_decoder(&xz, MOST_WINDOW_BYTES, LZMA_CONCATENATED);
	int rc = status == LZMA_OK ? 0 : err_set(err, -ENOMEM, "out of memory (xz)");

	while (rc == 0 && status != LZMA_STREAM_END) {
		rc = refill(stream);
		if (rc < 0)
			break;
		xz.next_in = stream->in;
		xz.avail_in = stream->in_size;
		xz.next_out = stream->out;
		xz.avail_out = OUT_BYTES;
		status = lzma_code(&xz, stream->in_ended ? LZMA_FINISH : LZMA_RUN);
		take_in(stream, stream->in_size - xz.avail_in);
		if (status != LZMA_OK && status != LZMA_STREAM_END)
			rc = status == LZMA_MEMLIMIT_ERROR
				     ? err_set(err, -ENOMEM,
					       "the xz data needs too much memory to decompress")
				     : damaged(err);
		else
			rc = put_out(stream, OUT_BYTES - xz.avail_out, err);
	}
	lzma_end(&xz);
	return rc;
}

int stream_inflate(const struct stream_inflate *inflate, struct err *err)
{
	static int (*const methods[])(struct run *, struct err *) = {
		[STREAM_ZLIB] = run_zlib,
		[STREAM_GZIP] = run_gzip,
		[STREAM_ZSTD] = run_zstd,
		[STREAM_XZ] = run_xz,
	};
	_cleanup_free_ uint8_t *out = xmalloc(OUT_BYTES);
	struct run stream = { .inflate = inflate, .out = out };

	return methods[inflate->method](&stream, err);
}

enum {
	ZSTD_OUT_BYTES = 128 * 1024,
	ZSTD_FREE_BYTES = 16 * 1024 * 1024, /* the ratio applies above this */
};

struct stream_zstd {
	ZSTD_DStream *zstd;
	uint64_t in_total, out_total;
	unsigned most_ratio;
	uint8_t out[ZSTD_OUT_BYTES];
};

struct stream_zstd *stream_zstd_new(unsigned most_ratio)
{
	struct stream_zstd *stream = xcalloc(1, sizeof(*stream));

	stream->most_ratio = most_ratio;
	stream->zstd = new_zstd();
	return stream;
}

void stream_zstd_free(struct stream_zstd *stream)
{
	if (!stream)
		return;
	ZSTD_freeDStream(stream->zstd);
	free(stream);
}

int stream_zstd_feed(struct stream_zstd *stream, const void *bytes, size_t size, stream_sink sink,
		     void *context, struct err *err)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_outBuffer out = { stream->out, ZSTD_OUT_BYTES, ZSTD_OUT_BYTES };

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
		if (stream->out_total > ZSTD_FREE_BYTES + stream->in_total * stream->most_ratio)
			return err_set(err, -EFBIG,
				       "the compressed data expands to more than the limit");
		sunk = sink(context, stream->out, out.pos);
		if (sunk < 0)
			return sunk;
	}
	return 0;
}

enum {
	GZIP_OUT_BYTES = 64 * 1024,
	GZIP_LEVEL = 1,		    /* others take several times as long to save a few percent */
	GZIP_WINDOW_BITS = 15 + 16, /* plus 16: zlib writes a gzip header and trailer */
	GZIP_MEMORY_LEVEL = 8,
};

struct stream_gzip {
	FILE *out;
	z_stream z;
	unsigned char bytes[GZIP_OUT_BYTES];
};

struct stream_gzip *stream_gzip_new(FILE *out)
{
	struct stream_gzip *stream = xcalloc(1, sizeof(*stream));

	stream->out = out;
	/* The only possible failure is lack of memory. */
	if (deflateInit2(&stream->z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, GZIP_MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		xmalloc(SIZE_MAX);
	return stream;
}

void stream_gzip_free(struct stream_gzip *stream)
{
	if (!stream)
		return;
	deflateEnd(&stream->z);
	free(stream);
}

static int deflate_step(struct stream_gzip *stream, int flush)
{
	int status;

	stream->z.next_out = stream->bytes;
	stream->z.avail_out = GZIP_OUT_BYTES;
	status = deflate(&stream->z, flush);
	fwrite(stream->bytes, 1, GZIP_OUT_BYTES - stream->z.avail_out, stream->out);
	return status;
}

void stream_gzip_add(struct stream_gzip *stream, const void *bytes, size_t size)
{
	while (size > 0) {
		size_t piece = size < INT_MAX ? size : INT_MAX;

		stream->z.next_in = (Bytef *)(uintptr_t)bytes;
		stream->z.avail_in = (uInt)piece;
		while (stream->z.avail_in > 0)
			deflate_step(stream, Z_NO_FLUSH);
		bytes = (const char *)bytes + piece;
		size -= piece;
	}
}

void stream_gzip_finish(struct stream_gzip *stream)
{
	stream->z.avail_in = 0;
	while (deflate_step(stream, Z_FINISH) == Z_OK)
		;
}
