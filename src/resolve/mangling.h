/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mangled names of C++ and Rust, read by libiberty. */
#ifndef RESOLVE_MANGLING_H
#define RESOLVE_MANGLING_H

#include <stdbool.h>

#include "base/buf.h"

/* Could this be a mangled name? Cheap. */
bool mangling_is(const char *name);
/* Appends the readable form of a whole mangled name. False, and nothing appended, when it cannot be
 * read or would be too long. */
bool mangling_read(const char *mangled, struct buf *text);

#endif
