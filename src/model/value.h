/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One value of a row that SQL returned; the store passes it on and present prints it. */
#ifndef MODEL_VALUE_H
#define MODEL_VALUE_H

#include <stddef.h>
#include <stdint.h>

enum value_type {
	VALUE_NULL,
	VALUE_INTEGER,
	VALUE_REAL,
	VALUE_TEXT,
	VALUE_BYTES,
};

/* Borrowed from its source until the next row. */
struct value {
	enum value_type type;
	int64_t integer;
	double real;
	const char *text; /* of VALUE_TEXT, NUL-terminated; may contain other NULs */
	const uint8_t *bytes;
	size_t size; /* of text or bytes, in bytes */
};

#endif
