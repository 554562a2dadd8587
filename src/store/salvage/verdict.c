/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/salvage/salvage.h"

#include <string.h>

#include "base/buf.h"
#include "base/search.h"
#include "base/vec.h"
#include "store/checksums.h"
#include "store/packed.h"
#include "store/sql.h"
#include "store/wordlist.h"

/* A row of table checksum. */
struct part {
	uint64_t part, rows, crc;
};

struct parts {
	VEC(struct part) list;
};

static void parts_done(struct parts *parts)
{
	vec_free(&parts->list);
}

/* Reads the valid checksums of a table. */
static int read_parts(sqlite3 *db, const char *table, uint64_t most_rows, struct parts *ret_parts)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(
		db, "SELECT part, rows, crc FROM checksum WHERE name = ?1 ORDER BY part", &stmt);

	if (rc)
		return rc;
	sql_bind_text(stmt, 1, table);
	while ((rc = sql_step(stmt)) > 0) {
		struct part part;

		if (sql_column_at_most(stmt, 0, INT64_MAX, &part.part) &&
		    sql_column_at_most(stmt, 1, most_rows, &part.rows) &&
		    sql_column_at_most(stmt, 2, UINT32_MAX, &part.crc) && part.rows)
			*vec_push(&ret_parts->list) = part;
	}
	return rc;
}

static int count_rows(sqlite3 *db, const char *table, uint64_t *ret_count)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	int rc;

	buf_printf(&text, "SELECT count(*) FROM %s", table);
	rc = sql_number(db, buf_text(&text), ret_count);
	return rc < 0 ? rc : 0;
}

/* ---- rows with ids ---- */

/* Removes all rows of a part, or only those that may be obsolete. */
static int remove_part(sqlite3 *db, const char *table, uint64_t part, bool lost_only)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc;

	buf_printf(&text, "DELETE FROM %s WHERE id >= ?1 AND id < ?2", table);
	if (lost_only)
		buf_printf(&text, " AND id IN (SELECT id FROM temp.lost WHERE name = '%s')", table);
	rc = sql_prepare(db, buf_text(&text), &stmt);
	if (rc)
		return rc;
	SQL_BIND(stmt, part * CHECKSUMS_PART_ROWS, (part + 1) * CHECKSUMS_PART_ROWS);
	return sql_run(stmt);
}

static int judge_part(sqlite3 *db, const char *table, const struct part *part, bool strict,
		      struct verdict *verdict)
{
	uint64_t rows;
	uint32_t crc;
	int rc = checksums_of_part(db, table, part->part, &rows, &crc);

	if (rc)
		return rc;
	verdict->written += rows > part->rows ? rows : part->rows;
	if (rows == part->rows && crc == part->crc)
		return 0;
	rc = remove_part(db, table, part->part, rows < part->rows && !strict);
	if (!rc)
		rc = checksums_of_part(db, table, part->part, &rows, &crc);
	verdict->unverified += rows;
	return rc;
}

/* Appends what follows FROM to select the rows of parts without a checksum. */
static void add_unknown(struct buf *text, const char *table)
{
	buf_printf(text,
		   "%s WHERE id / %d NOT IN (SELECT part FROM checksum WHERE name = '%s' AND rows "
		   "BETWEEN 1 AND %d AND crc BETWEEN 0 AND 4294967295)",
		   table, CHECKSUMS_PART_ROWS, table, CHECKSUMS_PART_ROWS);
}

static int judge_unknown(sqlite3 *db, const char *table, bool strict, struct verdict *verdict)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	uint64_t rows = 0;
	int rc;

	buf_add_str(&text, "SELECT count(*) FROM ");
	add_unknown(&text, table);
	rc = sql_number(db, buf_text(&text), &rows);
	verdict->written += rows;
	if (rc < 0 || !strict) {
		verdict->unverified += rows;
		return rc < 0 ? rc : 0;
	}
	buf_clear(&text);
	buf_add_str(&text, "DELETE FROM ");
	add_unknown(&text, table);
	return sql_exec(db, buf_text(&text));
}

int verdict_rows(sqlite3 *db, const char *table, bool strict, struct verdict *ret_verdict)
{
	_cleanup_(parts_done) struct parts parts = { 0 };
	struct verdict verdict = { 0 };
	int rc = read_parts(db, table, CHECKSUMS_PART_ROWS, &parts);

	for (size_t i = 0; !rc && i < parts.list.count; i++) {
		if (parts.list.items[i].part < INT64_MAX / CHECKSUMS_PART_ROWS)
			rc = judge_part(db, table, &parts.list.items[i], strict, &verdict);
	}
	if (!rc)
		rc = judge_unknown(db, table, strict, &verdict);
	if (!rc)
		rc = count_rows(db, table, &verdict.kept);
	*ret_verdict = verdict;
	return rc;
}

/* ---- rows with keys ---- */

static const struct part *find_part(const struct parts *parts, uint32_t key)
{
	size_t before = search_before(parts->list.items, parts->list.count, item, item->part < key);

	if (before == parts->list.count || parts->list.items[before].part != key)
		return NULL;
	return &parts->list.items[before];
}

static const struct checked_keys *keys_of(const char *table)
{
	size_t i = 0;

	while (i < checksums_key_tables - 1 && strcmp(checksums_keys[i].table, table) != 0)
		i++;
	return &checksums_keys[i];
}

