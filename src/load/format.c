/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/format.h"

#include <errno.h>
#include <string.h>

int format_parse(const char *name, enum format *ret_format, struct err *err)
{
	static const char *const names[FORMAT_COUNT] = { "text", "csv", "json" };

	*ret_format = FORMAT_TEXT;
	for (int format = 0; name && format < FORMAT_COUNT; format++) {
		if (strcmp(names[format], name) == 0) {
			*ret_format = (enum format)format;
			return 0;
		}
	}
	return name ? err_set(err, -EINVAL, "invalid --format '%s': expected text, csv or json",
			      name)
		    : 0;
}
