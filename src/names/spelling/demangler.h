/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as people write them: C++, Rust and D, by libiberty. Each is demangled once. */
#ifndef NAMES_SPELLING_DEMANGLER_H
#define NAMES_SPELLING_DEMANGLER_H

#include "base/err.h"

struct demangler;

/* How much of a name is shown. */
enum demangler_style {
	DEMANGLER_NONE,	  /* names stay as they are in symbol tables */
	DEMANGLER_NORMAL, /* the whole name */
	DEMANGLER_SMART,  /* C++ as in short_names.h */
	DEMANGLER_STYLE_COUNT,
};

/* "none", "normal" (also NULL: not given), "smart"; the _COUNT for anything else. */
enum demangler_style demangler_style_by_name(const char *name);
/* Is --demangle @name right? NULL (not given) is. -EINVAL with one line. */
int demangler_style_check(const char *name, struct err *err);

struct demangler *demangler_new(enum demangler_style style);
void demangler_free(struct demangler *demangler); /* NULL is fine */

/* The readable form of a symbol's name: with parameters, without Rust's hash, "@plt" kept, both
 * sides of a bracket "a->b". A name that is not mangled, cannot be read or would be too long comes
 * back unchanged. Borrowed from the demangler, or @name itself. */
const char *demangler_text(struct demangler *demangler, const char *name);

#endif
