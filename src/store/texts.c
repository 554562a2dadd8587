/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/texts.h"

#include <errno.h>

#include "base/search.h"
#include "store/schema.h"
#include "store/sql.h"

int texts_prepare(sqlite3 *db, sqlite3_stmt **ret_stmt)
{
	return sql_prepare(db, "INSERT OR IGNORE INTO text(id, text) VALUES(?1, ?2)", ret_stmt);
}

int texts_write(sqlite3_stmt *stmt, const struct profile *profile, str_id id)
{
	sqlite3 *db = sqlite3_db_handle(stmt);
	int rc;

	sql_bind_u64(stmt, 1, id);
	sql_bind_text(stmt, 2, profile_text(profile, id));
	rc = sql_run(stmt);
	if (rc || !sqlite3_changes(db))
		return rc;
	return checksums_write_part(db, "text", id / CHECKSUMS_PART_ROWS);
}

static bool read_row(sqlite3_stmt *stmt, struct profile *profile, struct texts *texts)
{
	const char *text;
	uint64_t id;

	if (!sql_column_at_most(stmt, 0, UINT32_MAX, &id) || !sql_column_text(stmt, 1, &text) ||
	    texts->rows.count >= SCHEMA_MAX_TEXTS)
		return false;
	if (texts->rows.count && texts->rows.items[texts->rows.count - 1].id >= id)
		return false;
	*vec_push(&texts->rows) =
		(struct text_row){ (uint32_t)id, strpool_intern(&profile->strings, text) };
	return true;
}

int texts_read(sqlite3 *db, struct profile *profile, struct texts *texts, struct err *why)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db, "SELECT id, text FROM text ORDER BY id", &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0) {
		if (!read_row(stmt, profile, texts))
			return err_set(why, -EBADMSG, "invalid row in table text");
		checksums_add_row(&texts->read, texts->rows.items[texts->rows.count - 1].id, stmt);
		rc = 0;
	}
	return rc;
}

bool texts_find(const struct texts *texts, uint64_t id, str_id *ret_text)
{
	size_t before = search_before(texts->rows.items, texts->rows.count, item, item->id < id);

	if (before == texts->rows.count || texts->rows.items[before].id != id)
		return false;
	*ret_text = texts->rows.items[before].text;
	return true;
}

void texts_done(struct texts *texts)
{
	vec_free(&texts->rows);
	checksums_read_done(&texts->read);
}
