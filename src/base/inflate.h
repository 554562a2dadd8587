/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompresses parts of ELF files: zlib and zstd (ELF gABI "Section Compression"), xz
 * (.gnu_debugdata); and gzip (pprof profiles). The output goes to a sink piece by piece, so that it
 * need not fit in memory.
 */
#ifndef BASE_INFLATE_H
#define BASE_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum inflate_method {
	INFLATE_ZLIB, /* RFC 1950 */
	INFLATE_GZIP, /* RFC 1952, any number of members */
	INFLATE_ZSTD, /* RFC 8878 */
	INFLATE_XZ,   /* the .xz file format */
};

/* Takes the next piece of output. Returns 0 or a negative errno, which ends the run. */
typedef int (*inflate_sink)(void *context, const void *bytes, size_t size);
/* Returns the next piece of input, borrowed until the next call; *ret_size 0: the end. */
typedef int (*inflate_source)(void *context, const void **ret_bytes, size_t *ret_size);

struct inflate {
	enum inflate_method method;
	inflate_source source;
	void *source_context;
	inflate_sink sink;
	void *sink_context;
	uint64_t most_bytes; /* of output: more is -EFBIG */
};

/* -EBADMSG: the data is damaged or truncated; -ENOMEM: it needs too much memory. */
int inflate_run(const struct inflate *inflate, struct err *err);

#endif
