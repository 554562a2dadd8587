/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sql/query_names.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/hashidx.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "store/pages.h"
#include "store/schema.h"
#include "store/sql.h"

/* ---- the sums ---- */

enum sum_kind {
	SUM_FRAME, /* by innermost frame */
	SUM_TASK,
	SUM_STACK,
	SUM_KINDS,
};

struct sum {
	uint32_t id;		      /* of the frame, task or stack */
	uint8_t event, mode, context; /* the last two are 0 for stacks */
	uint64_t samples, weight;
};

struct sums_of_kind {
	bool known;
	VEC(struct sum) rows; /* by id, event, mode, context */
	struct hashidx index; /* only while rows are added */
};

struct sum_tables {
	bool temporary; /* total is a TEMP table, not part of the file */
	struct sums_of_kind kinds[SUM_KINDS];
	uint32_t *frames; /* by stack; NULL: not read yet */
	size_t frame_count;
};

static bool same_key(const struct sum *a, const struct sum *b)
{
	return a->id == b->id && a->event == b->event && a->mode == b->mode &&
	       a->context == b->context;
}

DEFINE_EQUAL(sum_equal, struct sums_of_kind, rows.items, struct sum, same_key(a, b))

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

DEFINE_ORDER(by_key, struct sum,
	     COMPARE(a->id, b->id) ?: COMPARE(a->event, b->event) ?: COMPARE(a->mode, b->mode) ?:
	     COMPARE(a->context, b->context))

struct reading {
	struct sum_tables *tables;
	enum sum_kind kind;
};

/* One row of total; its values may be anything. */
static int take_total(const struct reading *reading, uint64_t stack, uint64_t task, struct sum row)
{
	struct sum_tables *tables = reading->tables;

	if (reading->kind == SUM_FRAME && stack >= tables->frame_count)
		return -EBADMSG;
	row.id = reading->kind == SUM_FRAME  ? tables->frames[stack]
		 : reading->kind == SUM_TASK ? (uint32_t)task
					     : (uint32_t)stack;
	if (reading->kind == SUM_STACK)
		row.mode = row.context = 0;
	add(&tables->kinds[reading->kind], &row, reading->kind == SUM_STACK);
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

	if (!reading->tables->temporary)
		rc = pages_each(db, "total",
				"stack,task,event,mode,context,samples,weight,weight_squared",
				visit_total, reading);
	if (!rc)
		return 0;
	/* If the pages are odd or wrong, ask SQLite, which knows better. */
	forget(&reading->tables->kinds[reading->kind]);
	return read_total_by_sql(reading, db);
}

static int take_stack(struct sum_tables *tables, uint64_t id, uint64_t frame)
{
	if (id >= tables->frame_count)
		return -EBADMSG;
	tables->frames[id] = (uint32_t)frame;
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

static int read_stacks_by_sql(struct sum_tables *tables, sqlite3 *db)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t id, frame;
	int rc = sql_prepare(db, "SELECT id, frame FROM main.stack", &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0) {
		if (!sql_column_at_most(stmt, 0, UINT32_MAX, &id) ||
		    !sql_column_at_most(stmt, 1, UINT32_MAX, &frame))
			return -EBADMSG;
		rc = take_stack(tables, id, frame);
	}
	return rc;
}

