/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A name of a symbol table, in all styles: it ends, in memory that has a bound. */
#include <stdlib.h>
#include <string.h>

#include "names/spelling/demangler.h"
#include "names/spelling/short_names.h"
#include "target.h"

enum { MOST_READABLE = 200 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = calloc(1, size + 1);
	struct buf text = { 0 };

	memcpy(name, data, size);
	for (int style = 0; style < DEMANGLER_STYLE_COUNT; style++) {
		struct demangler *demangler = demangler_new((enum demangler_style)style);

		if (strlen(demangler_text(demangler, name)) > MOST_READABLE + 2 * size)
			abort();
		demangler_free(demangler);
	}
	short_names_add(name, &text);
	if (text.size > 2 * size + 16)
		abort();
	buf_done(&text);
	free(name);
	return 0;
}
