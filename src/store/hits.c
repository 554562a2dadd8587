/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/hits.h"

#include "store/sql.h"

#define SUMS                                                                       \
	"SELECT stack.frame, total.task, total.event, total.mode, total.context, " \
	"sum(total.samples) AS samples, sum(total.weight) AS weight "              \
	"FROM total JOIN stack ON stack.id = total.stack GROUP BY 1, 2, 3, 4, 5"

/* A stored table with our columns, whatever else a file calls so? */
static int is_there(sqlite3 *db, bool *ret_there)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t columns = 0;
	int rc = sql_prepare(db,
			     "SELECT count(*) FROM main.sqlite_schema AS t, "
			     "pragma_table_xinfo(t.name, 'main') AS c "
			     "WHERE t.type = 'table' AND t.rootpage > 0 AND t.name = 'hit' "
			     "AND c.hidden = 0 AND c.name IN ('frame', 'task', 'event', 'mode', "
			     "'context', 'samples', 'weight')",
			     &stmt);

	if (!rc)
		rc = sql_step(stmt);
	*ret_there = rc > 0 && sql_column_u64(stmt, 0, &columns) && columns == 7;
	return rc < 0 ? rc : 0;
}

int hits_write(sqlite3 *db)
{
	bool there;
	int rc = is_there(db, &there);

	if (rc || !there)
		return rc;
	return sql_exec(db, "DELETE FROM main.hit; INSERT INTO main.hit(frame, task, event, mode, "
			    "context, samples, weight) " SUMS);
}

int hits_check(sqlite3 *db, uint64_t samples, bool *ret_usable)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t found;
	int rc = is_there(db, ret_usable);

	if (rc || !*ret_usable)
		return rc;
	rc = sql_prepare(db, "SELECT coalesce(sum(samples), 0) FROM main.hit", &stmt);
	if (!rc)
		rc = sql_step(stmt);
	*ret_usable = rc > 0 && sql_column_u64(stmt, 0, &found) && found == samples;
	return rc < 0 ? rc : 0;
}

int hits_create_view(sqlite3 *db)
{
	return sql_exec(db, "CREATE TEMP VIEW hit AS " SUMS);
}
