/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base64.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Up to three bytes become four characters. */
static void add_group(struct buf *buf, const unsigned char *bytes, size_t size)
{
	uint32_t bits = (uint32_t)bytes[0] << 16;
	char text[4] = { '=', '=', '=', '=' };

	if (size > 1)
		bits |= (uint32_t)bytes[1] << 8;
	if (size > 2)
		bits |= bytes[2];
	for (size_t i = 0; i <= size; i++)
		text[i] = letters[bits >> (18 - 6 * i) & 63];
	buf_add(buf, text, sizeof(text));
}

void base64_add(struct buf *buf, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (; size >= 3; at += 3, size -= 3)
		add_group(buf, at, 3);
	if (size)
		add_group(buf, at, size);
}
