/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cleanup by attribute: the declaration of a pointer or descriptor names its cleanup, which runs on
 * every way out of the scope. steal_ptr/steal_fd hand ownership on.
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* "unused": some variables exist only for their cleanup, which compilers do not count as a use. */
#define _cleanup_(function) __attribute__((cleanup(function), unused))

/* DEFINE_CLEANUP(struct foo *, foo_free) makes foo_freep for _cleanup_(foo_freep). */
#define DEFINE_CLEANUP(type, function)               \
	static inline void function##p(type *object) \
	{                                            \
		if (*object)                         \
			function(*object);           \
	}                                            \
	struct base_cleanup_semicolon

static inline void cleanup_freep(void *pointer)
{
	free(*(void **)pointer);
}

static inline void cleanup_closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

DEFINE_CLEANUP(FILE *, fclose);
DEFINE_CLEANUP(DIR *, closedir);

#define _cleanup_free_	   _cleanup_(cleanup_freep)
#define _cleanup_close_	   _cleanup_(cleanup_closep)
#define _cleanup_fclose_   _cleanup_(fclosep)
#define _cleanup_closedir_ _cleanup_(closedirp)

/* Both are GNU statement expressions: the value moves out, NULL or -1 stays behind. */
#define steal_ptr(pointer)                      \
	({                                      \
		typeof(pointer) _p = (pointer); \
		(pointer) = NULL;               \
		_p;                             \
	})

#define steal_fd(fd)           \
	({                     \
		int _f = (fd); \
		(fd) = -1;     \
		_f;            \
	})

#endif
