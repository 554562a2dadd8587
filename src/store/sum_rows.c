/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sum_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "store/pages.h"
#include "store/schema.h"
#include "store/sql.h"

static bool same_key(const struct sum *a, const struct sum *b)
{
	return a->id == b->id && a->event == b->event && a->mode == b->mode &&
	       a->context == b->context;
}

static bool sum_equal(const void *owner, uint32_t id, const void *key)
{
	return same_key(&((const struct sums_of_kind *)owner)->rows.items[id], key);
}

static uint64_t sum_hash(const struct sum *sum)
{
	return hash_u64((uint64_t)sum->id << 24 | (uint64_t)sum->event << 16 |
			(uint64_t)sum->mode << 8 | sum->context);
}

/* Searches only the last rows, which have all sums of an id if ids come in order. */
static struct sum *find_last(struct sums_of_kind *sums, const struct sum *key)
{
	for (size_t i = sums->rows.count; i-- > 0 && sums->rows.items[i].id == key->id;) {
		if (same_key(&sums->rows.items[i], key))
			return &sums->rows.items[i];
	}
	return NULL;
}

/* Finds or makes the sum with this key. @ordered: ids come in order. */
static struct sum *find_sum(struct sums_of_kind *sums, const struct sum *key, bool ordered)
{
	struct sum *last = find_last(sums, key);
	uint64_t hash = sum_hash(key);
	uint32_t at;

	if (last)
		return last;
	if (ordered) {
		last = vec_push(&sums->rows);
		*last = *key;
		return last;
	}
	if (!hashidx_find(&sums->index, hash, sum_equal, sums, key, &at)) {
		at = (uint32_t)sums->rows.count;
		*vec_push(&sums->rows) = *key;
		hashidx_add(&sums->index, hash, at);
	}
	return &sums->rows.items[at];
}

static void add(struct sums_of_kind *sums, const struct sum *row, bool ordered)
{
	struct sum key = *row;
	struct sum *sum;

	key.samples = key.weight = 0;
	sum = find_sum(sums, &key, ordered);
	sum->samples += row->samples;
	sum->weight += row->weight;
}

static int by_key(const void *left, const void *right)
{
	const struct sum *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->mode != b->mode)
		return a->mode < b->mode ? -1 : 1;
	return a->context < b->context ? -1 : a->context > b->context;
}

struct reading {
	struct sum_rows *rows;
	enum sum_kind kind;
};

/* One row of total; its values may be anything. */
static int take_total(const struct reading *reading, uint64_t stack, uint64_t task, struct sum row)
{
	struct sum_rows *rows = reading->rows;

	if (reading->kind == SUM_FRAME && stack >= rows->frame_count)
		return -EBADMSG;
	row.id = reading->kind == SUM_FRAME  ? rows->frames[stack]
		 : reading->kind == SUM_TASK ? (uint32_t)task
					     : (uint32_t)stack;
	if (reading->kind == SUM_STACK)
		row.mode = row.context = 0;
	add(&rows->kinds[reading->kind], &row, reading->kind == SUM_STACK);
	return 0;
}

static int visit_total(void *context, struct page_row *row)
{
	uint64_t stack, task, event, mode, word, samples;
	int64_t weight;

	if (!page_row_at_most(row, UINT32_MAX, &stack) ||
	    !page_row_at_most(row, UINT32_MAX, &task) ||
	    !page_row_at_most(row, UINT8_MAX, &event) || !page_row_at_most(row, UINT8_MAX, &mode) ||
	    !page_row_at_most(row, UINT8_MAX, &word) ||
	    !page_row_at_most(row, INT64_MAX, &samples) || !page_row_integer(row, &weight))
		return -EBADMSG;
	return take_total(context, stack, task,
			  (struct sum){ .event = (uint8_t)event,
					.mode = (uint8_t)mode,
					.context = (uint8_t)word,
					.samples = samples,
					.weight = (uint64_t)weight });
}

