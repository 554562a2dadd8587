/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer holds the samples since the last flush, and the sums of the samples that layer 2 does
 * not cover yet. Both are bounded, so memory does not grow with the length of the recording. A
 * flush changes neither before its commit, so after a failure the next flush tries again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "store/checksums.h"
#include "store/connection.h"
#include "store/facts.h"
#include "store/layers.h"
#include "store/packed.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/store.h"

enum {
	/* How long a flush waits for a reader. Rings fill meanwhile, except at the end. */
	BUSY_MS = 50,
	LAST_BUSY_MS = 5000,
	/* Room for samples that stays allocated between flushes. */
	KEEP_PENDING = 1 << 14,
	/* Sums held before they are written, some 64 bytes each. */
	KEEP_SUMS = 1 << 14,
};

struct store_writer {
	struct profile *profile; /* borrowed */
	char *path;		 /* absolute */
	sqlite3 *db;
	int fd; /* of the file; closed after db, as closing it drops SQLite's locks (fcntl(2)) */
	VEC(struct sample) pending;
	struct row_writer rows;
	struct sums sums;     /* of all samples that layer 2 does not cover, also pending ones */
	struct layers layers; /* as in the file */
};

DEFINE_CLEANUP(struct store_writer *, store_writer_free);

/* Waits: a command that checks whether the file is recorded holds the lock for a moment. */
static void lock_file(int fd)
{
	while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
		;
}

/* True if the file has no name any more. */
static bool is_removed(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_nlink == 0;
}

static int create_file(struct store_writer *writer, struct err *err)
{
	writer->fd = open(writer->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (writer->fd < 0 && errno == EEXIST)
		return err_set(err, -EEXIST, "cannot create %s: file exists", writer->path);
	if (writer->fd < 0)
		return sql_explain(-errno, "create", writer->path, err);
	lock_file(writer->fd);
	return 0;
}

/* Creates and locks the file. Tries again if another command removed it as an abandoned recording
 * before it was locked. */
static int create_locked(struct store_writer *writer, struct err *err)
{
	int rc = create_file(writer, err);

	while (!rc && is_removed(writer->fd)) {
		close(steal_fd(writer->fd));
		rc = create_file(writer, err);
	}
	return rc;
}

/* No fsync: it would make a flush wait for the disk and lose samples. If the process is killed, the
 * kernel still has its writes in order; only a crash of the machine loses them. */
static int open_database(struct store_writer *writer)
{
	int code = sqlite3_open_v2(writer->path, &writer->db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW |
					   SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
				   NULL);
	int rc = sql_errno(writer->db, code);

	if (rc)
		return rc;
	rc = sql_exec(writer->db, "PRAGMA synchronous = OFF; PRAGMA secure_delete = OFF;"
				  "PRAGMA temp_store = MEMORY");
	return rc ? rc : schema_create(writer->db);
}

/* SQLite cannot create a journal if a link, a folder or a device has its name. It reports a
 * read-only file system or a loop of links. */
static int explain_write(const char *verb, const char *path, int rc, struct err *err)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", path);
	struct stat status;

	if (lstat(journal, &status) < 0 || S_ISREG(status.st_mode))
		return sql_explain(rc, verb, path, err);
	return err_set(err, rc, "cannot %s %s: a %s blocks its journal %s: remove it", verb, path,
		       S_ISLNK(status.st_mode)	 ? "symbolic link"
		       : S_ISDIR(status.st_mode) ? "folder"
						 : "device or pipe",
		       journal);
}

int store_create(const char *path, struct profile *profile, struct store_writer **ret_writer,
		 struct err *err)
{
	_cleanup_(store_writer_freep) struct store_writer *writer = xcalloc(1, sizeof(*writer));
	int rc;

	writer->fd = -1;
	writer->profile = profile;
	rc = connection_absolute(path, &writer->path, err);
	if (!rc)
		rc = create_locked(writer, err);
	if (rc)
		return rc;
	rc = open_database(writer);
	if (rc) {
		explain_write("create", writer->path, rc, err);
		unlink(writer->path);
		return rc;
	}
	*ret_writer = steal_ptr(writer);
	return 0;
}

void store_note_origin(struct store_writer *writer)
{
	store_note_origin_of(writer->profile, writer->fd);
}

bool store_add(struct store_writer *writer, const struct sample *sample)
{
	struct loss *loss = &writer->profile->events[sample->event].loss[LOSS_NOT_STORED];

	if (writer->pending.count < STORE_MAX_PENDING) {
		*vec_push(&writer->pending) = *sample;
		layers_add(&writer->sums, sample);
		return true;
	}
	loss->count++;
	loss->weight += sample->weight;
	return false;
}

uint64_t store_pending(const struct store_writer *writer)
{
	return writer->pending.count;
}

/* Numbers the blocks of a second in order: a flush in the middle of a second begins another
 * block. */
static int prepare_block(sqlite3 *db, sqlite3_stmt **ret_stmt)
{
	return sql_prepare(db,
			   "INSERT INTO block(id, samples, data) VALUES((SELECT "
			   "coalesce(max(id) + 1, ?1) FROM block WHERE id >= ?1 AND id < ?2), "
			   "?3, ?4)",
			   ret_stmt);
}

/* *ret_id: the number of the block. */
static int write_block(sqlite3_stmt *stmt, const struct sample *samples, size_t count,
		       struct buf *buf, uint64_t *ret_id)
{
	uint64_t second = samples->time_ns / NS_PER_S;
	sqlite3 *db = sqlite3_db_handle(stmt);
	int rc;

