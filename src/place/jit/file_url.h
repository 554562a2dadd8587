/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JavaScript modules have a URL instead of a path (RFC 8089). */
#ifndef PLACE_JIT_FILE_URL_H
#define PLACE_JIT_FILE_URL_H

#include "base/strpool.h"

/* If @file is a URL "file:///...", interns its path; else interns @file unchanged. Percent-encoding
 * (RFC 3986, section 2.1) is decoded, except invalid codes and zero bytes. */
str_id file_url_intern(struct strpool *strings, const char *file);

#endif
