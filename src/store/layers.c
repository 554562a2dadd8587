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

static int read_layer(void *context, const struct datum *values, struct err *why)
{
	struct layers *layers = context;
	struct layer layer;
	uint64_t id;

	if (!datum_at_most(&values[0], 2, &id) || !id ||
	    !datum_at_most(&values[1], INT64_MAX, &layer.samples) ||
	    !datum_at_most(&values[2], INT64_MAX, &layer.last_block))
		return err_set(why, -EBADMSG, "invalid row in table layer");
	*(id == 1 ? &layers->blocks : &layers->sums) = layer;
	return 0;
}

static void forget(void *context)
{
	*(struct layers *)context = (struct layers){ 0 };
}

int layers_read(struct layers *ret_layers, const struct table_source *source, struct err *why)
{
	struct layers layers = { 0 };
	const struct table_visitor visitor = { &layers, forget, read_layer };
	int rc = table_rows_each(source, "layer", "id,samples,last_block", &visitor, why);

	if (!rc && layers.sums.samples > layers.blocks.samples)
		rc = err_set(why, -EBADMSG, "invalid row in table layer");
	if (!rc)
		*ret_layers = layers;
	return rc;
}

bool layers_behind(const struct layers *layers)
{
	return layers->sums.samples != layers->blocks.samples;
}

/* ---- blocks ---- */

/* Ends a visit of pages; not PAGES_ODD. */
enum { STOPPED = 2 };

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

static int unpack(uint64_t id, uint64_t count, const void *bytes, size_t size, unsigned fields,
		  struct packed_samples *samples, struct err *why)
{
	int rc = packed_decode(bytes, size, id >> SCHEMA_BLOCK_PART_BITS, fields, samples);

	if (rc || samples->rows.count != count)
		return err_set(why, -EBADMSG, "cannot decompress block %llu",
			       (unsigned long long)id);
	return 0;
}

static int is_changed(uint64_t id, struct err *why)
{
	return err_set(why, -EBADMSG, "checksum mismatch in block %llu", (unsigned long long)id);
}

int layers_unpack_block(sqlite3_stmt *stmt, unsigned fields, struct packed_samples *samples,
			struct err *why)
{
	uint64_t id, count;
	const void *bytes;
	size_t size;

	if (!sql_column_at_most(stmt, 0, INT64_MAX, &id) || !sql_column_u64(stmt, 1, &count) ||
	    sqlite3_column_type(stmt, 2) != SQLITE_BLOB)
		return err_set(why, -EBADMSG, "invalid row in table block");
	bytes = sqlite3_column_blob(stmt, 2);
	size = (size_t)sqlite3_column_bytes(stmt, 2);
	return is_as_written(stmt, bytes, size)
		       ? unpack(id, count, bytes, size, fields, samples, why)
		       : is_changed(id, why);
}

/* The arguments of layers_each_block. */
struct blocks_visit {
	const struct layers *layers;
	const struct written *written;
	struct block_wish wish;
	int (*visit)(void *context, struct packed_samples *samples, struct err *why);
	void *context;
	struct err *why;
	struct packed_samples samples;
	uint64_t seen;
	int rc; /* of the visitor or of unpacking */
};

/* The fields to unpack: no times if the whole second is in one slice. */
static unsigned fields_of(const struct blocks_visit *blocks, uint64_t id)
{
	const struct block_wish *wish = &blocks->wish;
	uint64_t from_ns = (id >> SCHEMA_BLOCK_PART_BITS) * NS_PER_S;

	if (!wish->slices.length_ns ||
	    sample_slices_number(&wish->slices, from_ns) !=
		    sample_slices_number(&wish->slices, from_ns + NS_PER_S - 1))
		return wish->fields;
	return wish->fields & ~(unsigned)SAMPLE_TIME;
}

static int visit_unpacked(struct blocks_visit *blocks)
{
	blocks->seen += blocks->samples.rows.count;
	/* The pages of a damaged file may form a cycle. */
	if (blocks->seen > blocks->layers->blocks.samples)
		return err_set(blocks->why, -EBADMSG, "more samples than table layer says");
	return blocks->visit(blocks->context, &blocks->samples, blocks->why);
}

