/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/xalloc.h"
#include "store/checksums.h"
#include "store/connection.h"
#include "store/facts.h"
#include "store/layers.h"
#include "store/packed.h"
#include "store/pages.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/wordlist.h"

struct store_reader {
	struct connection connection;
	struct wordlist_map words;
	struct layers layers;
	struct row_writer rows; /* how many the profile that was loaded last has */
};

DEFINE_CLEANUP(struct store_reader *, store_close);
DEFINE_CLEANUP(struct profile *, profile_free);

/* ---- opening ---- */

static int prepare_rows(struct store_reader *reader, struct err *why)
{
	struct connection *connection = &reader->connection;
	int rc = wordlist_read(&connection->source, &reader->words, why);

	if (!rc)
		rc = layers_read(&reader->layers, &connection->source, why);
	if (!rc && layers_behind(&reader->layers))
		rc = layers_repair(&reader->layers, connection, why);
	return rc;
}

/* Tables that are all as in schema.sql need neither a check nor SQLite. */
static int prepare(struct store_reader *reader, struct err *err)
{
	struct connection *connection = &reader->connection;
	struct err why = { "" };
	int rc = 0;

	if (!schema_is_known(&connection->source)) {
		rc = connection_read_schema(connection, err);
		if (rc)
			return rc;
		rc = schema_check(connection->db, &why);
	}
	if (!rc)
		rc = prepare_rows(reader, &why);
	return rc ? connection_explain(connection, rc, &why, err) : 0;
}

int store_open(const char *path, struct store_reader **ret_reader, struct err *err)
{
	_cleanup_(store_closep) struct store_reader *reader = xcalloc(1, sizeof(*reader));
	int rc = connection_open(&reader->connection, path, err);

	if (!rc)
		rc = prepare(reader, err);
	if (rc)
		return rc;
	*ret_reader = steal_ptr(reader);
	return 0;
}

void store_close(struct store_reader *reader)
{
	if (!reader)
		return;
	connection_close(&reader->connection);
	free(reader);
}

bool store_is_live(const struct store_reader *reader)
{
	return reader->connection.recording;
}

uint64_t store_last_second(const struct store_reader *reader)
{
	return reader->layers.blocks.last_block >> SCHEMA_BLOCK_PART_BITS;
}

uint64_t store_end_ns(const struct store_reader *reader, const struct profile *profile)
{
	uint64_t end_ns = profile->run.end_ns;

	return end_ns ? end_ns : (store_last_second(reader) + 1) * NS_PER_S;
}

int store_span(const struct store_reader *reader, uint64_t *ret_from_ns, uint64_t *ret_to_ns,
	       struct err *err)
{
	struct err why = { "" };
	uint64_t first = 0;
	int rc = layers_first_block(&reader->connection, &first);

	if (rc < 0)
		return connection_explain(&reader->connection, rc, &why, err);
	*ret_from_ns = (first >> SCHEMA_BLOCK_PART_BITS) * NS_PER_S;
	*ret_to_ns = rc ? (store_last_second(reader) + 1) * NS_PER_S : *ret_from_ns;
	return 0;
}

/* ---- dictionaries and facts ---- */

int store_load_profile(struct store_reader *reader, struct profile **ret_profile, struct err *err)
{
	_cleanup_(profile_freep) struct profile *profile = profile_new();
	struct connection *connection = &reader->connection;
	struct err why = { "" };
	int rc;

	connection_refill(connection);
	rc = connection_read_written(connection, &why);
	if (!rc)
		rc = row_reader_run(&connection->source, &reader->words, &connection->written,
				    profile, &why);
	if (!rc)
		rc = facts_read(&connection->source, &connection->written, profile, &why);
	if (rc)
		return connection_explain(connection, rc, &why, err);
	row_writer_settle(&reader->rows, profile);
	*ret_profile = steal_ptr(profile);
	return 0;
}

int store_load_run(struct store_reader *reader, struct profile **ret_profile, struct err *err)
{
	_cleanup_(profile_freep) struct profile *profile = profile_new();
	struct err why = { "" };
	int rc = facts_read_run(&reader->connection.source, profile, &why);

	if (rc)
		return connection_explain(&reader->connection, rc, &why, err);
	*ret_profile = steal_ptr(profile);
	return 0;
}

