/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/checksums.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/checksum.h"
#include "store/sql.h"
#include "store/table_rows.h"

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

bool checksums_head(const struct datum *value, uint8_t ret_head[CHECKSUMS_HEAD_BYTES])
{
	bool has_bytes = value->type == SQLITE_TEXT || value->type == SQLITE_BLOB;
	uint64_t bits = 0;

	if (has_bytes)
		bits = value->size;
	else if (value->type != SQLITE_NULL)
		memcpy(&bits, &value->integer, sizeof(bits)); /* or the number */
	bits = htole64(bits);
	ret_head[0] = value->type;
	memcpy(ret_head + 1, &bits, sizeof(bits));
	return has_bytes;
}

static uint32_t add_value(uint32_t checksum, const struct datum *value)
{
	uint8_t head[CHECKSUMS_HEAD_BYTES];
	bool has_bytes = checksums_head(value, head);

	checksum = checksum_add(checksum, head, sizeof(head));
	return has_bytes && value->size ? checksum_add(checksum, value->bytes, value->size)
					: checksum;
}

uint32_t checksums_of_row(uint32_t checksum, sqlite3_stmt *stmt, int count)
{
	for (int at = 0; at < count; at++) {
		struct datum value = table_rows_datum(stmt, at);

		checksum = add_value(checksum, &value);
	}
	return checksum;
}

/* ---- of rows ---- */

size_t checksums_count(const char *columns)
{
	size_t count = 1;

	while (*columns)
		count += *columns++ == ',';
	return count;
}

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
