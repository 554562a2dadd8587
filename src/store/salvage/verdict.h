/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Are rows that were found in a damaged file as they were written? Their checksums say so, which
 * were found there too: a part of a table that does not match its own is removed. Where rows of a
 * part are missing, or its checksum is, the others are kept, and counted as not verified.
 */
#ifndef STORE_SALVAGE_VERDICT_H
#define STORE_SALVAGE_VERDICT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct verdict {
	uint64_t written;    /* rows, as far as that is known */
	uint64_t kept;	     /* of them */
	uint64_t unverified; /* of those kept */
};

/* Of a table of checksums_rows. @db: as salvage.h has it. @strict: rows that cannot be verified are
 * removed too, for some may be of a write that was not finished. */
int verdict_rows(sqlite3 *db, const char *table, bool strict, struct verdict *ret_verdict);
/* Of a table of checksums_keys. */
int verdict_keys(sqlite3 *db, const char *table, bool strict, struct verdict *ret_verdict);

/* Adds the words of this program that are missing in table word: those that the checksums prove to
 * be the file's; all, where it has no checksums of words (*ret_assumed says how many). */
int verdict_add_words(sqlite3 *db, uint64_t *ret_assumed);

/* What the checksums say of a block. 1: *ret_samples and *ret_crc; 0: nothing; or -errno. */
int verdict_block(sqlite3 *db, uint64_t id, uint64_t *ret_samples, uint32_t *ret_crc);

#endif
