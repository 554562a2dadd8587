/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hashidx.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* Half of the hash is stored: it chooses the slot, also when the table grows, and avoids most calls
 * of equal(). */
struct hashidx_slot {
	uint32_t hash;
	uint32_t id_plus_1; /* 0: free */
};

static uint32_t fold(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

/* The slot of @key. With equal NULL: the first free slot for the hash. */
static struct hashidx_slot *probe(const struct hashidx *index, uint32_t hash, hashidx_equal equal,
				  const void *owner, const void *key)
{
	size_t mask = index->size - 1;
	size_t at = hash & mask;

	for (;; at = (at + 1) & mask) {
		struct hashidx_slot *slot = &index->slots[at];

		if (!slot->id_plus_1)
			return slot;
		if (equal && slot->hash == hash && equal(owner, slot->id_plus_1 - 1, key))
			return slot;
	}
}

bool hashidx_find(const struct hashidx *index, uint64_t hash, hashidx_equal equal,
		  const void *owner, const void *key, uint32_t *ret_id)
{
	const struct hashidx_slot *slot;

	if (!index->size)
		return false;
	slot = probe(index, fold(hash), equal, owner, key);
	if (!slot->id_plus_1)
		return false;
	*ret_id = slot->id_plus_1 - 1;
	return true;
}

static void grow(struct hashidx *index)
{
	struct hashidx old = *index;

	index->size = old.size ? old.size * 2 : 64;
	index->slots = xcalloc(index->size, sizeof(*index->slots));
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i].id_plus_1)
			*probe(index, old.slots[i].hash, NULL, NULL, NULL) = old.slots[i];
	}
	free(old.slots);
}

void hashidx_add(struct hashidx *index, uint64_t hash, uint32_t id)
{
	struct hashidx_slot *slot;

	if (index->count + 1 > index->size / 3 * 2)
		grow(index);
	slot = probe(index, fold(hash), NULL, NULL, NULL);
	slot->hash = fold(hash);
	slot->id_plus_1 = id + 1;
	index->count++;
}

void hashidx_fetch(const struct hashidx *index, uint64_t hash)
{
	if (index->size)
		__builtin_prefetch(&index->slots[fold(hash) & (index->size - 1)]);
}

bool hashidx_guess(const struct hashidx *index, uint64_t hash, uint32_t *ret_id)
{
	const struct hashidx_slot *slot;

	if (!index->size)
		return false;
	slot = &index->slots[fold(hash) & (index->size - 1)];
	if (!slot->id_plus_1 || slot->hash != fold(hash))
		return false;
	*ret_id = slot->id_plus_1 - 1;
	return true;
}

void hashidx_done(struct hashidx *index)
{
	free(index->slots);
	*index = (struct hashidx){ 0 };
}

uint64_t hash_u64(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ value >> 27) * 0x94d049bb133111ebULL;
	return value ^ value >> 31;
}

uint64_t hash_combine(uint64_t hash, uint64_t value)
{
	return hash_u64(hash * 31 + value + 0x9e3779b97f4a7c15ULL);
}

uint64_t hash_bytes(const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3ULL;
	return hash_u64(hash);
}
