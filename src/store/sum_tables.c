/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sum_tables.h"

#include <errno.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/xalloc.h"
#include "store/sql.h"
#include "store/sum_rows.h"

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

struct sum_tables {
	struct sum_rows rows;
};

/* The context of sqlite3_create_module_v2. */
struct module_facts {
	struct sum_tables *tables;
	enum sum_kind kind;
};

struct sum_tables *sum_tables_new(bool temporary)
{
	struct sum_tables *tables = xcalloc(1, sizeof(*tables));

	tables->rows.temporary = temporary;
	return tables;
}

void sum_tables_free(struct sum_tables *tables)
{
	if (!tables)
		return;
	sum_rows_done(&tables->rows);
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
	struct sum_rows *rows = &table->facts.tables->rows;
	int rc = sum_rows_read(rows, table->facts.kind, table->db);

	(void)plan;
	if (rc == -EINTR || sqlite3_errcode(table->db) == SQLITE_INTERRUPT)
		return SQLITE_INTERRUPT;
	if (rc) {
		sqlite3_free(base->pVtab->zErrMsg);
		base->pVtab->zErrMsg = sqlite3_mprintf("invalid row in table total or stack");
		return SQLITE_CORRUPT_VTAB;
	}
	cursor->sums = &rows->kinds[table->facts.kind];
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
