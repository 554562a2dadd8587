/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a function's name fits what a person typed. People type C++ and Rust names as they read
 * them, and leave out what they do not remember: parameters, template arguments, the outer parts.
 */
#ifndef NAMES_SPELLING_NAME_PATTERN_H
#define NAMES_SPELLING_NAME_PATTERN_H

#include <stdbool.h>

#include "base/buf.h"

/* How well it fits, the greater the better; only the best fits of a pattern are meant. */
enum name_fit {
	NAME_FIT_NONE,
	NAME_FIT_CLONE, /* a copy the compiler made: NAME.isra.0, NAME.constprop.1 ... */
	NAME_FIT_LAST,	/* the last parts: "get", "Cache::get" for "app::Cache<int>::get(int)" */
	NAME_FIT_BARE,	/* the whole name without parameters and template arguments */
	NAME_FIT_WHOLE, /* the symbol, or the readable name with or without parameters; a glob */
};

/* True if it contains special characters of fnmatch(3). Those of "operator*", "operator[]" and the
 * like do not count. */
bool name_pattern_is_glob(const char *pattern);

/* @symbol: as in the symbol table, without a version. @readable: demangled, or the same. A glob
 * fits the symbol or the readable name, with or without parameters. */
enum name_fit name_pattern_fit(const char *pattern, const char *symbol, const char *readable);

/* Appends a readable C++ or Rust name without its return type, its parameters and "[clone ...]",
 * and without template arguments unless @templates. */
void name_pattern_bare(const char *readable, bool templates, struct buf *name);

/* True if this is the unlikely part of a function, which is jumped to and not called. */
bool name_pattern_is_part(const char *symbol);

#endif