/* The innermost frame of each stack. */
static int read_stacks(struct sum_tables *tables, sqlite3 *db)
{
	uint64_t last = 0;
	int rc = sql_number(db, "SELECT max(id) FROM main.stack", &last);

	if (rc <= 0 || last > SCHEMA_MAX_STACKS)
		return rc < 0 ? rc : -EBADMSG;
	tables->frame_count = last + 1;
	tables->frames = xcalloc(tables->frame_count, sizeof(*tables->frames));
	rc = pages_each(db, "stack", "id,up,frame", visit_stack, tables);
	if (rc)
		rc = read_stacks_by_sql(tables, db);
	if (rc)
		free(steal_ptr(tables->frames));
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

/* Reads the sums of a kind, once. -EBADMSG: table total or stack is wrong. Other errors as
 * sql_step. */
static int read_sums(struct sum_tables *tables, enum sum_kind kind, sqlite3 *db)
{
	struct sums_of_kind *sums = &tables->kinds[kind];
	struct reading reading = { tables, kind };
	int rc = 0;

	if (sums->known)
		return 0;
	if (kind == SUM_FRAME && !tables->frames)
		rc = read_stacks(tables, db);
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

enum column {
	COLUMN_ID,
	COLUMN_EVENT,
	COLUMN_SAMPLES,
	COLUMN_WEIGHT,
	COLUMN_MODE,
	COLUMN_CONTEXT,
};

static const struct {
	const char *name;
	const char *declaration;
} kinds[SUM_KINDS] = {
	[SUM_FRAME] = { "frame_sum",
			"CREATE TABLE frame_sum(frame INTEGER, event INTEGER, samples INTEGER, "
			"weight INTEGER, mode INTEGER, context INTEGER)" },
	[SUM_TASK] = { "task_sum",
		       "CREATE TABLE task_sum(task INTEGER, event INTEGER, samples INTEGER, "
		       "weight INTEGER, mode INTEGER, context INTEGER)" },
	[SUM_STACK] = { "stack_sum", "CREATE TABLE stack_sum(stack INTEGER, event INTEGER, "
				     "samples INTEGER, weight INTEGER)" },
};

/* The context of sqlite3_create_module_v2. */
struct module_facts {
	struct sum_tables *tables;
	enum sum_kind kind;
};

struct sum_tables *sum_tables_new(bool temporary)
{
	struct sum_tables *tables = xcalloc(1, sizeof(*tables));

	tables->temporary = temporary;
	return tables;
}

void sum_tables_free(struct sum_tables *tables)
{
	if (!tables)
		return;
	for (int kind = 0; kind < SUM_KINDS; kind++)
		forget(&tables->kinds[kind]);
	free(tables->frames);
	free(tables);
}

struct sum_vtab {
	sqlite3_vtab base; /* must be first */
	sqlite3 *db;
	struct module_facts facts;
};

struct sum_cursor {
	sqlite3_vtab_cursor base; /* must be first */
	const struct sums_of_kind *sums;
	size_t at, end;
};

static int connect_table(sqlite3 *db, void *context, int argc, const char *const *argv,
			 sqlite3_vtab **ret_vtab, char **ret_message)
{
	const struct module_facts *facts = context;
	struct sum_vtab *table;
	int code = sqlite3_declare_vtab(db, kinds[facts->kind].declaration);

	(void)argc;
	(void)argv;
	(void)ret_message;
	if (code != SQLITE_OK)
		return code;
	/* Reading sums has no side effects, so our own views may use the tables in an untrusted
	 * file. */
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	table = xcalloc(1, sizeof(*table));
	table->db = db;
	table->facts = *facts;
	*ret_vtab = &table->base;
	return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *vtab)
{
	free(vtab);
	return SQLITE_OK;
}

static bool is_id(const struct sqlite3_index_constraint *constraint)
{
	return constraint->usable && constraint->iColumn == COLUMN_ID &&
	       constraint->op == SQLITE_INDEX_CONSTRAINT_EQ;
}

/* idxNum 1: the rows of one id. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	(void)vtab;
	info->estimatedCost = 1e6;
	info->estimatedRows = 100000;
	for (int i = 0; i < info->nConstraint && !info->idxNum; i++) {
		if (!is_id(&info->aConstraint[i]))
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->idxNum = 1;
		info->estimatedCost = 20;
		info->estimatedRows = 2;
	}
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret_cursor)
{
	struct sum_cursor *cursor = xcalloc(1, sizeof(*cursor));

	(void)vtab;
	*ret_cursor = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

/* Index of the first row whose id is at least @id. */
static size_t first_of(const struct sums_of_kind *sums, uint64_t id)
{
	return search_before(sums->rows.items, sums->rows.count, item, item->id < id);
}

/* SQLite compares again, so the window may be too wide. */
static void narrow(struct sum_cursor *cursor, sqlite3_value *value)
{
	sqlite3_int64 id = sqlite3_value_int64(value);

	if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER)
		return;
	cursor->at = id < 0 ? cursor->end : first_of(cursor->sums, (uint64_t)id);
	if (id >= 0)
		cursor->end = first_of(cursor->sums, (uint64_t)id + 1);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct sum_cursor *cursor = (struct sum_cursor *)base;
	const struct sum_vtab *table = (const struct sum_vtab *)base->pVtab;
	struct sum_tables *tables = table->facts.tables;
	int rc = read_sums(tables, table->facts.kind, table->db);

	(void)plan;
	if (rc == -EINTR || sqlite3_errcode(table->db) == SQLITE_INTERRUPT)
		return SQLITE_INTERRUPT;
	if (rc) {
		sqlite3_free(base->pVtab->zErrMsg);
		base->pVtab->zErrMsg = sqlite3_mprintf("invalid row in table total or stack");
		return SQLITE_CORRUPT_VTAB;
	}
	cursor->sums = &tables->kinds[table->facts.kind];
	cursor->at = 0;
	cursor->end = cursor->sums->rows.count;
	if (number == 1 && argc == 1)
		narrow(cursor, argv[0]);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	((struct sum_cursor *)base)->at++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	const struct sum_cursor *cursor = (const struct sum_cursor *)base;

	return cursor->at >= cursor->end;
}

static sqlite3_int64 column_number(const struct sum *sum, enum column column)
{
	switch (column) {
	case COLUMN_ID:
		return sum->id;
	case COLUMN_EVENT:
		return sum->event;
	case COLUMN_SAMPLES:
		return (sqlite3_int64)sum->samples;
	case COLUMN_WEIGHT:
		return (sqlite3_int64)sum->weight;
	case COLUMN_MODE:
		return sum->mode;
	default:
		return sum->context;
	}
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct sum_cursor *cursor = (const struct sum_cursor *)base;

	sqlite3_result_int64(
		context, column_number(&cursor->sums->rows.items[cursor->at], (enum column)number));
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *ret_id)
{
	*ret_id = (sqlite3_int64)((struct sum_cursor *)base)->at;
	return SQLITE_OK;
}

/* Without xCreate each table exists once, and CREATE VIRTUAL TABLE cannot make another. */
static const sqlite3_module module = {
	.iVersion = 1,
	.xConnect = connect_table,
	.xBestIndex = best_index,
	.xDisconnect = disconnect_table,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = at_end,
	.xColumn = column,
	.xRowid = row_id,
};

int sum_tables_register(struct sum_tables *tables, sqlite3 *db)
{
	int code = SQLITE_OK;

	for (int kind = 0; kind < SUM_KINDS && code == SQLITE_OK; kind++) {
		struct module_facts *facts = xcalloc(1, sizeof(*facts));

		*facts = (struct module_facts){ tables, (enum sum_kind)kind };
		code = sqlite3_create_module_v2(db, kinds[kind].name, &module, facts, free);
	}
	return sql_errno(db, code);
}
