/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/pid_table.h"

#include <stdlib.h>

#include "base/hashidx.h"
#include "base/xalloc.h"

enum { FIRST_SIZE = 64 };

/* Open addressing with linear probing. */
struct pid_table_slot {
	int32_t key;
	void *object; /* NULL: free */
};

static size_t home(const struct pid_table *table, int32_t key)
{
	return hash_u64((uint32_t)key) & (table->size - 1);
}

/* The slot that holds the key, or the free one where it belongs. */
static struct pid_table_slot *probe(const struct pid_table *table, int32_t key)
{
	size_t at = home(table, key);

	while (table->slots[at].object && table->slots[at].key != key)
		at = (at + 1) & (table->size - 1);
	return &table->slots[at];
}

void *pid_table_find(const struct pid_table *table, int32_t key)
{
	return table->size ? probe(table, key)->object : NULL;
}

static void grow(struct pid_table *table)
{
	struct pid_table old = *table;

	table->size = old.size ? old.size * 2 : FIRST_SIZE;
	table->slots = xcalloc(table->size, sizeof(*table->slots));
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i].object)
			*probe(table, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

void pid_table_put(struct pid_table *table, int32_t key, void *object)
{
	struct pid_table_slot *slot;

	if ((table->count + 1) * 3 > table->size * 2)
		grow(table);
	slot = probe(table, key);
	table->count += !slot->object;
	*slot = (struct pid_table_slot){ .key = key, .object = object };
}

/* Moves later entries of the probe sequence back into the gap, so no tombstone is needed. */
void pid_table_remove(struct pid_table *table, int32_t key)
{
	size_t mask = table->size - 1;
	size_t gap, at;

	if (!pid_table_find(table, key))
		return;
	gap = (size_t)(probe(table, key) - table->slots);
	for (at = (gap + 1) & mask; table->slots[at].object; at = (at + 1) & mask) {
		size_t wish = home(table, table->slots[at].key);

		if (((at - wish) & mask) < ((at - gap) & mask))
			continue;
		table->slots[gap] = table->slots[at];
		gap = at;
	}
	table->slots[gap].object = NULL;
	table->count--;
}

void *pid_table_next(const struct pid_table *table, size_t *cursor)
{
	while (*cursor < table->size) {
		void *object = table->slots[(*cursor)++].object;

		if (object)
			return object;
	}
	return NULL;
}

void pid_table_done(struct pid_table *table)
{
	free(table->slots);
	*table = (struct pid_table){ 0 };
}
