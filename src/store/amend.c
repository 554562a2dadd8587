/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/amend.h"

#include <errno.h>

#include "store/checksums.h"
#include "store/facts.h"
#include "store/sql.h"

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

static int check(const struct connection *connection, const struct wordlist_map *words,
		 struct err *why)
{
	uint64_t bytes;
	int rc = connection_size(connection, &bytes);

	if (!rc && bytes > AMEND_MOST_BYTES)
		return err_set(why, -EFBIG, "files of at most %llu MiB can be added to",
			       (unsigned long long)(AMEND_MOST_BYTES >> 20));
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

int amend_write(const struct connection *connection, const struct wordlist_map *words,
		const struct row_writer *rows, struct profile *profile, FILE *out, struct err *why)
{
	struct connection copy;
	int rc = check(connection, words, why);

	if (!rc)
		rc = connection_copy(connection, &copy);
	if (rc)
		return rc;
	rc = write_rows(copy.db, rows, profile);
	if (!rc)
		rc = write_bytes(copy.db, out);
	connection_close(&copy);
	return rc;
}
