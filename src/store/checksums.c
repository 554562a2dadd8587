/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/checksums.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/checksum.h"
#include "store/sql.h"

const struct checked_rows checksums_rows[] = {
	{ "event", "id,name,unit,clock,rate_hz,period,samples,user_samples,kernel_samples,weight" },
	{ "image", "id,kind,state,path,build_id,dev,inode,size,mtime_ns" },
	{ "process", "id,pid,exec_count,start_ns,end_ns,parent,uid,program,instance,cgroup,"
		     "container,kernel_thread,in_command" },
	{ "executable", "id,exe" },
	{ "task", "id,process,tid,comm" },
	{ "symbol", "id,image,name,start,size,kind" },
	{ "frame", "id,image,offset,address,address_known,kind,symbol" },
	{ "stack", "id,up,frame" },
	{ "code", "id,image,start,address,machine,is_64,bytes" },
	{ "line", "id,image,start,size,file,line" },
	{ "mark", "id,time_ns,text" },
	{ "cpu_time", "id,from_ns,to_ns,capacity_ns,idle_ns,iowait_ns,steal_ns,lost_ns" },
	{ "text", "id,text" },
};
const size_t checksums_row_tables = sizeof(checksums_rows) / sizeof(checksums_rows[0]);

const struct checked_keys checksums_keys[] = {
	{ "header", "name,value", 1 },
	{ "word", "list,id,name", 2 },
	{ "loss", "event,reason,count,weight", 2 },
	{ "branch", "event,from_frame,to_frame,count,mispredicted,cycles", 3 },
};
const size_t checksums_key_tables = sizeof(checksums_keys) / sizeof(checksums_keys[0]);

/* ---- of values ---- */

static uint32_t add_u64(uint32_t checksum, uint64_t value)
{
	uint64_t stored = htole64(value);

	return checksum_add(checksum, &stored, sizeof(stored));
}

/* SQLite's number of the type, then 8 bytes: the number, or how many bytes of text or blob follow.
 */
static uint32_t add_value(uint32_t checksum, sqlite3_stmt *stmt, int at)
{
	uint8_t type = (uint8_t)sqlite3_column_type(stmt, at);
	uint64_t bits = 0;
	double number;

	if (type == SQLITE_INTEGER) {
		bits = (uint64_t)sqlite3_column_int64(stmt, at);
	} else if (type == SQLITE_FLOAT) {
		number = sqlite3_column_double(stmt, at);
		memcpy(&bits, &number, sizeof(bits));
	} else if (type != SQLITE_NULL) {
		bits = (uint64_t)sqlite3_column_bytes(stmt, at);
	}
	checksum = add_u64(checksum_add(checksum, &type, 1), bits);
	if (type != SQLITE_TEXT && type != SQLITE_BLOB)
		return checksum;
	return bits ? checksum_add(checksum, sqlite3_column_blob(stmt, at), (size_t)bits)
		    : checksum;
}

uint32_t checksums_of_row(uint32_t checksum, sqlite3_stmt *stmt, int count)
{
	for (int at = 0; at < count; at++)
		checksum = add_value(checksum, stmt, at);
	return checksum;
}

/* ---- of rows ---- */

static const struct checked_rows *rows_of(const char *table)
{
	for (size_t i = 0; i < checksums_row_tables; i++) {
		if (strcmp(checksums_rows[i].table, table) == 0)
			return &checksums_rows[i];
	}
	return NULL;
}

int checksums_of_part(sqlite3 *db, const char *table, uint64_t part, uint64_t *ret_rows,
		      uint32_t *ret_crc)
{
	const struct checked_rows *checked = rows_of(table);
	_cleanup_(buf_done) struct buf text = { 0 };
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t rows = 0;
	uint32_t crc = 0;
	int rc;

	if (!checked)
		return -ENOENT;
	buf_printf(&text, "SELECT %s FROM %s WHERE id >= ?1 AND id < ?2 ORDER BY id",
		   checked->columns, table);
	rc = sql_prepare(db, buf_text(&text), &stmt);
	if (rc)
		return rc;
	SQL_BIND(stmt, part * CHECKSUMS_PART_ROWS, (part + 1) * CHECKSUMS_PART_ROWS);
	for (; (rc = sql_step(stmt)) > 0; rows++)
		crc = checksums_of_row(crc, stmt, sqlite3_column_count(stmt));
	*ret_rows = rows;
	*ret_crc = crc;
	return rc;
}