void store_rest(struct store_reader *reader)
{
	connection_rest(&reader->connection);
}

int store_has_command(struct store_reader *reader, bool *ret_has, struct err *err)
{
	struct err why = { "" };
	int rc;

	connection_refill(&reader->connection);
	rc = row_reader_command(&reader->connection.source, ret_has, &why);
	return rc ? connection_explain(&reader->connection, rc, &why, err) : 0;
}

int store_find_mark(struct store_reader *reader, const char *text, uint64_t *ret_ns,
		    struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	sqlite3 *db = reader->connection.db;
	struct err why = { "" };
	int rc = schema_has(db, "mark");

	if (rc <= 0)
		return rc < 0 ? connection_explain(&reader->connection, rc, &why, err) : 0;
	rc = sql_prepare(db, "SELECT max(time_ns) FROM mark WHERE text = ?1", &stmt);
	if (!rc) {
		sql_bind_text(stmt, 1, text);
		rc = sql_step(stmt);
	}
	if (rc < 0)
		return connection_explain(&reader->connection, rc, &why, err);
	return sqlite3_column_type(stmt, 0) == SQLITE_INTEGER && sql_column_u64(stmt, 0, ret_ns);
}

/* ---- a copy with more names ---- */

/* True if the numbers of these words mean in the file what they mean here. Words that only the file
 * has occur only in rows that are not rewritten. */
static bool has_words(const struct wordlist_map *words)
{
	static const enum wordlist lists[] = { WORDLIST_FRAME_KIND, WORDLIST_SYMBOL_KIND };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (unsigned number = 0; number <= WORDLIST_MAX_NUMBER; number++) {
			unsigned ours = wordlist_ours(words, lists[i], number);

			if (ours != WORDLIST_UNKNOWN && ours != number)
				return false;
		}
	}
	return wordlist_ours(words, WORDLIST_SYMBOL_KIND, SYMBOL_NAMED) == SYMBOL_NAMED &&
	       wordlist_ours(words, WORDLIST_SYMBOL_KIND, SYMBOL_PLT) == SYMBOL_PLT;
}

static int check_copy(const struct connection *connection, const struct wordlist_map *words,
		      struct err *why)
{
	uint64_t bytes;
	int rc = connection_size(connection, &bytes);

	if (!rc && bytes > STORE_MOST_COPY_BYTES)
		return err_set(why, -EFBIG, "files of at most %llu MiB can be added to",
			       (unsigned long long)(STORE_MOST_COPY_BYTES >> 20));
	if (!rc)
		rc = checksums_there(connection->db);
	if (rc < 0)
		return rc;
	if (!rc || !has_words(words))
		return err_set(why, -ENOTSUP,
			       "it is from a version of prospect whose files cannot be added to; "
			       "'prospect recover' makes a new one of it");
	return 0;
}

static int write_rows(sqlite3 *db, const struct row_writer *rows, struct profile *profile)
{
	int rc = sql_exec(db, "BEGIN IMMEDIATE");

	if (!rc)
		rc = row_writer_run(rows, db, profile);
	if (!rc)
		rc = facts_write(db, profile);
	return rc ? rc : sql_exec(db, "COMMIT");
}

static int write_bytes(sqlite3 *db, FILE *out)
{
	sqlite3_int64 size = 0;
	const unsigned char *bytes = sqlite3_serialize(db, "main", &size, SQLITE_SERIALIZE_NOCOPY);

	if (!bytes)
		return -ENOMEM;
	errno = 0;
	if (fwrite(bytes, 1, (size_t)size, out) == (size_t)size && fflush(out) == 0)
		return 0;
	return errno ? -errno : -EIO;
}

/* Adds the rows in memory, so no half-written file can remain and no other file is touched. */
static int write_copy(const struct store_reader *reader, struct profile *profile, FILE *out,
		      struct err *why)
{
	struct connection copy;
	int rc = check_copy(&reader->connection, &reader->words, why);

