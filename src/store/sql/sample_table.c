/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sql/query_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "store/layers.h"
#include "store/packed.h"
#include "store/schema.h"
#include "store/sql.h"

enum column {
	COLUMN_TIME_NS,
	COLUMN_TIME_S,
	COLUMN_SECOND,
	COLUMN_CPU,
	COLUMN_EVENT,
	COLUMN_MODE,
	COLUMN_CONTEXT,
	COLUMN_TASK,
	COLUMN_STACK,
	COLUMN_WEIGHT,
};

static const char declaration[] =
	"CREATE TABLE sample_row(time_ns INTEGER, time_s REAL, second INTEGER, cpu INTEGER, "
	"event INTEGER, mode INTEGER, context INTEGER, task INTEGER, stack INTEGER, "
	"weight INTEGER)";

/* SQLite checks all constraints again, so those beyond this number may be ignored. */
enum { MOST_CONSTRAINTS = 8 };

/* Large numbers are inexact as doubles: a window given by doubles is this much wider on each
 * side. */
#define SLACK_NS 4096.0

struct sample_table {
	sqlite3_vtab base; /* must be first */
	sqlite3 *db;
	const struct sample_table_facts *facts;
};

struct sample_cursor {
	sqlite3_vtab_cursor base; /* must be first */
	sqlite3_stmt *blocks;
	unsigned fields;	       /* that are unpacked: enum sample_field */
	struct packed_samples samples; /* of the cursor's block */
	size_t at;
	sqlite3_int64 row;
	uint64_t first_ns, last_ns; /* the window, both inclusive */
	bool end;
};

/* One constraint of the plan, as two letters of idxStr. */
struct constraint_kind {
	char letter;
	unsigned char op;
	bool is_lower, is_upper;
};

static const struct constraint_kind kinds[] = {
	{ '=', SQLITE_INDEX_CONSTRAINT_EQ, true, true },
	{ '>', SQLITE_INDEX_CONSTRAINT_GT, true, false },
	{ 'g', SQLITE_INDEX_CONSTRAINT_GE, true, false },
	{ '<', SQLITE_INDEX_CONSTRAINT_LT, false, true },
	{ 'l', SQLITE_INDEX_CONSTRAINT_LE, false, true },
};

static const struct constraint_kind *kind_of(unsigned char op)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].op == op)
			return &kinds[i];
	}
	return NULL;
}

static const struct constraint_kind *kind_by_letter(char letter)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].letter == letter)
			return &kinds[i];
	}
	return NULL;
}

static int connect_table(sqlite3 *db, void *context, int argc, const char *const *argv,
			 sqlite3_vtab **ret_vtab, char **ret_message)
{
	struct sample_table *table;
	int code = sqlite3_declare_vtab(db, declaration);

	(void)argc;
	(void)argv;
	(void)ret_message;
	if (code != SQLITE_OK)
		return code;
	/* Reading samples has no side effects, so our own views may use the table in an untrusted
	 * file. */
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	table = xcalloc(1, sizeof(*table));
	table->db = db;
	table->facts = context;
	*ret_vtab = &table->base;
	return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *vtab)
{
	free(vtab);
	return SQLITE_OK;
}

/* Fields to unpack for the columns of a statement, a bit each. */
static unsigned fields_of(sqlite3_uint64 columns)
{
	static const unsigned fields[] = {
		[COLUMN_TIME_NS] = SAMPLE_TIME,
		[COLUMN_TIME_S] = SAMPLE_TIME,
		[COLUMN_SECOND] = 0,
		[COLUMN_CPU] = SAMPLE_CPU,
		[COLUMN_EVENT] = 0,
		[COLUMN_MODE] = SAMPLE_MODE,
		[COLUMN_CONTEXT] = SAMPLE_CONTEXT,
		[COLUMN_TASK] = SAMPLE_TASK,
		[COLUMN_STACK] = SAMPLE_STACK,
		[COLUMN_WEIGHT] = 0,
	};
	unsigned wanted = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (columns >> i & 1)
			wanted |= fields[i];
	}
	return wanted;
}

