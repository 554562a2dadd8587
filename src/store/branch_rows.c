/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/branch_rows.h"

#include "store/sql.h"

static int write_row(sqlite3_stmt *stmt, const struct branch *branch)
{
	sql_bind_u64(stmt, 1, branch->event);
	sql_bind_u64(stmt, 2, branch->from);
	sql_bind_u64(stmt, 3, branch->to);
	sql_bind_u64(stmt, 4, branch->count);
	sql_bind_u64(stmt, 5, branch->mispredicted);
	sql_bind_u64(stmt, 6, branch->cycles);
	return sql_run(stmt);
}

int branch_rows_write(sqlite3 *db, const struct profile *profile)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	const struct branches *branches = &profile->branches;
	int rc;

	if (!profile->run.end_ns || branches->list.count == 0)
		return 0;
	rc = sql_prepare(db, "INSERT OR REPLACE INTO branch VALUES(?, ?, ?, ?, ?, ?)", &stmt);
	for (size_t i = 0; rc == 0 && i < branches->list.count; i++)
		rc = write_row(stmt, &branches->list.items[i]);
	return rc;
}
