/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sums.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "store/sql.h"

static uint64_t total_hash(const struct total *total)
{
	uint64_t kind = (uint64_t)total->event << 16 | (uint64_t)total->mode << 8 | total->context;

	return hash_combine(hash_u64((uint64_t)total->stack << 32 | total->task), kind);
}

static bool total_equal(const void *owner, uint32_t id, const void *key)
{
	const struct total *a = &((const struct sums *)owner)->totals.rows.items[id];
	const struct total *b = key;

	return a->stack == b->stack && a->task == b->task && a->event == b->event &&
	       a->mode == b->mode && a->context == b->context;
}

/* Finds or makes the sum with the task, stack, event, mode and context of *key. */
static struct total *find_total(struct sums *sums, const struct total *key)
{
	uint64_t hash = total_hash(key);
	uint32_t id;

	if (!hashidx_find(&sums->total_index, hash, total_equal, sums, key, &id)) {
		id = (uint32_t)sums->totals.rows.count;
		*vec_push(&sums->totals.rows) = (struct total){ .task = key->task,
								.stack = key->stack,
								.event = key->event,
								.mode = key->mode,
								.context = key->context };
		hashidx_add(&sums->total_index, hash, id);
	}
	return &sums->totals.rows.items[id];
}

void sums_add_total(struct sums *sums, const struct total *total)
{
	struct total *sum = find_total(sums, total);

	sum->samples += total->samples;
	sum->weight += total->weight;
	sum->weight_squared += total->weight_squared;
}

static bool second_equal(const void *owner, uint32_t id, const void *key)
{
	const struct second_sum *a = &((const struct sums *)owner)->seconds.items[id];
	const struct second_sum *b = key;

	return a->second == b->second && a->cpu == b->cpu && a->event == b->event &&
	       a->mode == b->mode;
}

static struct second_sum *find_second(struct sums *sums, const struct sample *sample)
{
	struct second_sum key = { .second = sample->time_ns / NS_PER_S,
				  .cpu = sample->cpu,
				  .event = sample->event,
				  .mode = sample->mode };
	uint64_t hash = hash_combine(key.second,
				     (uint64_t)key.cpu << 16 | (uint64_t)key.event << 8 | key.mode);
	uint32_t id;

	if (!hashidx_find(&sums->second_index, hash, second_equal, sums, &key, &id)) {
		id = (uint32_t)sums->seconds.count;
		*vec_push(&sums->seconds) = key;
		hashidx_add(&sums->second_index, hash, id);
	}
	return &sums->seconds.items[id];
}

void sums_add(struct sums *sums, const struct sample *sample)
{
	struct second_sum *second = find_second(sums, sample);
	struct total one = { .task = sample->task,
			     .stack = sample->stack,
			     .event = sample->event,
			     .mode = sample->mode,
			     .context = sample->context,
			     .samples = 1,
			     .weight = sample->weight,
			     .weight_squared = (double)sample->weight * (double)sample->weight };

	sums_add_total(sums, &one);
	second->samples++;
	second->weight += sample->weight;
	sums->samples++;
}

/* Compares by the first columns of the table's key; the others do not matter for speed. */
static int compare_totals(const void *a, const void *b)
{
	const struct total *left = *(const struct total *const *)a;
	const struct total *right = *(const struct total *const *)b;

	if (left->stack != right->stack)
		return left->stack < right->stack ? -1 : 1;
	return left->task < right->task ? -1 : left->task > right->task;
}

/* Sorts the totals as the table does, so neighbours in the file are written one after the other. */
static const struct total **in_order(const struct totals *totals)
{
	const struct total **order = xmalloc((totals->rows.count + 1) * sizeof(*order));

	for (size_t i = 0; i < totals->rows.count; i++)
		order[i] = &totals->rows.items[i];
	qsort(order, totals->rows.count, sizeof(*order), compare_totals);
	return order;
}

static int write_total(sqlite3_stmt *stmt, const struct total *total)
{
	sql_bind_u64(stmt, 1, total->stack);
	sql_bind_u64(stmt, 2, total->task);
	sql_bind_u64(stmt, 3, total->event);
	sql_bind_u64(stmt, 4, total->mode);
	sql_bind_u64(stmt, 5, total->context);
	sql_bind_u64(stmt, 6, total->samples);
	sql_bind_u64(stmt, 7, total->weight);
	sqlite3_bind_double(stmt, 8, total->weight_squared);
	return sql_run(stmt);
}

static int write_totals(const struct totals *totals, sqlite3 *db)
{
	_cleanup_free_ const struct total **order = in_order(totals);
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "INSERT INTO total VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
			     "ON CONFLICT DO UPDATE SET samples = samples + ?6, "
			     "weight = weight + ?7, weight_squared = weight_squared + ?8",
			     &stmt);

	for (size_t i = 0; !rc && i < totals->rows.count; i++)
		rc = write_total(stmt, order[i]);
	return rc;
}

static int write_seconds(const struct sums *sums, sqlite3 *db)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "INSERT INTO second VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO "
			     "UPDATE SET samples = samples + ?5, weight = weight + ?6",
			     &stmt);

	for (size_t i = 0; !rc && i < sums->seconds.count; i++) {
		const struct second_sum *second = &sums->seconds.items[i];

		sql_bind_u64(stmt, 1, second->second);
		sql_bind_u64(stmt, 2, second->cpu);
		sql_bind_u64(stmt, 3, second->event);
		sql_bind_u64(stmt, 4, second->mode);
		sql_bind_u64(stmt, 5, second->samples);
		sql_bind_u64(stmt, 6, second->weight);
		rc = sql_run(stmt);
	}
	return rc;
}

int sums_write(const struct sums *sums, sqlite3 *db)
{
	int rc = write_totals(&sums->totals, db);

	return rc ? rc : write_seconds(sums, db);
}

void sums_done(struct sums *sums)
{
	vec_free(&sums->totals.rows);
	vec_free(&sums->seconds);
	hashidx_done(&sums->total_index);
	hashidx_done(&sums->second_index);
	sums->samples = 0;
}
