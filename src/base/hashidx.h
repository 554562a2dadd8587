/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index from a hash to small ids, for things that live in somebody else's array (strings,
 * frames, stacks): it stores (hash, id) pairs only and asks back whether an id is the wanted one.
 * Open addressing, power-of-two size, at most 2/3 full. No deletion.
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

/* Is @id (an index into the owner's array) equal to @key? */
typedef bool (*hashidx_equal)(const void *owner, uint32_t id, const void *key);

/* Returns true and *ret_id when an id with this hash is equal to @key. */
bool hashidx_find(const struct hashidx *index, uint64_t hash, hashidx_equal equal,
		  const void *owner, const void *key, uint32_t *ret_id);
/* Adds an id that hashidx_find did not find. */
void hashidx_add(struct hashidx *index, uint64_t hash, uint32_t id);
void hashidx_done(struct hashidx *index);

/* For whoever looks up many that lie all over the memory: begins to fetch what hashidx_find will
 * look at first, and says what hashidx_find will probably return (false: nothing with this hash is
 * where it belongs), so that the owner's own data can be fetched too. Neither changes anything. */
void hashidx_fetch(const struct hashidx *index, uint64_t hash);
bool hashidx_guess(const struct hashidx *index, uint64_t hash, uint32_t *ret_id);

/* 64-bit mixing (the finaliser of splitmix64) and bytes (FNV-1a, then mixed). */
uint64_t hash_u64(uint64_t value);
uint64_t hash_combine(uint64_t hash, uint64_t value);
uint64_t hash_bytes(const void *bytes, size_t size);

#endif
