/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation that cannot fail: running out of memory ends the program with a message. Check a size
 * that came from outside (a file, the kernel, another process) against a named limit BEFORE the
 * call.
 */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *old, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
/* At most @length bytes of it. */
char *xstrndup(const char *text, size_t length) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *bytes, size_t size) __attribute__((malloc, returns_nonnull));
/* For a process that makes much, once, and ends: memory that was freed is kept for what is made next,
 * except for very large pieces. Taking it from the kernel anew costs a page fault for each page. */
void xalloc_keep(void);
/* The caller owns the string. */
char *xasprintf(const char *format, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
char *xvasprintf(const char *format, va_list args)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 0)));
/* open_memstream(3): text printed to the stream is in *@ret_text, which the caller owns, once
 * xclose_memstream has closed it. */
FILE *xopen_memstream(char **ret_text, size_t *ret_size) __attribute__((returns_nonnull));
void xclose_memstream(FILE *stream);

#endif
