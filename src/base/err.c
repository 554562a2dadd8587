/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { ESCAPED = 4 }; /* characters of \xNN */

/* Appends @text to the first @used bytes of @err, as far as whole characters fit. */
static void put(struct err *err, size_t used, const char *text)
{
	while (*text) {
		uint32_t point;
		size_t length = text_decode(text, &point);
		bool escape = !length || text_commands_terminal(point);
		size_t bytes = length ? length : 1;

		if (used + (escape ? ESCAPED * bytes : bytes) >= sizeof(err->text))
			break;
		for (size_t i = 0; i < bytes; i++) {
			if (escape)
				snprintf(err->text + used, ESCAPED + 1, "\\x%02x",
					 (unsigned char)text[i]);
			else
				err->text[used] = text[i];
			used += escape ? ESCAPED : 1;
		}
		text += bytes;
	}
	err->text[used] = '\0';
}

int err_set(struct err *err, int rc, const char *format, ...)
{
	char raw[sizeof(err->text)];
	va_list args;

	if (!err)
		return rc;
	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	put(err, 0, raw);
	return rc;
}

int err_prefix(struct err *err, int rc, const char *format, ...)
{
	char raw[sizeof(err->text)];
	struct err old;
	va_list args;

	if (!err)
		return rc;
	old = *err;
	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	put(err, 0, raw);
	put(err, strlen(err->text), ": ");
	put(err, strlen(err->text), old.text);
	return rc;
}
