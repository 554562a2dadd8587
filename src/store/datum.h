/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A value of a row of an untrusted file, whether SQLite or our own reader found it. */
#ifndef STORE_DATUM_H
#define STORE_DATUM_H

#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct datum {
	uint8_t type; /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL */
	size_t size;  /* of text and blobs, in bytes */
	union {
		int64_t integer;
		double number;
		const void *bytes; /* of text, without a NUL at the end, and blobs; borrowed */
	};
};

/* Each reads a value. False: it has another type, or does not fit. */
static inline bool datum_u64(const struct datum *value, uint64_t *ret_value)
{
	*ret_value = (uint64_t)value->integer;
	return value->type == SQLITE_INTEGER;
}

static inline bool datum_at_most(const struct datum *value, uint64_t most, uint64_t *ret_value)
{
	return datum_u64(value, ret_value) && *ret_value <= most;
}

/* A finite number. */
static inline bool datum_double(const struct datum *value, double *ret_value)
{
	*ret_value = value->type == SQLITE_FLOAT ? value->number : (double)value->integer;
	return (value->type == SQLITE_FLOAT || value->type == SQLITE_INTEGER) &&
	       isfinite(*ret_value);
}

/* Text; a NUL inside ends it. */
static inline bool datum_text(const struct datum *value, const char **ret_text, size_t *ret_length)
{
	if (value->type != SQLITE_TEXT)
		return false;
	*ret_text = value->bytes;
	*ret_length = strnlen(value->bytes, value->size);
	return true;
}

/* A short text with a NUL at its end, cut to fit: for names of lists, all shorter. */
enum { DATUM_NAME_BYTES = 64 };
static inline bool datum_name(const struct datum *value, char ret_name[DATUM_NAME_BYTES])
{
	const char *text;
	size_t length;

	if (!datum_text(value, &text, &length))
		return false;
	length = length < DATUM_NAME_BYTES ? length : DATUM_NAME_BYTES - 1;
	memcpy(ret_name, text, length);
	ret_name[length] = '\0';
	return true;
}

#endif
