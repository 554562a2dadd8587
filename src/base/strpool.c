/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strpool.h"

#include <string.h>

#include "base/xalloc.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct text {
	const char *bytes;
	size_t length;
};

static bool equal(const void *owner, uint32_t id, const void *key)
{
	const struct strpool *pool = owner;
	const struct text *text = key;
	const char *have = pool->strings.items[id];

	return strncmp(have, text->bytes, text->length) == 0 && have[text->length] == '\0';
}

static char *store(struct strpool *pool, const char *bytes, size_t length)
{
	char *place;

	if (pool->block_size - pool->block_used < length + 1) {
		pool->block_size = length + 1 > BLOCK_BYTES ? length + 1 : BLOCK_BYTES;
		pool->block_used = 0;
		*vec_push(&pool->blocks) = xmalloc(pool->block_size);
	}
	place = pool->blocks.items[pool->blocks.count - 1] + pool->block_used;
	memcpy(place, bytes, length);
	place[length] = '\0';
	pool->block_used += length + 1;
	return place;
}

static str_id add(struct strpool *pool, const struct text *text, uint64_t hash)
{
	str_id id = (str_id)pool->strings.count;
	char *stored = store(pool, text->bytes, text->length);

	*vec_push(&pool->strings) = stored;
	hashidx_add(&pool->index, hash, id);
	return id;
}

str_id strpool_intern_n(struct strpool *pool, const char *text, size_t length)
{
	struct text wanted = { text, strnlen(text, length) };
	uint64_t hash = hash_bytes(wanted.bytes, wanted.length);
	str_id id;

	if (!pool->strings.count)
		add(pool, &(struct text){ "", 0 }, hash_bytes("", 0));
	if (hashidx_find(&pool->index, hash, equal, pool, &wanted, &id))
		return id;
	return add(pool, &wanted, hash);
}

str_id strpool_intern(struct strpool *pool, const char *text)
{
	return strpool_intern_n(pool, text, strlen(text));
}

const char *strpool_get(const struct strpool *pool, str_id id)
{
	return id < pool->strings.count ? pool->strings.items[id] : "";
}

size_t strpool_count(const struct strpool *pool)
{
	return pool->strings.count;
}

void strpool_done(struct strpool *pool)
{
	for (size_t i = 0; i < pool->blocks.count; i++)
		free(pool->blocks.items[i]);
	vec_free(&pool->blocks);
	vec_free(&pool->strings);
	hashidx_done(&pool->index);
	*pool = (struct strpool){ 0 };
}
