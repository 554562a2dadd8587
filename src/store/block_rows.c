/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/block_rows.h"

#include <errno.h>
#include <stdbool.h>

#include "base/checksum.h"
#include "store/checksums.h"
#include "store/schema.h"
#include "store/sql.h"

static const char with_checksums[] =
	"SELECT b.id, b.samples, b.data, c.crc FROM main.block AS b LEFT JOIN main.checksum AS c "
	"ON c.name = 'block' AND c.part = b.id WHERE b.id >= ?1 AND b.id < ?2 ORDER BY b.id";
static const char without_checksums[] =
	"SELECT id, samples, data, NULL FROM main.block WHERE id >= ?1 AND id < ?2 ORDER BY id";

int block_rows_prepare(sqlite3 *db, sqlite3_stmt **ret_stmt)
{
	int rc = checksums_there(db);

	if (rc < 0)
		return rc;
	return sql_prepare(db, rc ? with_checksums : without_checksums, ret_stmt);
}

static bool is_as_written(sqlite3_stmt *stmt, const void *bytes, size_t size)
{
	uint64_t crc;

	return sqlite3_column_type(stmt, 3) == SQLITE_NULL ||
	       (sql_column_u64(stmt, 3, &crc) && crc == checksum_add(0, bytes, size));
}

int block_rows_unpack(sqlite3_stmt *stmt, unsigned fields, struct packed_samples *samples,
		      struct err *why)
{
	uint64_t id, count;
	const void *bytes;
	size_t size;
	int rc;

	if (!sql_column_at_most(stmt, 0, INT64_MAX, &id) || !sql_column_u64(stmt, 1, &count) ||
	    sqlite3_column_type(stmt, 2) != SQLITE_BLOB)
		return err_set(why, -EBADMSG, "invalid row in table block");
	bytes = sqlite3_column_blob(stmt, 2);
	size = (size_t)sqlite3_column_bytes(stmt, 2);
	if (!is_as_written(stmt, bytes, size))
		return err_set(why, -EBADMSG, "checksum mismatch in block %llu",
			       (unsigned long long)id);
	rc = packed_decode(bytes, size, id >> SCHEMA_BLOCK_PART_BITS, fields, samples);
	if (rc || samples->rows.count != count)
		return err_set(why, -EBADMSG, "cannot decompress block %llu",
			       (unsigned long long)id);
	return 0;
}