	if (!rc)
		rc = connection_copy(&reader->connection, &copy);
	if (rc)
		return rc;
	rc = write_rows(copy.db, &reader->rows, profile);
	if (!rc)
		rc = write_bytes(copy.db, out);
	connection_close(&copy);
	return rc;
}

int store_write_copy(struct store_reader *reader, struct profile *profile, FILE *out,
		     struct err *err)
{
	const char *path = reader->connection.path;
	struct err why = { "" };
	int rc = write_copy(reader, profile, out, &why);

	if (rc && why.text[0])
		return err_set(err, rc, "%s: %s", path, why.text);
	return rc ? sql_explain(rc, "copy", path, err) : 0;
}

/* ---- totals ---- */

/* Translates the file's mode and context to ours. False: something is out of range. Unwanted fields
 * are not checked. */
static bool translate(const struct store_reader *reader, unsigned fields, struct total *total)
{
	const size_t *rows = reader->rows.written;
	unsigned mode = fields & SAMPLE_MODE
				? wordlist_ours(&reader->words, WORDLIST_MODE, total->mode)
				: 0;
	unsigned context = fields & SAMPLE_CONTEXT
				   ? wordlist_ours(&reader->words, WORDLIST_CONTEXT, total->context)
				   : 0;

	total->mode = (uint8_t)mode;
	total->context = (uint8_t)context;
	return mode != WORDLIST_UNKNOWN && context != WORDLIST_UNKNOWN &&
	       total->event < rows[TABLE_EVENT] && total->task < rows[TABLE_TASK] &&
	       total->stack < rows[TABLE_STACK];
}

static const char total_columns[] = "stack,task,event,mode,context,samples,weight,weight_squared";

static bool read_total(sqlite3_stmt *stmt, struct total *total)
{
	uint64_t stack, task, event, mode, context;

	if (!sql_column_at_most(stmt, 0, UINT32_MAX, &stack) ||
	    !sql_column_at_most(stmt, 1, UINT32_MAX, &task) ||
	    !sql_column_at_most(stmt, 2, UINT8_MAX, &event) ||
	    !sql_column_at_most(stmt, 3, UINT8_MAX, &mode) ||
	    !sql_column_at_most(stmt, 4, UINT8_MAX, &context) ||
	    !sql_column_at_most(stmt, 5, INT64_MAX, &total->samples) ||
	    !sql_column_u64(stmt, 6, &total->weight) ||
	    !sql_column_double(stmt, 7, &total->weight_squared))
		return false;
	total->stack = (uint32_t)stack;
	total->task = (uint32_t)task;
	total->event = (uint8_t)event;
	total->mode = (uint8_t)mode;
	total->context = (uint8_t)context;
	return total->samples > 0 && total->weight_squared >= 0;
}

/* Where each_total_of_pages sends rows. */
struct totals_visit {
	void (*visit)(void *context, const struct total *total);
	void *context;
	uint64_t left; /* samples of layer 2 that were not visited yet */
};

/* Columns of total before weight_squared, in the order of the file. */
enum { TOTAL_INTEGERS = 7 };

/* Converts all but weight_squared. False: a value does not fit. */
static bool total_of(const int64_t values[TOTAL_INTEGERS], struct total *ret_total)
{
	struct total total = { .stack = (uint32_t)values[0],
			       .task = (uint32_t)values[1],
			       .event = (uint8_t)values[2],
			       .mode = (uint8_t)values[3],
			       .context = (uint8_t)values[4],
			       .samples = (uint64_t)values[5],
			       .weight = (uint64_t)values[6] };

	*ret_total = total;
	return values[0] == total.stack && values[1] == total.task && values[2] == total.event &&
	       values[3] == total.mode && values[4] == total.context && values[5] > 0;
}

static int visit_total_row(void *context, struct page_row *row)
{
	struct totals_visit *visit = context;
	int64_t values[TOTAL_INTEGERS];
	struct total total;

	if (!page_row_integers(row, values, TOTAL_INTEGERS) || !total_of(values, &total) ||
	    total.samples > visit->left || !page_row_double(row, &total.weight_squared) ||
	    total.weight_squared < 0 || !page_row_end(row))
		return PAGES_ODD;
	visit->left -= total.samples;
	visit->visit(visit->context, &total);
	return 0;
}