/* Takes a block from a page. Blocks that were visited are not visited again, whatever follows. */
static int visit_page_block(void *context, struct page_row *row)
{
	struct blocks_visit *blocks = context;
	uint64_t id = (uint64_t)row->id, count;
	struct datum data;

	if (!page_row_null(row) || row->id < 0 || id < blocks->wish.first_id ||
	    !page_row_at_most(row, INT64_MAX, &count) || !page_row_datum(row, &data) ||
	    data.type != SQLITE_BLOB || !page_row_end(row))
		return PAGES_ODD;
	blocks->wish.first_id = id + 1;
	if (!written_has_block(blocks->written, id, data.bytes, data.size))
		blocks->rc = is_changed(id, blocks->why);
	else
		blocks->rc = unpack(id, count, data.bytes, data.size, fields_of(blocks, id),
				    &blocks->samples, blocks->why);
	if (!blocks->rc)
		blocks->rc = visit_unpacked(blocks);
	return blocks->rc ? STOPPED : 0;
}

/* False: SQLite must be asked for what was not visited. */
static bool visit_pages(struct blocks_visit *blocks, struct pages *pages)
{
	const struct page_rows rows = { "block", "id,samples,data", (int64_t)blocks->wish.first_id,
					(int64_t)blocks->wish.end_id };

	return pages && pages_visit(pages, &rows, visit_page_block, blocks) != PAGES_ODD;
}

static int visit_by_sql(struct blocks_visit *blocks, struct connection *connection)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = layers_prepare_blocks(connection->db, &stmt);

	if (rc)
		return rc;
	SQL_BIND(stmt, blocks->wish.first_id, blocks->wish.end_id);
	connection_refill(connection);
	while (!rc && (rc = sql_step(stmt)) > 0) {
		rc = layers_unpack_block(stmt, blocks->wish.fields, &blocks->samples, blocks->why);
		if (!rc)
			rc = visit_unpacked(blocks);
	}
	return rc;
}

int layers_each_block(const struct layers *layers, struct connection *connection,
		      const struct block_wish *wish,
		      int (*visit)(void *context, struct packed_samples *samples, struct err *why),
		      void *context, struct err *why)
{
	struct blocks_visit blocks = { .layers = layers,
				       .written = &connection->written,
				       .wish = *wish,
				       .visit = visit,
				       .context = context,
				       .why = why };
	int rc = connection_read_written(connection, why);

	if (!rc)
		rc = visit_pages(&blocks, connection->source.pages)
			     ? blocks.rc
			     : visit_by_sql(&blocks, connection);
	vec_free(&blocks.samples.rows);
	return rc;
}

static int take_first(void *context, struct page_row *row)
{
	*(int64_t *)context = row->id;
	return STOPPED;
}

int layers_first_block(const struct connection *connection, uint64_t *ret_id)
{
	struct pages *pages = connection->source.pages;
	const struct page_rows rows = { .table = "block", .columns = "id,samples,data" };
	int64_t id = -1;
	int rc = pages ? pages_visit(pages, &rows, take_first, &id) : PAGES_ODD;

	if (rc == PAGES_ODD || (rc == STOPPED && id < 0))
		return sql_number(connection->db, "SELECT id FROM main.block ORDER BY id LIMIT 1",
				  ret_id);
	*ret_id = (uint64_t)id;
	return rc == STOPPED;
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
	struct block_wish wish = { layers->sums.last_block + 1, INT64_MAX, SAMPLE_ALL, { 0 } };
	int rc = layers_each_block(layers, connection, &wish, add_samples, sums, why);

	*ret_all = false;
	if (rc || sums->samples == lacking)
		return rc;
	/* Some samples came late, into blocks of earlier seconds. */
	layers_done(sums);
	*ret_all = true;
	wish.first_id = 0;
	rc = layers_each_block(layers, connection, &wish, add_samples, sums, why);
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
	rc = sql_exec(connection->db, "BEGIN; PRAGMA user_version");
	if (rc)
		return rc;
	connection_read_anew(connection);
	return layers_read(layers, &connection->source, why);
}