/* Puts the constraints on time into idxStr, two letters each (column, comparison), and the needed
 * fields into idxNum. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct sample_table *table = (const struct sample_table *)vtab;
	double samples = (double)table->facts->samples;
	char *plan = sqlite3_malloc(2 * MOST_CONSTRAINTS + 1);
	int used = 0;

	if (!plan)
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint && used < MOST_CONSTRAINTS; i++) {
		const struct constraint_kind *kind = kind_of(info->aConstraint[i].op);

		if (!info->aConstraint[i].usable || !kind ||
		    info->aConstraint[i].iColumn < COLUMN_TIME_NS ||
		    info->aConstraint[i].iColumn > COLUMN_SECOND)
			continue;
		plan[2 * used] = (char)('a' + info->aConstraint[i].iColumn);
		plan[2 * used + 1] = kind->letter;
		info->aConstraintUsage[i].argvIndex = ++used;
		samples /=
			kind->is_lower && kind->is_upper ? (double)table->facts->blocks + 1.0 : 4.0;
	}
	plan[2 * used] = '\0';
	info->idxStr = plan;
	/* The window may begin or end within a second, so the times themselves are needed. */
	info->idxNum = (int)(fields_of(info->colUsed) | (used ? SAMPLE_TIME : 0));
	info->needToFreeIdxStr = 1;
	info->estimatedRows = (sqlite3_int64)samples + 1;
	info->estimatedCost = samples + 100.0;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret_cursor)
{
	struct sample_cursor *cursor = xcalloc(1, sizeof(*cursor));

	(void)vtab;
	*ret_cursor = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;

	sqlite3_finalize(cursor->blocks);
	vec_free(&cursor->samples.rows);
	free(cursor);
	return SQLITE_OK;
}

/* The nearest number from 0 to @most. */
static uint64_t clamp(double number, uint64_t most)
{
	if (!(number > 0))
		return 0;
	return number >= (double)most ? most : (uint64_t)number;
}

/* The first and last time at which @column can equal @value; rather too wide than too narrow. */
static void times_of(const struct sample_table_facts *facts, enum column column,
		     sqlite3_value *value, uint64_t *ret_first_ns, uint64_t *ret_last_ns)
{
	double number = sqlite3_value_double(value);
	uint64_t start_s = facts->start_ns / NS_PER_S;

	if (column == COLUMN_SECOND) {
		number = floor(number) + (double)start_s;
		*ret_first_ns = clamp(number, INT64_MAX / NS_PER_S - 1) * NS_PER_S;
		*ret_last_ns = *ret_first_ns + NS_PER_S - 1;
	} else if (column == COLUMN_TIME_NS && sqlite3_value_type(value) == SQLITE_INTEGER) {
		sqlite3_int64 exact = sqlite3_value_int64(value);

		*ret_first_ns = *ret_last_ns = exact > 0 ? (uint64_t)exact : 0;
	} else {
		if (column == COLUMN_TIME_S)
			number = (double)facts->start_ns + number * 1e9;
		*ret_first_ns = clamp(number - SLACK_NS, INT64_MAX);
		*ret_last_ns = clamp(number + SLACK_NS, INT64_MAX);
	}
}

/* Narrows the window by one constraint. */
static void narrow(struct sample_cursor *cursor, const struct sample_table_facts *facts,
		   enum column column, const struct constraint_kind *kind, sqlite3_value *value)
{
	int type = sqlite3_value_numeric_type(value);
	uint64_t first_ns, last_ns;

	/* NULL matches nothing. Text is greater than any number: SQLite decides. */
	if (type == SQLITE_NULL)
		cursor->end = true;
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
		return;
	times_of(facts, column, value, &first_ns, &last_ns);
	if (kind->is_lower && first_ns > cursor->first_ns)
		cursor->first_ns = first_ns;
	if (kind->is_upper && last_ns < cursor->last_ns)
		cursor->last_ns = last_ns;
}

