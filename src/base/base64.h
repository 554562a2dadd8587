/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as text (RFC 4648 section 4). */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

/* Appends the text of @size bytes, with padding. */
void base64_add(struct buf *buf, const void *bytes, size_t size);

#endif
