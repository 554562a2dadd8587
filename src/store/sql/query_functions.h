/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SQL functions of `prospect query`:
 *
 *   demangle(NAME)     the readable form of a symbol's name; a value that is not text is returned
 *                      unchanged
 *   stack_text(STACK)  the stack of this id as --by stack shows it: names of functions, outermost
 *                      first, separated by ;. NULL if there is no such stack
 *   stack_has(STACK, NAME)  1 if the stack has a function of this name, as stack_text writes it
 *                      (NAME may be a glob), else 0. NULL if there is no such stack
 */
#ifndef STORE_SQL_QUERY_FUNCTIONS_H
#define STORE_SQL_QUERY_FUNCTIONS_H

#include <sqlite3.h>

struct query_functions;

/* @demangle returns the readable form of a name, borrowed until the next call; NULL: names stay as
 * they are. Tables of @db are read when first needed. Never NULL. */
struct query_functions *
query_functions_new(sqlite3 *db, const char *(*demangle)(void *context, const char *name),
		    void *context);
/* Call it before @db is closed, after all other statements have ended; NULL is fine. */
void query_functions_free(struct query_functions *functions);

/* Registers the functions with the connection. */
int query_functions_register(struct query_functions *functions);

#endif