/* Unpacks the current block of the statement. */
static int unpack(struct sample_cursor *cursor)
{
	sqlite3_vtab *vtab = cursor->base.pVtab;
	struct err why;

	if (layers_unpack_block(cursor->blocks, cursor->fields, &cursor->samples, &why) == 0)
		return SQLITE_OK;
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = sqlite3_mprintf("%s", why.text);
	return SQLITE_CORRUPT_VTAB;
}

/* Advances to the first sample within the window, from @at on. */
static int settle(struct sample_cursor *cursor)
{
	int code = SQLITE_OK;

	while (!cursor->end) {
		for (; cursor->at < cursor->samples.rows.count; cursor->at++) {
			uint64_t time_ns = cursor->samples.rows.items[cursor->at].time_ns;

			if (time_ns >= cursor->first_ns && time_ns <= cursor->last_ns)
				return SQLITE_OK;
		}
		cursor->at = cursor->samples.rows.count = 0;
		code = sqlite3_step(cursor->blocks);
		if (code == SQLITE_ROW)
			code = unpack(cursor);
		cursor->end = code != SQLITE_OK;
	}
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;
	const struct sample_table *table = (const struct sample_table *)base->pVtab;
	uint64_t first, end;

	cursor->fields = (unsigned)number;
	cursor->end = false;
	cursor->at = cursor->samples.rows.count = 0;
	cursor->row = 0;
	cursor->first_ns = 0;
	cursor->last_ns = INT64_MAX;
	for (int i = 0; i < argc; i++)
		narrow(cursor, table->facts, (enum column)(plan[2 * i] - 'a'),
		       kind_by_letter(plan[2 * i + 1]), argv[i]);
	if (cursor->end || cursor->first_ns > cursor->last_ns) {
		cursor->end = true;
		return SQLITE_OK;
	}
	if (!cursor->blocks && layers_prepare_blocks(table->db, &cursor->blocks))
		return sqlite3_errcode(table->db);
	sqlite3_reset(cursor->blocks);
	first = cursor->first_ns / NS_PER_S << SCHEMA_BLOCK_PART_BITS;
	end = (cursor->last_ns / NS_PER_S + 1) << SCHEMA_BLOCK_PART_BITS;
	SQL_BIND(cursor->blocks, first, end);
	return settle(cursor);
}

static int next(sqlite3_vtab_cursor *base)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;

	cursor->at++;
	cursor->row++;
	return settle(cursor);
}

static int at_end(sqlite3_vtab_cursor *base)
{
	return ((struct sample_cursor *)base)->end;
}

static sqlite3_int64 column_number(const struct sample_table_facts *facts,
				   const struct sample *sample, enum column column)
{
	switch (column) {
	case COLUMN_TIME_NS:
		return (sqlite3_int64)sample->time_ns;
	case COLUMN_SECOND:
		return (sqlite3_int64)(sample->time_ns / NS_PER_S) -
		       (sqlite3_int64)(facts->start_ns / NS_PER_S);
	case COLUMN_CPU:
		return sample->cpu;
	case COLUMN_EVENT:
		return sample->event;
	case COLUMN_MODE:
		return sample->mode;
	case COLUMN_CONTEXT:
		return sample->context;
	case COLUMN_TASK:
		return sample->task;
	case COLUMN_STACK:
		return sample->stack;
	default:
		return (sqlite3_int64)sample->weight;
	}
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct sample_cursor *cursor = (const struct sample_cursor *)base;
	const struct sample_table *table = (const struct sample_table *)base->pVtab;
	const struct sample *sample = &cursor->samples.rows.items[cursor->at];

	if (number == COLUMN_TIME_S)
		sqlite3_result_double(
			context, (double)(int64_t)(sample->time_ns - table->facts->start_ns) / 1e9);
	else
		sqlite3_result_int64(context,
				     column_number(table->facts, sample, (enum column)number));
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *ret_id)
{
	*ret_id = ((struct sample_cursor *)base)->row;
	return SQLITE_OK;
}

/* Without xCreate the table exists once, and CREATE VIRTUAL TABLE cannot make another. */
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

int sample_table_register(sqlite3 *db, const struct sample_table_facts *facts)
{
	return sql_errno(db,
			 sqlite3_create_module_v2(db, "sample_row", &module, (void *)facts, NULL));
}
