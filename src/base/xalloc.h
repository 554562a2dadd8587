/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation that cannot fail: running out of memory ends the program with a message. Check a size
 * that came from outside (a file, the kernel, another process) against a named limit BEFORE the
 * call.
 */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *old, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *bytes, size_t size) __attribute__((malloc, returns_nonnull));
/* The caller owns the string. */
char *xasprintf(const char *format, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

#endif
