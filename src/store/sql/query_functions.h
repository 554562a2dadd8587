/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SQL functions of `prospect query`:
 *
 *   demangle(NAME)     a symbol's name as people write it; what is no text comes back as it is
 *   stack_text(STACK)  the stack of this id as --by stack has it: the names of its functions, the
 *                      outermost first, with ; between; NULL for an id that is none
 *   stack_has(STACK, NAME)  1 if a function of the stack is called so, as stack_text writes it
 *                      (NAME may be a glob), 0 if not; NULL for an id that is none
 */
#ifndef STORE_SQL_QUERY_FUNCTIONS_H
#define STORE_SQL_QUERY_FUNCTIONS_H

#include <sqlite3.h>

struct query_functions;

/* @demangle gives the readable form of a name, borrowed until the next call; NULL: names stay as
 * they are. Reads tables of @db when they are first needed. Never NULL. */
struct query_functions *
query_functions_new(sqlite3 *db, const char *(*demangle)(void *context, const char *name),
		    void *context);
/* Before @db is closed, when no statement of others runs any more; NULL is fine. */
void query_functions_free(struct query_functions *functions);

/* Makes them known to the connection. */
int query_functions_register(struct query_functions *functions);

#endif