/* Reads the table straight from the pages. PAGES_ODD: discard what was visited and ask SQLite. */
static int each_total_of_pages(struct store_reader *reader,
			       void (*visit)(void *context, const struct total *total),
			       void *context)
{
	struct totals_visit wanted = { visit, context, reader->layers.sums.samples };
	struct pages *pages = reader->connection.source.pages;
	int rc = !pages ? PAGES_ODD
			: pages_visit(pages, &(struct page_rows){ "total", total_columns, 0, 0 },
				      visit_total_row, &wanted);

	return !rc && wanted.left ? PAGES_ODD : rc;
}

/* Visits the rows of the table. They must add up to the samples that layer 2 covers. */
static int each_total(struct store_reader *reader,
		      void (*visit)(void *context, const struct total *total), void *context,
		      struct err *why)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t left = reader->layers.sums.samples;
	struct total total;
	int rc = sql_prepare(reader->connection.db,
			     "SELECT stack, task, event, mode, context, samples, weight, "
			     "weight_squared FROM total "
			     "ORDER BY stack, task, event, mode, context",
			     &stmt);

	connection_refill(&reader->connection);
	while (!rc && (rc = sql_step(stmt)) > 0) {
		if (!read_total(stmt, &total) || total.samples > left)
			return err_set(why, -EBADMSG, "invalid row in table total");
		left -= total.samples;
		visit(context, &total);
		rc = 0;
	}
	if (!rc && left)
		rc = err_set(why, -EBADMSG, "%llu samples are missing from table total",
			     (unsigned long long)left);
	return rc;
}

static void append_total(void *context, const struct total *total)
{
	struct totals *totals = context;

	*vec_push(&totals->rows) = *total;
}

static void merge_total(void *context, const struct total *total)
{
	layers_add_total(context, total);
}

/* Adds the missing samples to the table's totals, for a file whose layer 2 could not be updated. */
static int load_behind(struct store_reader *reader, struct totals *ret_totals, struct err *why)
{
	_cleanup_(layers_done) struct sums sums = { 0 };
	bool all;
	int rc = layers_missing(&reader->layers, &reader->connection, &sums, &all, why);

	if (!rc && !all)
		rc = each_total(reader, merge_total, &sums, why);
	*ret_totals = sums.totals;
	sums.totals = (struct totals){ { 0 } };
	return rc;
}

static int load(struct store_reader *reader, struct totals *ret_totals, struct err *why)
{
	if (layers_behind(&reader->layers))
		return load_behind(reader, ret_totals, why);
	if (each_total_of_pages(reader, append_total, ret_totals) == 0)
		return 0;
	ret_totals->rows.count = 0;
	return each_total(reader, append_total, ret_totals, why);
}

int store_load_totals(struct store_reader *reader, struct totals *ret_totals, struct err *err)
{
	struct totals totals = { { 0 } };
	struct err why = { "" };
	int rc = load(reader, &totals, &why);

	for (size_t i = 0; !rc && i < totals.rows.count; i++) {
		if (!translate(reader, SAMPLE_ALL, &totals.rows.items[i]))
			rc = err_set(&why, -EBADMSG,
				     "a row of table total refers to a missing row");
	}
	if (rc) {
		vec_free(&totals.rows);
		return connection_explain(&reader->connection, rc, &why, err);
	}
	*ret_totals = totals;
	return 0;
}

/* ---- samples ---- */

/* The arguments of store_each_batch. */
struct window {
	const struct store_reader *reader;
	const struct sample_wish *wish;
	int (*visit)(void *context, const struct sample *samples, size_t count);
	void *context;
	int stopped;   /* what the visitor returned */
	uint64_t seen; /* samples of the visited blocks, in the window or not */
};

/* Ends layers_each_block early; this is not an error. */
enum { VISITOR_STOPPED = 1 };

