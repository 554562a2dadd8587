/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int rc, const char *format, ...)
{
	va_list args;

	if (!err)
		return rc;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return rc;
}

int err_prefix(struct err *err, int rc, const char *format, ...)
{
	struct err old;
	va_list args;
	size_t used;

	if (!err)
		return rc;
	old = *err;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", old.text);
	return rc;
}
