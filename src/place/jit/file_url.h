/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules of JavaScript have a URL instead of a path (RFC 8089). */
#ifndef PLACE_JIT_FILE_URL_H
#define PLACE_JIT_FILE_URL_H

#include "base/strpool.h"

/* Interns the path that @file is the URL of, "file:///..." (what is encoded, RFC 3986 section 2.1,
 * is decoded, but for zero bytes and what is no code); else @file as it is. */
str_id file_url_intern(struct strpool *strings, const char *file);

#endif
