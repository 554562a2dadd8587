/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a function's name fit what somebody typed? People type C++ and Rust names as they read them,
 * and leave out what they do not remember: parameters, template arguments, the outer parts.
 */
#ifndef NAMES_SPELLING_NAME_PATTERN_H
#define NAMES_SPELLING_NAME_PATTERN_H

#include <stdbool.h>

#include "base/buf.h"

/* How well, the greater the better; only the best fits of a pattern are meant. */
enum name_fit {
	NAME_FIT_NONE,
	NAME_FIT_CLONE, /* a copy the compiler made: NAME.isra.0, NAME.constprop.1 ... */
	NAME_FIT_LAST,	/* the last parts: "get", "Cache::get" for "app::Cache<int>::get(int)" */
	NAME_FIT_BARE,	/* all of it without parameters and template arguments */
	NAME_FIT_WHOLE, /* the symbol, or the readable name with or without its parameters; a glob
			 */
};

/* Has it the letters of fnmatch(3)'s patterns? Not of "operator*", "operator[]" and the like. */
bool name_pattern_is_glob(const char *pattern);

/* @symbol: as the symbol table has it, without a version. @readable: demangled, or the same. A glob
 * fits the symbol or the readable name, whole or without parameters. */
enum name_fit name_pattern_fit(const char *pattern, const char *symbol, const char *readable);

/* Appends a readable C++ or Rust name without what stands before and behind it: the type it
 * returns, its parameters, "[clone ...]"; and without template arguments if these are not wanted.
 */
void name_pattern_bare(const char *readable, bool templates, struct buf *name);

/* Is this the unlikely part of a function, which is jumped to and not called? */
bool name_pattern_is_part(const char *symbol);

#endif
