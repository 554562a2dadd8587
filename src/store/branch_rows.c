/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/rows.h"

#include <errno.h>

#include "store/checksums.h"
#include "store/sql.h"

static int write_row(sqlite3_stmt *stmt, const struct branch *branch)
{
	SQL_BIND(stmt, branch->event, branch->from, branch->to, branch->count, branch->mispredicted,
		 branch->cycles);
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
	return rc ? rc : checksums_write_keys(db, "branch");
}

static bool read_row(sqlite3_stmt *stmt, const size_t rows[TABLE_COUNT], struct branch *ret_branch)
{
	uint64_t event, from, to;

	if (!rows[TABLE_EVENT] || !sql_column_at_most(stmt, 0, rows[TABLE_EVENT] - 1, &event) ||
	    !sql_column_at_most(stmt, 1, rows[TABLE_FRAME] - 1, &from) ||
	    !sql_column_at_most(stmt, 2, rows[TABLE_FRAME] - 1, &to) ||
	    !sql_column_at_most(stmt, 3, INT64_MAX, &ret_branch->count) ||
	    !sql_column_at_most(stmt, 4, INT64_MAX, &ret_branch->mispredicted) ||
	    !sql_column_at_most(stmt, 5, INT64_MAX, &ret_branch->cycles))
		return false;
	ret_branch->event = (uint32_t)event;
	ret_branch->from = (uint32_t)from;
	ret_branch->to = (uint32_t)to;
	return true;
}

int branch_rows_each(sqlite3 *db, const size_t rows[TABLE_COUNT],
		     void (*visit)(void *context, const struct branch *branch), void *context,
		     struct err *why)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "SELECT event, from_frame, to_frame, count, mispredicted, cycles "
			     "FROM branch ORDER BY event, from_frame, to_frame",
			     &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0) {
		struct branch branch;

		if (!read_row(stmt, rows, &branch))
			return err_set(why, -EBADMSG, "invalid row in table branch");
		visit(context, &branch);
		rc = 0;
	}
	return rc;
}

int branch_rows_read_sound(sqlite3 *db, struct profile *profile, uint64_t *ret_wrong)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "SELECT event, from_frame, to_frame, count, mispredicted, cycles "
			     "FROM branch",
			     &stmt);

	const size_t rows[TABLE_COUNT] = {
		[TABLE_EVENT] = profile->event_count, [TABLE_FRAME] = profile->frames.count
	};

	*ret_wrong = 0;
	while (!rc && (rc = sql_step(stmt)) > 0) {
		struct branch branch;

		if (read_row(stmt, rows, &branch))
			profile_add_branch(profile, &branch);
		else
			++*ret_wrong;
		rc = 0;
	}
	return rc;
}
