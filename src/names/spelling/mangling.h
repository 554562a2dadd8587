/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mangled names of C++ (Itanium), Rust and D, read by libiberty. */
#ifndef NAMES_SPELLING_MANGLING_H
#define NAMES_SPELLING_MANGLING_H

#include <stdbool.h>

#include "base/buf.h"

enum mangling {
	MANGLING_NONE,
	MANGLING_RUST, /* the older one, which looks like C++, and v0 */
	MANGLING_CPP,
	MANGLING_D,
};

/* True if this may be a mangled name. Cheap. */
bool mangling_is(const char *name);
/* Appends the readable form of a whole mangled name. MANGLING_NONE, with nothing appended, if it
 * cannot be read or would be too long. */
enum mangling mangling_read(const char *mangled, struct buf *text);

#endif
