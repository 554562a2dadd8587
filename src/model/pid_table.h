/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table from a pid or tid to an object of the caller's. It supports deletion, so it stays as
 * small as the set of living tasks. Zero-initialised is empty.
 */
#ifndef MODEL_PID_TABLE_H
#define MODEL_PID_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct pid_table {
	struct pid_table_slot *slots;
	size_t size; /* slots: 0 or a power of two */
	size_t count;
};

/* The object of the key, borrowed; NULL: no such key. */
void *pid_table_find(const struct pid_table *table, int32_t key);
/* Adds the key or replaces its object, which is not NULL and stays the caller's. */
void pid_table_put(struct pid_table *table, int32_t key, void *object);
/* An unknown key is fine. */
void pid_table_remove(struct pid_table *table, int32_t key);
/* Returns every object once, in no order, then NULL. *cursor starts at 0. The table must not change
 * during the walk. */
void *pid_table_next(const struct pid_table *table, size_t *cursor);
void pid_table_done(struct pid_table *table);

#endif
