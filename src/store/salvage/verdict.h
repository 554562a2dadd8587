/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides by their checksums, found in the same file, whether rows of a damaged file are as
 * written. Removes a part of a table that does not match its checksum. If rows of a part are
 * missing, or its checksum is, keeps the other rows and counts them as unverified, except rows that
 * no page led to where the part does not match.
 */
#ifndef STORE_SALVAGE_VERDICT_H
#define STORE_SALVAGE_VERDICT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct verdict {
	uint64_t written;    /* rows, if known */
	uint64_t kept;	     /* of the written ones */
	uint64_t unverified; /* of the kept ones */
};

/* For a table of checksums_rows. @db as in salvage.h. @strict: also removes rows that cannot be
 * verified, because they may be of an unfinished write. */
int verdict_rows(sqlite3 *db, const char *table, bool strict, struct verdict *ret_verdict);
/* For a table of checksums_keys. */
int verdict_keys(sqlite3 *db, const char *table, bool strict, struct verdict *ret_verdict);

/* Adds words of this program that table word lacks: those that checksums prove to be the file's; or
 * all, if the file has no checksums of words. *ret_assumed: how many without proof. */
int verdict_add_words(sqlite3 *db, uint64_t *ret_assumed);

/* The checksum of a block. 1: *ret_samples and *ret_crc; 0: none; or -errno. */
int verdict_block(sqlite3 *db, uint64_t id, uint64_t *ret_samples, uint32_t *ret_crc);

#endif
