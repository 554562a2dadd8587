/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/xalloc.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(size_t size)
{
	fprintf(stderr, "prospect: out of memory (%zu bytes wanted)\n", size);
	abort();
}

void *xmalloc(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		out_of_memory(size);
	return memory;
}

void *xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		out_of_memory(count * size);
	return memory;
}

void *xrealloc(void *old, size_t size)
{
	void *memory = realloc(old, size ? size : 1);

	if (!memory)
		out_of_memory(size);
	return memory;
}

void xalloc_keep(void)
{
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
}

char *xstrdup(const char *text)
{
	return xmemdup(text, strlen(text) + 1);
}

char *xstrndup(const char *text, size_t length)
{
	char *copy = strndup(text, length);

	if (!copy)
		out_of_memory(length + 1);
	return copy;
}

void *xmemdup(const void *bytes, size_t size)
{
	void *copy = xmalloc(size);

	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

char *xvasprintf(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		out_of_memory(0);
	return text;
}

char *xasprintf(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	return text;
}

FILE *xopen_memstream(char **ret_text, size_t *ret_size)
{
	FILE *stream = open_memstream(ret_text, ret_size);

	if (!stream)
		out_of_memory(0);
	return stream;
}

void xclose_memstream(FILE *stream)
{
	if (ferror(stream) || fclose(stream) != 0)
		out_of_memory(0);
}