/* Removes the current row of @read. */
static int remove_row(sqlite3 *db, const struct checked_keys *checked, sqlite3_stmt *read)
{
	static const char *const wheres[] = { "", "name = ?1", "list = ?1 AND id = ?2",
					      "event = ?1 AND from_frame = ?2 AND to_frame = ?3" };
	bool loss = strcmp(checked->table, "loss") == 0;
	_cleanup_(buf_done) struct buf text = { 0 };
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc;

	buf_printf(&text, "DELETE FROM %s WHERE %s", checked->table,
		   loss ? "event = ?1 AND reason = ?2" : wheres[checked->keys]);
	rc = sql_prepare(db, buf_text(&text), &stmt);
	for (int i = 0; !rc && i < checked->keys; i++)
		sqlite3_bind_value(stmt, i + 1, sqlite3_column_value(read, i));
	return rc ? rc : sql_run(stmt);
}

/* Selects the rows from a copy, so that rows can be removed meanwhile. */
static int prepare_keyed(sqlite3 *db, const struct checked_keys *checked, sqlite3_stmt **ret_stmt)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	int rc;

	buf_printf(&text,
		   "DROP TABLE IF EXISTS temp.found; CREATE TEMP TABLE found AS SELECT %s FROM %s",
		   checked->columns, checked->table);
	rc = sql_exec(db, buf_text(&text));
	buf_clear(&text);
	buf_printf(&text, "SELECT %s FROM temp.found", checked->columns);
	return rc ? rc : sql_prepare(db, buf_text(&text), ret_stmt);
}

static int judge_keyed(sqlite3 *db, const struct checked_keys *checked, sqlite3_stmt *read,
		       const struct parts *parts, bool strict, struct verdict *verdict)
{
	const struct part *part = find_part(parts, checksums_of_row(0, read, checked->keys));
	uint32_t crc = checksums_of_row(0, read, sqlite3_column_count(read));

	if (!part) {
		verdict->written++;
		verdict->unverified += !strict;
		return strict ? remove_row(db, checked, read) : 0;
	}
	return part->crc == crc ? 0 : remove_row(db, checked, read);
}

int verdict_keys(sqlite3 *db, const char *table, bool strict, struct verdict *ret_verdict)
{
	const struct checked_keys *checked = keys_of(table);
	_cleanup_(parts_done) struct parts parts = { 0 };
	_cleanup_stmt_ sqlite3_stmt *read = NULL;
	struct verdict verdict = { 0 };
	int rc = read_parts(db, table, 1, &parts);

	if (!rc)
		rc = prepare_keyed(db, checked, &read);
	verdict.written = parts.list.count;
	while (!rc && (rc = sql_step(read)) > 0)
		rc = judge_keyed(db, checked, read, &parts, strict, &verdict);
	if (!rc)
		rc = count_rows(db, table, &verdict.kept);
	*ret_verdict = verdict;
	return rc;
}

/* ---- words ---- */

static int add_word(sqlite3 *db, sqlite3_stmt *word, const struct parts *parts, uint64_t *assumed)
{
	_cleanup_stmt_ sqlite3_stmt *insert = NULL;
	const struct part *part = find_part(parts, checksums_of_row(0, word, 2));
	int rc;

	if (parts->list.count && (!part || part->crc != checksums_of_row(0, word, 3)))
		return 0;
	rc = sql_prepare(db, "INSERT OR IGNORE INTO word(list, id, name) VALUES(?1, ?2, ?3)",
			 &insert);
	for (int i = 0; !rc && i < 3; i++)
		sqlite3_bind_value(insert, i + 1, sqlite3_column_value(word, i));
	if (!rc)
		rc = sql_run(insert);
	if (!rc && !parts->list.count)
		*assumed += (uint64_t)sqlite3_changes(db);
	return rc;
}

/* Selects the words of this program, in the form of table word. */
static int prepare_ours(sqlite3 *db, sqlite3_stmt **ret_stmt)
{
	int rc = sql_exec(db, "CREATE TEMP TABLE ours(list TEXT, id INTEGER, name TEXT)");

	for (unsigned list = 0; !rc && list < WORDLIST_COUNT; list++)
		rc = wordlist_insert(db, "temp.ours", (enum wordlist)list);
	return rc ? rc : sql_prepare(db, "SELECT list, id, name FROM temp.ours", ret_stmt);
}

int verdict_add_words(sqlite3 *db, uint64_t *ret_assumed)
{
	_cleanup_(parts_done) struct parts parts = { 0 };
	_cleanup_stmt_ sqlite3_stmt *ours = NULL;
	int rc = read_parts(db, "word", 1, &parts);

	*ret_assumed = 0;
	if (!rc)
		rc = prepare_ours(db, &ours);
	while (!rc && (rc = sql_step(ours)) > 0)
		rc = add_word(db, ours, &parts, ret_assumed);
	return rc;
}

/* ---- blocks ---- */

int verdict_block(sqlite3 *db, uint64_t id, uint64_t *ret_samples, uint32_t *ret_crc)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t crc;
	int rc = sql_prepare(
		db, "SELECT rows, crc FROM checksum WHERE name = 'block' AND part = ?1", &stmt);

	if (rc)
		return rc;
	sql_bind_u64(stmt, 1, id);
	rc = sql_step(stmt);
	if (rc <= 0)
		return rc;
	if (!sql_column_at_most(stmt, 0, PACKED_MAX_SAMPLES, ret_samples) || !*ret_samples ||
	    !sql_column_at_most(stmt, 1, UINT32_MAX, &crc))
		return 0;
	*ret_crc = (uint32_t)crc;
	return 1;
}
