/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table `text`: long texts that thousands of rows have in common, as processes have their
 * control group. Its ids are those of the recorder's string pool, with gaps.
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
	str_id text; /* in the profile that was read into */
};

struct texts {
	VEC(struct text_row) rows; /* ascending in id */
	struct checksums_read read;
};

/* The statement texts_write runs. */
int texts_prepare(sqlite3 *db, sqlite3_stmt **ret_stmt);
/* Writes a text of the profile, unless the file has it. */
int texts_write(sqlite3_stmt *stmt, const struct profile *profile, str_id id);

/* Reads the table; the texts are interned in @profile. -EBADMSG and the reason in @why for a table
 * that makes no sense; @why is left alone when SQLite failed. The caller calls texts_done in any
 * case. */
int texts_read(sqlite3 *db, struct profile *profile, struct texts *texts, struct err *why);
/* False when the file has no such text. */
bool texts_find(const struct texts *texts, uint64_t id, str_id *ret_text);
void texts_done(struct texts *texts);

#endif
