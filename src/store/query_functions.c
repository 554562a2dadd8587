/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/query_functions.h"

#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "store/schema.h"
#include "store/sql.h"

static const char unknown_name[] = "[unknown]";

struct node {
	uint32_t frame; /* 0: not read so far */
	uint32_t parent;
};

/* Nodes and names are kept once they were read: most stacks have most of theirs in common. */
struct query_functions {
	sqlite3 *db;
	const char *(*demangle)(void *context, const char *name);
	void *context;
	sqlite3_stmt *node_stmt, *name_stmt;
	struct node *nodes; /* by stack */
	char **names;	    /* by frame, as they stand in a stack; NULL: not read so far */
	uint64_t node_count, name_count;
	VEC(uint32_t) path; /* scratch: frames from the innermost on */
	struct buf text;    /* scratch */
};

struct query_functions *
query_functions_new(sqlite3 *db, const char *(*demangle)(void *context, const char *name),
		    void *context)
{
	struct query_functions *functions = xcalloc(1, sizeof(*functions));

	functions->db = db;
	functions->demangle = demangle;
	functions->context = context;
	return functions;
}

void query_functions_free(struct query_functions *functions)
{
	if (!functions)
		return;
	sqlite3_finalize(functions->node_stmt);
	sqlite3_finalize(functions->name_stmt);
	for (uint64_t i = 0; i < functions->name_count; i++)
		free(functions->names[i]);
	free(functions->names);
	free(functions->nodes);
	vec_free(&functions->path);
	buf_done(&functions->text);
	free(functions);
}

static const char *readable(const struct query_functions *functions, const char *name)
{
	return functions->demangle ? functions->demangle(functions->context, name) : name;
}

static void demangle_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct query_functions *functions = sqlite3_user_data(context);
	const char *name = (const char *)sqlite3_value_text(argv[0]);

	(void)argc;
	if (!name || sqlite3_value_type(argv[0]) != SQLITE_TEXT)
		sqlite3_result_value(context, argv[0]);
	else
		sqlite3_result_text(context, readable(functions, name), -1, SQLITE_TRANSIENT);
}

/* Ids have no gaps: the highest one tells how many there are. */
static int count_rows(sqlite3 *db, const char *sql, uint64_t most, uint64_t *ret_count)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db, sql, &stmt);

	*ret_count = 0;
	if (!rc)
		rc = sql_step(stmt);
	if (rc > 0 && sql_column_at_most(stmt, 0, most, ret_count))
		++*ret_count;
	return rc < 0 ? rc : 0;
}

static int prepare(struct query_functions *functions)
{
	uint64_t node_count, name_count;
	int rc;

	sqlite3_finalize(functions->node_stmt);
	sqlite3_finalize(functions->name_stmt);
	functions->node_stmt = functions->name_stmt = NULL;
	rc = sql_prepare(functions->db, "SELECT frame, id - up FROM main.stack WHERE id = ?1",
			 &functions->node_stmt);

	if (!rc)
		rc = sql_prepare(functions->db,
				 "SELECT symbol.name FROM main.frame JOIN main.symbol "
				 "ON symbol.id = frame.symbol WHERE frame.id = ?1",
				 &functions->name_stmt);
	if (!rc)
		rc = count_rows(functions->db, "SELECT max(id) FROM main.stack", SCHEMA_MAX_STACKS,
				&node_count);
	if (!rc)
		rc = count_rows(functions->db, "SELECT max(id) FROM main.frame", SCHEMA_MAX_FRAMES,
				&name_count);
	if (rc)
		return rc;
	functions->nodes = xcalloc(node_count + 1, sizeof(*functions->nodes));
	functions->names = xcalloc(name_count + 1, sizeof(*functions->names));
	functions->node_count = node_count;
	functions->name_count = name_count;
	return 0;
}

static bool read_node(struct query_functions *functions, uint64_t id, struct node *node)
{
	uint64_t frame, parent;
	bool good;

	sql_bind_u64(functions->node_stmt, 1, id);
	good = sql_step(functions->node_stmt) > 0 &&
	       sql_column_at_most(functions->node_stmt, 0, UINT32_MAX, &frame) &&
	       sql_column_at_most(functions->node_stmt, 1, id - 1, &parent);
	sqlite3_reset(functions->node_stmt);
	if (good)
		*node = (struct node){ (uint32_t)frame, (uint32_t)parent };
	return good && frame && frame < functions->name_count;
}

/* As aggregate's stack_names has it, so that texts can be compared. */
static void add_escaped(struct buf *buf, const char *name)
{
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		if (byte == ';' || byte == '\\' || byte < 0x20 || byte == 0x7f)
			buf_printf(buf, "\\x%02x", byte);
		else
			buf_add_char(buf, *name);
	}
}

static const char *name_of(struct query_functions *functions, uint32_t frame)
{
	const char *name = NULL;
	struct buf escaped = { 0 };

	if (functions->names[frame])
		return functions->names[frame];
	sql_bind_u64(functions->name_stmt, 1, frame);
	if (sql_step(functions->name_stmt) <= 0 ||
	    !sql_column_text(functions->name_stmt, 0, &name) || !*name)
		name = unknown_name;
	add_escaped(&escaped, readable(functions, name));
	sqlite3_reset(functions->name_stmt);
	functions->names[frame] = xstrdup(buf_text(&escaped));
	buf_done(&escaped);
	return functions->names[frame];
}

/* The frames from the innermost on; a parent is below its child, so that this ends. */
static bool find_path(struct query_functions *functions, uint64_t stack)
{
	functions->path.count = 0;
	while (stack) {
		struct node *node = &functions->nodes[stack];

		if (!node->frame && !read_node(functions, stack, node))
			return false;
		*vec_push(&functions->path) = node->frame;
		stack = node->parent;
	}
	return true;
}

static void stack_text_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct query_functions *functions = sqlite3_user_data(context);
	sqlite3_int64 stack = sqlite3_value_int64(argv[0]);
	int rc = functions->nodes ? 0 : prepare(functions);

	(void)argc;
	if (rc) {
		sqlite3_result_error_code(context, sqlite3_errcode(functions->db));
		return;
	}
	if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || stack < 0 ||
	    (uint64_t)stack >= functions->node_count || !find_path(functions, (uint64_t)stack))
		return;
	buf_clear(&functions->text);
	for (size_t i = functions->path.count; i-- > 0;) {
		buf_add_str(&functions->text, name_of(functions, functions->path.items[i]));
		if (i)
			buf_add_char(&functions->text, ';');
	}
	sqlite3_result_text64(context, buf_text(&functions->text), functions->text.size,
			      SQLITE_TRANSIENT, SQLITE_UTF8);
}

static int add(struct query_functions *functions, const char *name,
	       void (*function)(sqlite3_context *, int, sqlite3_value **))
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int code = sqlite3_create_function_v2(functions->db, name, 1, flags, functions, function,
					      NULL, NULL, NULL);

	return sql_errno(functions->db, code);
}

int query_functions_register(struct query_functions *functions)
{
	int rc = add(functions, "demangle", demangle_function);

	return rc ? rc : add(functions, "stack_text", stack_text_function);
}
