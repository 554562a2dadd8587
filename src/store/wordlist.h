/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The word lists of model/words.h as the file has them. Tables with few rows hold the words
 * themselves. Tables with many rows hold numbers, and the table `word` says what those mean in this
 * file. Readers go by the names, so a word added in the middle of a list does not change the
 * meaning of older files.
 */
#ifndef STORE_WORDLIST_H
#define STORE_WORDLIST_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"
#include "store/table_rows.h"

enum wordlist {
	WORDLIST_MODE,
	WORDLIST_CONTEXT,
	WORDLIST_FRAME_KIND,
	WORDLIST_SYMBOL_KIND,
	WORDLIST_IMAGE_KIND,
	WORDLIST_IMAGE_STATE,
	WORDLIST_CLOCK_KIND,
	WORDLIST_COUNT,
};

enum {
	WORDLIST_MAX_NUMBER = 31, /* of a word in a file */
	WORDLIST_UNKNOWN = 255,
};

/* Maps a file's numbers to ours; WORDLIST_UNKNOWN if the file or this program has no such word. */
struct wordlist_map {
	uint8_t ours[WORDLIST_COUNT][WORDLIST_MAX_NUMBER + 1];
};

/* @value must be below the list's count. */
const char *wordlist_text(enum wordlist list, unsigned value);
/* WORDLIST_UNKNOWN if no word has this name. */
unsigned wordlist_value(enum wordlist list, const char *text);
/* Translates a file's number. */
static inline unsigned wordlist_ours(const struct wordlist_map *map, enum wordlist list,
				     uint64_t number)
{
	return number <= WORDLIST_MAX_NUMBER ? map->ours[list][number] : WORDLIST_UNKNOWN;
}

/* Inserts the words of a list into a table with the columns list, id and name. */
int wordlist_insert(sqlite3 *db, const char *table, enum wordlist list);
/* Fills the table `word` of a new file. */
int wordlist_write(sqlite3 *db);
/* Reads it. Skips unknown lists. -EBADMSG, with the reason in @why, for an invalid row. */
int wordlist_read(const struct table_source *source, struct wordlist_map *ret_map, struct err *why);

#endif
