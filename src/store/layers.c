/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/layers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/xalloc.h"
#include "store/checksums.h"
#include "store/schema.h"
#include "store/sql.h"

/* ---- sums ---- */

static uint64_t total_hash(const struct total *total)
{
	uint64_t kind = (uint64_t)total->event << 16 | (uint64_t)total->mode << 8 | total->context;

	return hash_combine(hash_u64((uint64_t)total->stack << 32 | total->task), kind);
}

DEFINE_EQUAL(total_equal, struct sums, totals.rows.items, struct total,
	     a->stack == b->stack && a->task == b->task && a->event == b->event &&
		     a->mode == b->mode && a->context == b->context)

/* Finds or makes the sum with the task, stack, event, mode and context of *key. */
static struct total *find_total(struct sums *sums, const struct total *key)
{
	uint64_t hash = total_hash(key);
	uint32_t id;

	if (!hashidx_find(&sums->total_index, hash, total_equal, sums, key, &id)) {
		id = (uint32_t)sums->totals.rows.count;
		*vec_push(&sums->totals.rows) = (struct total){ .task = key->task,
								.stack = key->stack,
								.event = key->event,
								.mode = key->mode,
								.context = key->context };
		hashidx_add(&sums->total_index, hash, id);
	}
	return &sums->totals.rows.items[id];
}

void layers_add_total(struct sums *sums, const struct total *total)
{
	struct total *sum = find_total(sums, total);

	sum->samples += total->samples;
	sum->weight += total->weight;
	sum->weight_squared += total->weight_squared;
}

DEFINE_EQUAL(second_equal, struct sums, seconds.items, struct second_sum,
	     a->second == b->second && a->cpu == b->cpu && a->event == b->event &&
		     a->mode == b->mode)

static struct second_sum *find_second(struct sums *sums, const struct sample *sample)
{
	struct second_sum key = { .second = sample->time_ns / NS_PER_S,
				  .cpu = sample->cpu,
				  .event = sample->event,
				  .mode = sample->mode };
	uint64_t hash = hash_combine(key.second,
				     (uint64_t)key.cpu << 16 | (uint64_t)key.event << 8 | key.mode);
	uint32_t id;

	if (!hashidx_find(&sums->second_index, hash, second_equal, sums, &key, &id)) {
		id = (uint32_t)sums->seconds.count;
		*vec_push(&sums->seconds) = key;
		hashidx_add(&sums->second_index, hash, id);
	}
	return &sums->seconds.items[id];
}

void layers_add(struct sums *sums, const struct sample *sample)
{
	struct second_sum *second = find_second(sums, sample);
	struct total one = { .task = sample->task,
			     .stack = sample->stack,
			     .event = sample->event,
			     .mode = sample->mode,
			     .context = sample->context,
			     .samples = 1,
			     .weight = sample->weight,
			     .weight_squared = (double)sample->weight * (double)sample->weight };

	layers_add_total(sums, &one);
	second->samples++;
	second->weight += sample->weight;
	sums->samples++;
}

/* Compares by the first columns of the table's key; the others do not matter for speed. */
DEFINE_ORDER(compare_totals, struct total *const,
	     COMPARE((*a)->stack, (*b)->stack) ?: COMPARE((*a)->task, (*b)->task))

/* Sorts the totals as the table does, so neighbours in the file are written one after the other. */
static const struct total **in_order(const struct totals *totals)
{
	const struct total **order = xmalloc((totals->rows.count + 1) * sizeof(*order));

	for (size_t i = 0; i < totals->rows.count; i++)
		order[i] = &totals->rows.items[i];
	qsort(order, totals->rows.count, sizeof(*order), compare_totals);
	return order;
}

static int write_total(sqlite3_stmt *stmt, const struct total *total)
{
	SQL_BIND(stmt, total->stack, total->task, total->event, total->mode, total->context,
		 total->samples, total->weight);
	sqlite3_bind_double(stmt, 8, total->weight_squared);
	return sql_run(stmt);
}