static int step_total(const struct reading *reading, sqlite3_stmt *stmt)
{
	uint64_t stack, task, event, mode, word, samples, weight;

	if (!sql_column_at_most(stmt, 0, UINT32_MAX, &stack) ||
	    !sql_column_at_most(stmt, 1, UINT32_MAX, &task) ||
	    !sql_column_at_most(stmt, 2, UINT8_MAX, &event) ||
	    !sql_column_at_most(stmt, 3, UINT8_MAX, &mode) ||
	    !sql_column_at_most(stmt, 4, UINT8_MAX, &word) ||
	    !sql_column_at_most(stmt, 5, INT64_MAX, &samples) || !sql_column_u64(stmt, 6, &weight))
		return -EBADMSG;
	return take_total(reading, stack, task,
			  (struct sum){ .event = (uint8_t)event,
					.mode = (uint8_t)mode,
					.context = (uint8_t)word,
					.samples = samples,
					.weight = weight });
}

static int read_total_by_sql(const struct reading *reading, sqlite3 *db)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "SELECT stack, task, event, mode, context, samples, weight FROM total "
			     "ORDER BY stack",
			     &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0)
		rc = step_total(reading, stmt);
	return rc;
}

static void forget(struct sums_of_kind *sums)
{
	vec_free(&sums->rows);
	hashidx_done(&sums->index);
}

static int read_total(struct reading *reading, sqlite3 *db)
{
	int rc = PAGES_ODD;

	if (!reading->rows->temporary)
		rc = pages_each(db, "total",
				"stack,task,event,mode,context,samples,weight,weight_squared",
				visit_total, reading);
	if (!rc)
		return 0;
	/* If the pages are odd or wrong, ask SQLite, which knows better. */
	forget(&reading->rows->kinds[reading->kind]);
	return read_total_by_sql(reading, db);
}

static int take_stack(struct sum_rows *rows, uint64_t id, uint64_t frame)
{
	if (id >= rows->frame_count)
		return -EBADMSG;
	rows->frames[id] = (uint32_t)frame;
	return 0;
}

static int visit_stack(void *context, struct page_row *row)
{
	uint64_t up, frame;

	if (row->id < 0 || !page_row_null(row) || !page_row_at_most(row, UINT32_MAX, &up) ||
	    !page_row_at_most(row, UINT32_MAX, &frame))
		return -EBADMSG;
	return take_stack(context, (uint64_t)row->id, frame);
}

static int read_stacks_by_sql(struct sum_rows *rows, sqlite3 *db)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t id, frame;
	int rc = sql_prepare(db, "SELECT id, frame FROM main.stack", &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0) {
		if (!sql_column_at_most(stmt, 0, UINT32_MAX, &id) ||
		    !sql_column_at_most(stmt, 1, UINT32_MAX, &frame))
			return -EBADMSG;
		rc = take_stack(rows, id, frame);
	}
	return rc;
}

/* The innermost frame of each stack. */
static int read_stacks(struct sum_rows *rows, sqlite3 *db)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t last = 0;
	int rc = sql_prepare(db, "SELECT max(id) FROM main.stack", &stmt);

	if (!rc)
		rc = sql_step(stmt);
	if (rc <= 0 || !sql_column_at_most(stmt, 0, SCHEMA_MAX_STACKS, &last))
		return rc < 0 ? rc : -EBADMSG;
	rows->frame_count = last + 1;
	rows->frames = xcalloc(rows->frame_count, sizeof(*rows->frames));
	rc = pages_each(db, "stack", "id,up,frame", visit_stack, rows);
	if (rc)
		rc = read_stacks_by_sql(rows, db);
	if (rc)
		free(steal_ptr(rows->frames));
	return rc;
}

static bool is_sorted(const struct sums_of_kind *sums)
{
	for (size_t i = 1; i < sums->rows.count; i++) {
		if (by_key(&sums->rows.items[i - 1], &sums->rows.items[i]) > 0)
			return false;
	}
	return true;
}

int sum_rows_read(struct sum_rows *rows, enum sum_kind kind, sqlite3 *db)
{
	struct sums_of_kind *sums = &rows->kinds[kind];
	struct reading reading = { rows, kind };
	int rc = 0;

	if (sums->known)
		return 0;
	if (kind == SUM_FRAME && !rows->frames)
		rc = read_stacks(rows, db);
	if (!rc)
		rc = read_total(&reading, db);
	if (rc) {
		forget(sums);
		return rc;
	}
	hashidx_done(&sums->index);
	if (!is_sorted(sums))
		qsort(sums->rows.items, sums->rows.count, sizeof(*sums->rows.items), by_key);
	sums->known = true;
	return 0;
}

void sum_rows_done(struct sum_rows *rows)
{
	for (int kind = 0; kind < SUM_KINDS; kind++)
		forget(&rows->kinds[kind]);
	free(rows->frames);
}