/* ---- of rows as they are read ---- */

/* A checksum of many bytes takes less time than many of a few. */
static void sum_pending(struct checksums_read *read)
{
	struct checksums_part *last =
		read->parts.count ? &read->parts.items[read->parts.count - 1] : NULL;

	if (!last || !read->pending.size)
		return;
	last->crc = checksum_add(last->crc, read->pending.bytes, read->pending.size);
	buf_clear(&read->pending);
}

static struct checksums_part *part_of(struct checksums_read *read, uint64_t id)
{
	uint64_t part = id / CHECKSUMS_PART_ROWS;
	struct checksums_part *last =
		read->parts.count ? &read->parts.items[read->parts.count - 1] : NULL;

	if (!last || last->part != part) {
		sum_pending(read);
		last = vec_push(&read->parts);
		*last = (struct checksums_part){ .part = part };
	}
	last->rows++;
	return last;
}

void checksums_add_row(struct checksums_read *read, uint64_t id, sqlite3_stmt *stmt)
{
	struct checksums_part *part = part_of(read, id);

	sum_pending(read);
	part->crc = checksums_of_row(part->crc, stmt, sqlite3_column_count(stmt));
}

/* There are millions: the bytes that add_value takes of each are taken at once. */
void checksums_add_integers(struct checksums_read *read, uint64_t id, const int64_t *values,
			    size_t count)
{
	enum { BYTES = 1 + sizeof(uint64_t) };
	uint8_t bytes[CHECKSUMS_MOST_INTEGERS * BYTES];

	for (size_t i = 0; i < count; i++) {
		uint64_t stored = htole64((uint64_t)values[i]);

		bytes[i * BYTES] = SQLITE_INTEGER;
		memcpy(bytes + i * BYTES + 1, &stored, sizeof(stored));
	}
	part_of(read, id);
	buf_add(&read->pending, bytes, count * BYTES);
}

/* False also for a part without any rows read: they are lost. */
static bool is_as_written(const struct checksums_read *read, size_t *at, sqlite3_stmt *stmt)
{
	uint64_t part, rows, crc;

	if (!sql_column_u64(stmt, 0, &part) || !sql_column_u64(stmt, 1, &rows) ||
	    !sql_column_u64(stmt, 2, &crc))
		return false;
	while (*at < read->parts.count && read->parts.items[*at].part < part)
		(*at)++;
	return *at < read->parts.count && read->parts.items[*at].part == part &&
	       read->parts.items[*at].rows == rows && read->parts.items[*at].crc == crc;
}

static int not_as_written(const char *table, struct err *why)
{
	return err_set(why, -EBADMSG, "checksum mismatch in table %s", table);
}

int checksums_compare(struct checksums_read *read, sqlite3 *db, const char *table, struct err *why)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = checksums_there(db);
	size_t at = 0;

	if (rc <= 0)
		return rc;
	sum_pending(read);
	rc = sql_prepare(db,
			 "SELECT part, rows, crc FROM main.checksum WHERE name = ?1 ORDER BY part",
			 &stmt);
	if (rc)
		return rc;
	sql_bind_text(stmt, 1, table);
	while ((rc = sql_step(stmt)) > 0) {
		if (!is_as_written(read, &at, stmt))
			return not_as_written(table, why);
	}
	return rc;
}

void checksums_read_done(struct checksums_read *read)
{
	vec_free(&read->parts);
	buf_done(&read->pending);
}

/* ---- writing ---- */

static int prepare_write(sqlite3 *db, const char *table, sqlite3_stmt **ret_stmt)
{
	int rc = sql_prepare(db,
			     "INSERT OR REPLACE INTO checksum(name, part, rows, crc) "
			     "VALUES(?1, ?2, ?3, ?4)",
			     ret_stmt);

	if (!rc)
		sql_bind_text(*ret_stmt, 1, table);
	return rc;
}

