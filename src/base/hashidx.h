/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index from hashes to small ids of things in a caller's array (strings, frames, stacks). It
 * stores only (hash, id) pairs and asks the caller whether an id is the wanted one. Open
 * addressing, power-of-two size, at most 2/3 full. No deletion.
 */
#ifndef BASE_HASHIDX_H
#define BASE_HASHIDX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashidx {
	struct hashidx_slot *slots;
	size_t size; /* slots: 0 or a power of two */
	size_t count;
};

/* True if the item @id (an index into the owner's array) equals @key. */
typedef bool (*hashidx_equal)(const void *owner, uint32_t id, const void *key);

/* True, with *ret_id set, if an id with this hash equals @key. */
bool hashidx_find(const struct hashidx *index, uint64_t hash, hashidx_equal equal,
		  const void *owner, const void *key, uint32_t *ret_id);
/* Adds an id that hashidx_find did not find. */
void hashidx_add(struct hashidx *index, uint64_t hash, uint32_t id);
void hashidx_done(struct hashidx *index);

/* For callers that look up many scattered keys. The first prefetches the slot where hashidx_find
 * will start. The second returns the id that hashidx_find will probably find, so that the caller
 * can prefetch its own data (false: the slot where the hash belongs does not hold it). Neither
 * changes anything. */
void hashidx_fetch(const struct hashidx *index, uint64_t hash);
bool hashidx_guess(const struct hashidx *index, uint64_t hash, uint32_t *ret_id);

/* 64-bit mixing (the finaliser of splitmix64) and bytes (FNV-1a, then mixed). */
uint64_t hash_u64(uint64_t value);
uint64_t hash_combine(uint64_t hash, uint64_t value);
uint64_t hash_bytes(const void *bytes, size_t size);

/* Defines the hashidx_equal @name for the array @list of an @owner_type: @test is an
 * expression in @a and @b, pointers to the item and to the key, a @key_type. */
#define DEFINE_EQUAL(name, owner_type, list, key_type, test)              \
	static bool name(const void *owner, uint32_t id, const void *key) \
	{                                                                 \
		const typeof(*((const owner_type *)owner)->list) *a =     \
			&((const owner_type *)owner)->list[id];           \
		const key_type *b = key;                                  \
                                                                          \
		return test;                                              \
	}

#endif
