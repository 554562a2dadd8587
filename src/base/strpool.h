/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interned strings: equal texts have equal ids, ids are dense from 0, and 0 is the empty string. */
#ifndef BASE_STRPOOL_H
#define BASE_STRPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"

typedef uint32_t str_id;

struct strpool {
	struct hashidx index;
	VEC(char *) strings; /* each owned by the pool's blocks, NUL-terminated, never moves */
	VEC(char *) blocks;
	size_t block_used;
	size_t block_size;
};

/* A zeroed pool is ready for use. */
str_id strpool_intern(struct strpool *pool, const char *text);
/* @text need not be terminated; a NUL inside ends it. */
str_id strpool_intern_n(struct strpool *pool, const char *text, size_t length);
/* Borrowed until strpool_done. An unknown id gives "". */
const char *strpool_get(const struct strpool *pool, str_id id);
/* How many ids there are (valid: 0 .. count-1); 0 only before the first intern. */
size_t strpool_count(const struct strpool *pool);
void strpool_done(struct strpool *pool);

#endif
