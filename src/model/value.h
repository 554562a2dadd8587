/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One value of a row that SQL gave: what the store hands on and present prints. */
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

/* Borrowed from whoever gave it, until the next row. */
struct value {
	enum value_type type;
	int64_t integer;
	double real;
	const char *text; /* of a text, followed by a NUL; it may have others inside */
	const uint8_t *bytes;
	size_t size; /* bytes of either */
};

#endif
