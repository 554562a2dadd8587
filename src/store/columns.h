/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dictionaries of a profile, described once for writing, reading and checking. A new column
 * needs a row in columns.c and a line in schema.sql (and in prospect-profile(5), which a test
 * compares).
 */
#ifndef STORE_COLUMNS_H
#define STORE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/profile.h"
#include "store/wordlist.h"

/* In the order in which they are read. */
enum table_id {
	TABLE_EVENT,
	TABLE_IMAGE,
	TABLE_PROCESS,
	TABLE_EXECUTABLE,
	TABLE_TASK,
	TABLE_SYMBOL,
	TABLE_FRAME,
	TABLE_STACK,
	TABLE_CODE,
	TABLE_LINE,
	TABLE_MARK,
	TABLE_CPU_TIME,
	TABLE_COUNT,
};

enum column_type {
	COLUMN_I32,
	COLUMN_U32,
	COLUMN_U64, /* stored as its bits: negative from 2^63 up */
	COLUMN_BOOL,
	COLUMN_DOUBLE,
	COLUMN_TEXT,	  /* a str_id in memory */
	COLUMN_SHARED,	  /* a str_id in memory, a row of table text in the file */
	COLUMN_WORD,	  /* an enumeration in memory, its word in the file */
	COLUMN_NUMBER,	  /* an enumeration in memory, its number in the file (table word) */
	COLUMN_REFERENCE, /* an index into the table `target` */
	COLUMN_BUILD_ID,
	COLUMN_CODE, /* the bytes of a struct kept_code */
	COLUMN_UP,   /* of table stack: id - parent */
};

struct column {
	const char *name;
	enum column_type type;
	size_t offset; /* in the row's struct */
	union {
		enum wordlist words;
		enum table_id target;
		size_t most_bytes; /* of COLUMN_TEXT; 0: any number */
	};
};

enum {
	TABLE_NEVER_DIRTY = -1,
	TABLE_ALWAYS_DIRTY = -2,
};

struct table {
	const char *name;
	const struct column *columns; /* all but id */
	size_t column_count;
	size_t limit;	    /* rows */
	ptrdiff_t dirty_at; /* offset of the bool in the row, or TABLE_..._DIRTY */
	size_t (*count)(const struct profile *profile);
	void *(*row)(struct profile *profile, size_t id);
	void (*append)(struct profile *profile); /* a zeroed row */
	bool optional;				 /* older files do not have it */
};

extern const struct table columns_tables[TABLE_COUNT];

/* Enumerations are accessed like 32-bit numbers. */
_Static_assert(sizeof(enum image_kind) == sizeof(uint32_t), "enumerations have 32 bits");

static inline uint32_t column_get_u32(const void *field)
{
	uint32_t value;

	memcpy(&value, field, sizeof(value));
	return value;
}

static inline void column_set_u32(void *field, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	memcpy(field, &narrow, sizeof(narrow));
}

#endif
