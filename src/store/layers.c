/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/layers.h"

#include <errno.h>

#include "store/block_rows.h"
#include "store/sql.h"

int layers_write(const struct layers *layers, sqlite3 *db)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "INSERT OR REPLACE INTO layer(id, samples, last_block) "
			     "VALUES(1, ?1, ?2), (2, ?3, ?4)",
			     &stmt);

	if (rc)
		return rc;
	sql_bind_u64(stmt, 1, layers->blocks.samples);
	sql_bind_u64(stmt, 2, layers->blocks.last_block);
	sql_bind_u64(stmt, 3, layers->sums.samples);
	sql_bind_u64(stmt, 4, layers->sums.last_block);
	return sql_run(stmt);
}

static bool read_layer(sqlite3_stmt *stmt, struct layers *layers)
{
	struct layer layer;
	uint64_t id;

	if (!sql_column_at_most(stmt, 0, 2, &id) || !id ||
	    !sql_column_at_most(stmt, 1, INT64_MAX, &layer.samples) ||
	    !sql_column_at_most(stmt, 2, INT64_MAX, &layer.last_block))
		return false;
	*(id == 1 ? &layers->blocks : &layers->sums) = layer;
	return true;
}

int layers_read(struct layers *ret_layers, sqlite3 *db, struct err *why)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	struct layers layers = { 0 };
	int rc = sql_prepare(db, "SELECT id, samples, last_block FROM layer", &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0)
		rc = read_layer(stmt, &layers) ? 0 : -EBADMSG;
	if (!rc && layers.sums.samples > layers.blocks.samples)
		rc = -EBADMSG;
	if (rc == -EBADMSG)
		err_set(why, rc, "invalid row in table layer");
	if (!rc)
		*ret_layers = layers;
	return rc;
}

bool layers_behind(const struct layers *layers)
{
	return layers->sums.samples != layers->blocks.samples;
}

int layers_each_block(const struct layers *layers, struct connection *connection, uint64_t first_id,
		      uint64_t end_id, unsigned fields,
		      int (*visit)(void *context, struct packed_samples *samples, struct err *why),
		      void *context, struct err *why)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	struct packed_samples samples = { { 0 } };
	uint64_t seen = 0;
	int rc = block_rows_prepare(connection->db, &stmt);

	if (rc)
		return rc;
	sql_bind_u64(stmt, 1, first_id);
	sql_bind_u64(stmt, 2, end_id);
	connection_refill(connection);
	while (!rc && (rc = sql_step(stmt)) > 0) {
		rc = block_rows_unpack(stmt, fields, &samples, why);
		seen += samples.rows.count;
		/* The pages of a damaged file may form a cycle. */
		if (!rc && seen > layers->blocks.samples)
			rc = err_set(why, -EBADMSG, "more samples than table layer says");
		if (!rc)
			rc = visit(context, &samples, why);
	}
	vec_free(&samples.rows);
	return rc;
}

static int add_samples(void *context, struct packed_samples *samples, struct err *why)
{
	for (size_t i = 0; i < samples->rows.count; i++)
		sums_add(context, &samples->rows.items[i]);
	return 0;
}

int layers_missing(const struct layers *layers, struct connection *connection, struct sums *sums,
		   bool *ret_all, struct err *why)
{
	uint64_t lacking = layers->blocks.samples - layers->sums.samples;
	uint64_t first_id = layers->sums.last_block + 1;
	int rc = layers_each_block(layers, connection, first_id, INT64_MAX, SAMPLE_ALL, add_samples,
				   sums, why);

	*ret_all = false;
	if (rc || sums->samples == lacking)
		return rc;
	/* Some samples came late, into blocks of earlier seconds. */
	sums_done(sums);
	*ret_all = true;
	rc = layers_each_block(layers, connection, 0, INT64_MAX, SAMPLE_ALL, add_samples, sums,
			       why);
	if (!rc && sums->samples != layers->blocks.samples)
		rc = err_set(why, -EBADMSG, "samples are missing from table block");
	return rc;
}

static int write_missing(const struct layers *layers, struct connection *connection,
			 const struct sums *sums, bool all)
{
	const struct layers even = { .blocks = layers->blocks, .sums = layers->blocks };
	int rc = 0;

	connection_refill(connection);
	/* Do not wait: another reader that updates the same file would wait for this one. */
	sqlite3_busy_timeout(connection->db, 0);
	if (all)
		rc = sql_exec(connection->db, "DELETE FROM total; DELETE FROM second");
	if (!rc)
		rc = sums_write(sums, connection->db);
	if (!rc)
		rc = layers_write(&even, connection->db);
	return rc ? rc : sql_exec(connection->db, "COMMIT");
}

int layers_mend(struct layers *layers, struct connection *connection, struct err *why)
{
	_cleanup_(sums_done) struct sums sums = { 0 };
	bool all;
	int rc;

	if (!connection_writable(connection))
		return 0;
	rc = layers_missing(layers, connection, &sums, &all, why);
	if (rc)
		return rc;
	/* The file can be read even if it cannot be written now (full disk, another reader). */
	if (write_missing(layers, connection, &sums, all) < 0)
		sql_exec(connection->db, "ROLLBACK");
	sqlite3_busy_timeout(connection->db, CONNECTION_BUSY_MS);
	rc = sql_exec(connection->db, "BEGIN");
	return rc ? rc : layers_read(layers, connection->db, why);
}