static int write_one(sqlite3_stmt *stmt, uint64_t part, uint64_t rows, uint32_t crc)
{
	sql_bind_u64(stmt, 2, part);
	sql_bind_u64(stmt, 3, rows);
	sql_bind_u64(stmt, 4, crc);
	return sql_run(stmt);
}

static int write_single(sqlite3 *db, const char *table, uint64_t part, uint64_t rows, uint32_t crc)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = prepare_write(db, table, &stmt);

	return rc ? rc : write_one(stmt, part, rows, crc);
}

int checksums_write_part(sqlite3 *db, const char *table, uint64_t part)
{
	uint64_t rows;
	uint32_t crc;
	int rc = checksums_of_part(db, table, part, &rows, &crc);

	return rc ? rc : write_single(db, table, part, rows, crc);
}

int checksums_write_block(sqlite3 *db, uint64_t id, uint64_t samples, const void *bytes,
			  size_t size)
{
	return write_single(db, "block", id, samples, checksum_add(0, bytes, size));
}

/* ---- of rows with keys ---- */

static int write_keys(sqlite3 *db, const struct checked_keys *checked)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	_cleanup_stmt_ sqlite3_stmt *read = NULL, *write = NULL;
	int rc;

	buf_printf(&text, "SELECT %s FROM %s", checked->columns, checked->table);
	rc = sql_prepare(db, buf_text(&text), &read);
	if (!rc)
		rc = prepare_write(db, checked->table, &write);
	while (!rc && (rc = sql_step(read)) > 0)
		rc = write_one(write, checksums_of_row(0, read, checked->keys), 1,
			       checksums_of_row(0, read, sqlite3_column_count(read)));
	return rc;
}

static const struct checked_keys *keys_of(const char *table)
{
	for (size_t i = 0; i < checksums_key_tables; i++) {
		if (strcmp(checksums_keys[i].table, table) == 0)
			return &checksums_keys[i];
	}
	return NULL;
}

int checksums_write_keys(sqlite3 *db, const char *table)
{
	const struct checked_keys *checked = keys_of(table);

	return checked ? write_keys(db, checked) : -ENOENT;
}

/* 1: there is another checksum of a row with these keys. */
static int is_changed(sqlite3_stmt *row, int keys, sqlite3_stmt *find)
{
	uint32_t crc = checksums_of_row(0, row, sqlite3_column_count(row));
	int rc;

	sqlite3_reset(find);
	sql_bind_u64(find, 2, checksums_of_row(0, row, keys));
	sql_bind_u64(find, 3, crc);
	rc = sql_step(find);
	sqlite3_reset(find);
	return rc;
}

int checksums_compare_keys(sqlite3 *db, const char *table, struct err *why)
{
	const struct checked_keys *checked = keys_of(table);
	_cleanup_(buf_done) struct buf text = { 0 };
	_cleanup_stmt_ sqlite3_stmt *row = NULL, *find = NULL;
	int rc = checked ? checksums_there(db) : -ENOENT;

	if (rc <= 0)
		return rc;
	buf_printf(&text, "SELECT %s FROM %s", checked->columns, table);
	rc = sql_prepare(db, buf_text(&text), &row);
	if (!rc)
		rc = sql_prepare(db,
				 "SELECT 1 FROM main.checksum WHERE name = ?1 AND part = ?2 "
				 "AND crc <> ?3",
				 &find);
	if (!rc)
		sql_bind_text(find, 1, table);
	while (!rc && (rc = sql_step(row)) > 0) {
		rc = is_changed(row, checked->keys, find);
		if (rc > 0)
			return not_as_written(table, why);
	}
	return rc;
}

int checksums_there(sqlite3 *db)
{
	uint64_t one;

	return sql_number(db,
			  "SELECT 1 FROM main.sqlite_schema AS t WHERE t.type = 'table' AND "
			  "t.rootpage > 0 AND t.name = 'checksum' AND 4 = (SELECT count(*) FROM "
			  "pragma_table_xinfo(t.name) AS c WHERE c.hidden = 0 AND c.name IN "
			  "('name', 'part', 'rows', 'crc'))",
			  &one);
}
