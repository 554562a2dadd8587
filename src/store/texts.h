/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table `text`: long texts that thousands of rows share, such as the control groups of
 * processes. Its ids are those of the recorder's string pool, with gaps.
 */
#ifndef STORE_TEXTS_H
#define STORE_TEXTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "model/profile.h"
#include "store/checksums.h"

struct text_row {
	uint32_t id;
	str_id text; /* in the profile being read */
};

struct texts {
	VEC(struct text_row) rows; /* ascending in id */
	struct checksums_read read;
};

/* The statement texts_write runs. */
int texts_prepare(sqlite3 *db, sqlite3_stmt **ret_stmt);
/* Writes a text of the profile unless the file has it. */
int texts_write(sqlite3_stmt *stmt, const struct profile *profile, str_id id);

/* Reads the table and interns its texts in @profile. -EBADMSG, with the reason in @why, if the
 * table is invalid; @why is untouched if SQLite failed. The caller always calls texts_done. */
int texts_read(sqlite3 *db, struct profile *profile, struct texts *texts, struct err *why);
/* False if the file has no such text. */
bool texts_find(const struct texts *texts, uint64_t id, str_id *ret_text);
void texts_done(struct texts *texts);

#endif
