/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/view_list.h"

#include <string.h>

enum {
	WIDTH = 80,
	INDENT = 8,
};

void view_list_add(const char *name, const char *summary, const char *const *columns, size_t count,
		   FILE *out)
{
	size_t at = INDENT;

	fprintf(out, "%s: %s\n%*s", name, summary, INDENT, "");
	for (size_t i = 0; i < count; i++) {
		size_t width = strlen(columns[i]) + 2;

		if (at > INDENT && at + width > WIDTH) {
			fprintf(out, "\n%*s", INDENT, "");
			at = INDENT;
		} else if (i) {
			fputc(' ', out);
		}
		fprintf(out, "%s%s", columns[i], i + 1 < count ? "," : "\n");
		at += width;
	}
}
