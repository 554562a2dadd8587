/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/special_names.h"

#include <stddef.h>
#include <string.h>

struct row {
	const char *prefix;
	enum image_kind kind;
	const char *shown; /* NULL: the name itself */
};

/* The first match counts. */
static const struct row rows[] = {
	{ "[vdso]", IMAGE_VDSO, NULL },	       { "//anon", IMAGE_ANON, "[anon]" },
	{ "[anon", IMAGE_ANON, NULL },	       { "[heap]", IMAGE_ANON, NULL },
	{ "[stack", IMAGE_ANON, "[stack]" },   { "/SYSV", IMAGE_ANON, "[shared memory]" },
	{ "/dev/zero", IMAGE_ANON, "[anon]" }, { "/anon_hugepage", IMAGE_ANON, "[anon]" },
	{ "anon_inode:", IMAGE_ANON, NULL },   { "[", IMAGE_BUCKET, NULL },
};

static const uint64_t FIRST_64_BIT_ADDRESS = 1ULL << 32;

bool special_names_find(const char *name, uint64_t start, struct special_name *ret_special)
{
	if (!*name) {
		*ret_special = (struct special_name){ IMAGE_ANON, "[anon]" };
		return true;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];

		if (strncmp(name, row->prefix, strlen(row->prefix)) != 0)
			continue;
		*ret_special = (struct special_name){ row->kind, row->shown ? row->shown : name };
		if (row->kind == IMAGE_VDSO && start < FIRST_64_BIT_ADDRESS)
			*ret_special = (struct special_name){ IMAGE_BUCKET, "[vdso32]" };
		return true;
	}
	return false;
}

bool special_names_is_memfd(const char *name)
{
	return strncmp(name, "/memfd:", 7) == 0;
}
