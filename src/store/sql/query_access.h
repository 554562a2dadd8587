/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits statements of `prospect query` to reading. */
#ifndef STORE_SQL_QUERY_ACCESS_H
#define STORE_SQL_QUERY_ACCESS_H

#include <sqlite3.h>

/* From now on only statements that read are prepared; all others fail with SQLITE_AUTH. */
void query_access_restrict(sqlite3 *db);

#endif
