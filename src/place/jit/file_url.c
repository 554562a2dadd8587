/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/file_url.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* The decoded byte; 0: not a valid code, or a zero byte, which no path can have. */
static char encoded(const char *text)
{
	if (text[0] != '%' || !isxdigit((unsigned char)text[1]) ||
	    !isxdigit((unsigned char)text[2]))
		return '\0';
	return (char)(digit(text[1]) << 4 | digit(text[2]));
}

str_id file_url_intern(struct strpool *strings, const char *file)
{
	static const char scheme[] = "file://";
	const char *path = file + sizeof(scheme) - 1;
	_cleanup_(buf_done) struct buf decoded = { 0 };

	if (strncmp(file, scheme, sizeof(scheme) - 1) != 0 || *path != '/')
		return strpool_intern(strings, file);
	while (*path) {
		char byte = encoded(path);

		buf_add_char(&decoded, byte ? byte : *path);
		path += byte ? 3 : 1;
	}
	return strpool_intern(strings, buf_text(&decoded));
}
