/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --format: the forms in which tables and trees are printed. */
#ifndef LOAD_FORMAT_H
#define LOAD_FORMAT_H

#include "base/err.h"

enum format {
	FORMAT_TEXT,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_COUNT,
};

/* NULL is text. -EINVAL: unknown name. */
int format_parse(const char *name, enum format *ret_format, struct err *err);

#endif