	buf_clear(buf);
	packed_encode(samples, count, second, buf);
	SQL_BIND(stmt, second << SCHEMA_BLOCK_PART_BITS, (second + 1) << SCHEMA_BLOCK_PART_BITS,
		 count);
	sqlite3_bind_blob64(stmt, 4, buf->bytes, buf->size, SQLITE_STATIC);
	rc = sql_run(stmt);
	*ret_id = (uint64_t)sqlite3_last_insert_rowid(db);
	return rc ? rc : checksums_write_block(db, *ret_id, count, buf->bytes, buf->size);
}

/* How many samples go into the block of the first one. They are in packed_compare's order. */
static size_t block_length(const struct sample *samples, size_t count)
{
	uint64_t second = samples->time_ns / NS_PER_S;
	size_t length = 1;

	while (length < count && length < PACKED_MAX_SAMPLES &&
	       samples[length].time_ns / NS_PER_S == second)
		length++;
	return length;
}

/* Also updates *blocks. */
static int write_blocks(struct store_writer *writer, struct layer *blocks)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	_cleanup_(buf_done) struct buf buf = { 0 };
	const struct sample *samples = writer->pending.items;
	size_t count = writer->pending.count;
	uint64_t id = 0;
	int rc = prepare_block(writer->db, &stmt);

	qsort(writer->pending.items, count, sizeof(*samples), packed_compare);
	for (size_t i = 0, length; !rc && i < count; i += length) {
		length = block_length(samples + i, count - i);
		rc = write_block(stmt, samples + i, length, &buf, &id);
		if (!rc && id > blocks->last_block)
			blocks->last_block = id;
	}
	blocks->samples += count;
	return rc;
}

/* True if layer 2 must be written: the run has ended, or enough sums have accumulated. */
static bool sums_due(const struct store_writer *writer)
{
	return writer->profile->run.end_ns || writer->sums.totals.rows.count >= KEEP_SUMS ||
	       writer->sums.seconds.count >= KEEP_SUMS;
}

static int write_samples(struct store_writer *writer, struct layers *layers)
{
	int rc = writer->pending.count ? write_blocks(writer, &layers->blocks) : 0;

	if (!rc && sums_due(writer)) {
		rc = layers_write_sums(&writer->sums, writer->db);
		layers->sums = layers->blocks;
	}
	return rc ? rc : layers_write(layers, writer->db);
}

/* Also updates *layers. */
static int write_all(struct store_writer *writer, struct layers *layers)
{
	int rc;

	sqlite3_busy_timeout(writer->db, writer->profile->run.end_ns ? LAST_BUSY_MS : BUSY_MS);
	rc = sql_exec(writer->db, "BEGIN IMMEDIATE");
	if (!rc)
		rc = row_writer_run(&writer->rows, writer->db, writer->profile);
	if (!rc)
		rc = facts_write(writer->db, writer->profile);
	if (!rc)
		rc = branch_rows_write(writer->db, writer->profile);
	if (!rc)
		rc = write_samples(writer, layers);
	return rc ? rc : sql_exec(writer->db, "COMMIT");
}

/* Releases what is now in the file. */
static void settle(struct store_writer *writer, const struct layers *layers)
{
	row_writer_settle(&writer->rows, writer->profile);
	writer->layers = *layers;
	if (!layers_behind(layers))
		layers_done(&writer->sums);
	writer->pending.count = 0;
	if (writer->pending.capacity > KEEP_PENDING)
		vec_free(&writer->pending);
}

static bool is_moved(const struct store_writer *writer)
{
	struct stat ours, there;

	if (fstat(writer->fd, &ours) < 0)
		return false;
	if (lstat(writer->path, &there) < 0)
		return errno == ENOENT;
	return ours.st_dev != there.st_dev || ours.st_ino != there.st_ino;
}

bool store_is_in_place(const struct store_writer *writer)
{
	return !is_removed(writer->fd) && !is_moved(writer);
}

/* SQLite would go on writing to a file without a name. It calls a renamed file read-only, because
 * the journal would be beside the old name. */
static int check_still_there(const struct store_writer *writer, struct err *err)
{
	if (is_removed(writer->fd))
		return err_set(err, -ENOENT, "cannot write %s: the file was removed", writer->path);
	if (is_moved(writer))
		return err_set(err, -ENOENT,
			       "cannot write %s: the file or a folder of its path was moved; the "
			       "profile recorded so far moved with it",
			       writer->path);
	return 0;
}

int store_flush(struct store_writer *writer, struct err *err)
{
	struct layers layers = writer->layers;
	int rc = check_still_there(writer, err);

	if (rc)
		return rc;
	rc = write_all(writer, &layers);
	if (rc) {
		explain_write("write", writer->path, rc, err);
		sql_exec(writer->db, "ROLLBACK");
		/* The file was moved during the flush. */
		return rc == -EROFS && check_still_there(writer, err) < 0 ? -ENOENT : rc;
	}
	settle(writer, &layers);
	return 0;
}

void store_writer_free(struct store_writer *writer)
{
	if (!writer)
		return;
	sqlite3_close(writer->db);
	if (writer->fd >= 0)
		close(writer->fd);
	vec_free(&writer->pending);
	layers_done(&writer->sums);
	free(writer->path);
	free(writer);
}