static bool sample_ours(const struct window *window, struct sample *sample)
{
	struct total total = { .task = sample->task,
			       .stack = sample->stack,
			       .event = sample->event,
			       .mode = sample->mode,
			       .context = sample->context };
	bool good = translate(window->reader, window->wish->fields, &total);

	sample->mode = total.mode;
	sample->context = total.context;
	return good;
}

static int visit_block(void *context, struct packed_samples *samples, struct err *why)
{
	struct window *window = context;
	const struct sample_wish *wish = window->wish;
	size_t count = samples->rows.count, kept = 0;

	window->seen += count;
	for (size_t i = 0; i < count; i++) {
		struct sample *sample = &samples->rows.items[i];

		if (sample->time_ns < wish->from_ns || sample->time_ns >= wish->to_ns)
			continue;
		if (!sample_ours(window, sample))
			return err_set(why, -EBADMSG,
				       "the sample at %llu ns refers to a missing row",
				       (unsigned long long)sample->time_ns);
		if (kept != i)
			samples->rows.items[kept] = *sample;
		kept++;
	}
	if (kept)
		window->stopped = window->visit(window->context, samples->rows.items, kept);
	return window->stopped ? VISITOR_STOPPED : 0;
}

static uint64_t first_id(uint64_t second)
{
	const uint64_t most = INT64_MAX >> SCHEMA_BLOCK_PART_BITS;

	return (second < most ? second : most) << SCHEMA_BLOCK_PART_BITS;
}

/* Visits the seconds [first, end) with these fields. */
static int visit_seconds(struct window *window, struct store_reader *reader, uint64_t first,
			 uint64_t end, unsigned fields, struct err *why)
{
	const struct block_wish wish = { first_id(first), first_id(end), fields,
					 window->wish->slices };

	return first < end ? layers_each_block(&reader->layers, &reader->connection, &wish,
					       visit_block, window, why)
			   : 0;
}

/* Visits a second in which the window begins or ends, with exact times. */
static int visit_border(struct window *window, struct store_reader *reader, uint64_t second,
			struct err *why)
{
	const struct block_wish wish = {
		first_id(second), first_id(second + 1), window->wish->fields | SAMPLE_TIME, { 0 }
	};

	return layers_each_block(&reader->layers, &reader->connection, &wish, visit_block, window,
				 why);
}

static int visit_window(struct window *window, struct store_reader *reader, struct err *why)
{
	const struct sample_wish *wish = window->wish;
	uint64_t first = wish->from_ns / NS_PER_S, end = wish->to_ns / NS_PER_S;
	bool cut_first = wish->from_ns % NS_PER_S, cut_last = wish->to_ns % NS_PER_S;
	int rc = 0;

	if (cut_first && first < end)
		rc = visit_border(window, reader, first, why);
	if (!rc)
		rc = visit_seconds(window, reader, first + cut_first, end, wish->fields, why);
	if (!rc && cut_last)
		rc = visit_border(window, reader, end, why);
	return rc;
}

int store_each_batch(struct store_reader *reader, const struct sample_wish *wish,
		     int (*visit)(void *context, const struct sample *samples, size_t count),
		     void *context, struct err *err)
{
	struct window window = {
		.reader = reader, .wish = wish, .visit = visit, .context = context
	};
	struct err why = { "" };
	int rc = visit_window(&window, reader, &why);

	if (rc == VISITOR_STOPPED)
		return window.stopped;
	if (!rc && !wish->from_ns && wish->to_ns == UINT64_MAX &&
	    window.seen != reader->layers.blocks.samples)
		rc = err_set(&why, -EBADMSG, "samples are missing from table block");
	return rc ? connection_explain(&reader->connection, rc, &why, err) : 0;
}

int store_each_branch(struct store_reader *reader,
		      void (*visit)(void *context, const struct branch *branch), void *context,
		      struct err *err)
{
	struct err why = { "" };
	int rc;

	connection_refill(&reader->connection);
	rc = branch_rows_each(reader->connection.db, reader->rows.written, visit, context, &why);
	return rc ? connection_explain(&reader->connection, rc, &why, err) : 0;
}
