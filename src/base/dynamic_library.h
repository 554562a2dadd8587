/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries that are used if they are installed. They are loaded when they are needed: linking them
 * would slow every start of the program. A client lists the functions it calls in an X-macro:
 *
 *   struct library { FUNCTIONS(DYNAMIC_LIBRARY_POINTER) };
 *   static const char *const names[] = { FUNCTIONS(DYNAMIC_LIBRARY_NAME) NULL };
 */
#ifndef BASE_DYNAMIC_LIBRARY_H
#define BASE_DYNAMIC_LIBRARY_H

#include "base/err.h"

/* A member with the function's own type. */
#define DYNAMIC_LIBRARY_POINTER(name) typeof(&(name)) name;
#define DYNAMIC_LIBRARY_NAME(name)    #name,

/* Loads @file and looks up @names, which end with NULL. @ret_functions: a struct with a pointer for
 * each of them. It is never unloaded. -ENOENT: it is not installed, for which @missing is the
 * message, or it is too old. */
int dynamic_library_load(const char *file, const char *const *names, const char *missing,
			 void *ret_functions, struct err *err);

#endif
