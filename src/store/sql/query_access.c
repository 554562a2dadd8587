/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sql/query_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <strings.h>

/* Pragmas that only report, whatever their argument. */
static const char *const pragmas[] = {
	"table_info",  "table_xinfo",	"table_list",	   "index_list",
	"index_info",  "index_xinfo",	"function_list",   "module_list",
	"pragma_list", "database_list", "compile_options", "collation_list",
};

/* Functions that reach beyond the database, or turn a number into an address. */
static const char *const functions[] = {
	"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit",
};

static const char *const schemas[] = { "sqlite_master", "sqlite_temp_master" };

static bool is_among(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++) {
		if (strcasecmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static int allow(bool allowed)
{
	return allowed ? SQLITE_OK : SQLITE_DENY;
}

static int authorize(void *context, int action, const char *first, const char *second,
		     const char *database, const char *view)
{
	(void)context;
	(void)database;
	(void)view;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_UPDATE:
		/* SQLite asks this while it connects a virtual table. A user's statement that
		 * updates these tables still fails: the schema cannot be modified. */
		return allow(is_among(schemas, sizeof(schemas) / sizeof(schemas[0]), first));
	case SQLITE_FUNCTION:
		return allow(
			!is_among(functions, sizeof(functions) / sizeof(functions[0]), second));
	case SQLITE_PRAGMA:
		return allow(is_among(pragmas, sizeof(pragmas) / sizeof(pragmas[0]), first));
	default:
		return SQLITE_DENY;
	}
}

void query_access_restrict(sqlite3 *db)
{
	sqlite3_set_authorizer(db, authorize, NULL);
}