static int write_totals(const struct totals *totals, sqlite3 *db)
{
	_cleanup_free_ const struct total **order = in_order(totals);
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "INSERT INTO total VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
			     "ON CONFLICT DO UPDATE SET samples = samples + ?6, "
			     "weight = weight + ?7, weight_squared = weight_squared + ?8",
			     &stmt);

	for (size_t i = 0; !rc && i < totals->rows.count; i++)
		rc = write_total(stmt, order[i]);
	return rc;
}

static int write_seconds(const struct sums *sums, sqlite3 *db)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "INSERT INTO second VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO "
			     "UPDATE SET samples = samples + ?5, weight = weight + ?6",
			     &stmt);

	for (size_t i = 0; !rc && i < sums->seconds.count; i++) {
		const struct second_sum *second = &sums->seconds.items[i];

		SQL_BIND(stmt, second->second, second->cpu, second->event, second->mode,
			 second->samples, second->weight);
		rc = sql_run(stmt);
	}
	return rc;
}

int layers_write_sums(const struct sums *sums, sqlite3 *db)
{
	int rc = write_totals(&sums->totals, db);

	return rc ? rc : write_seconds(sums, db);
}

void layers_done(struct sums *sums)
{
	vec_free(&sums->totals.rows);
	vec_free(&sums->seconds);
	hashidx_done(&sums->total_index);
	hashidx_done(&sums->second_index);
	sums->samples = 0;
}

/* ---- table layer ---- */

int layers_write(const struct layers *layers, sqlite3 *db)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db,
			     "INSERT OR REPLACE INTO layer(id, samples, last_block) "
			     "VALUES(1, ?1, ?2), (2, ?3, ?4)",
			     &stmt);

	if (rc)
		return rc;
	SQL_BIND(stmt, layers->blocks.samples, layers->blocks.last_block, layers->sums.samples,
		 layers->sums.last_block);
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

/* ---- blocks ---- */

static const char with_checksums[] =
	"SELECT b.id, b.samples, b.data, c.crc FROM main.block AS b LEFT JOIN main.checksum AS c "
	"ON c.name = 'block' AND c.part = b.id WHERE b.id >= ?1 AND b.id < ?2 ORDER BY b.id";
static const char without_checksums[] =
	"SELECT id, samples, data, NULL FROM main.block WHERE id >= ?1 AND id < ?2 ORDER BY id";

int layers_prepare_blocks(sqlite3 *db, sqlite3_stmt **ret_stmt)
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

int layers_unpack_block(sqlite3_stmt *stmt, unsigned fields, struct packed_samples *samples,
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

int layers_each_block(const struct layers *layers, struct connection *connection, uint64_t first_id,
		      uint64_t end_id, unsigned fields,
		      int (*visit)(void *context, struct packed_samples *samples, struct err *why),
		      void *context, struct err *why)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	struct packed_samples samples = { { 0 } };
	uint64_t seen = 0;
	int rc = layers_prepare_blocks(connection->db, &stmt);

	if (rc)
		return rc;
	SQL_BIND(stmt, first_id, end_id);
	connection_refill(connection);
	while (!rc && (rc = sql_step(stmt)) > 0) {
		rc = layers_unpack_block(stmt, fields, &samples, why);
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

/* ---- sums that lag behind ---- */

static int add_samples(void *context, struct packed_samples *samples, struct err *why)
{
	for (size_t i = 0; i < samples->rows.count; i++)
		layers_add(context, &samples->rows.items[i]);
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
	layers_done(sums);
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
		rc = layers_write_sums(sums, connection->db);
	if (!rc)
		rc = layers_write(&even, connection->db);
	return rc ? rc : sql_exec(connection->db, "COMMIT");
}

int layers_repair(struct layers *layers, struct connection *connection, struct err *why)
{
	_cleanup_(layers_done) struct sums sums = { 0 };
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
