/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sql/query_functions.h"

#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "store/pages.h"
#include "store/schema.h"
#include "store/sql.h"

static const char unknown_name[] = "[unknown]";

struct node {
	uint32_t frame; /* 0: not read yet */
	uint32_t parent;
};

/* Whether a stack has a matching function. */
enum answer {
	ANSWER_UNKNOWN,
	ANSWER_NO,
	ANSWER_YES,
};

/* Keeps nodes and names once they were read: stacks share most of theirs. */
struct query_functions {
	sqlite3 *db;
	const char *(*demangle)(void *context, const char *name);
	void *context;
	sqlite3_stmt *node_stmt, *name_stmt;
	struct node *nodes; /* by stack */
	char **names;	    /* by frame, as stacks show them; NULL: not read yet */
	uint64_t node_count, name_count;
	char *pattern;	    /* the last one of stack_has */
	uint8_t *answers;   /* for this pattern, by stack; enum answer */
	uint8_t *matches;   /* the same by frame, for the frame alone */
	VEC(uint32_t) path; /* scratch: frames, or stacks, from the innermost on */
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
	free(functions->pattern);
	free(functions->answers);
	free(functions->matches);
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

/* Ids have no gaps, so the highest gives the count. */
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
	/* As reports write stacks, so that texts can be compared. */
	escape_add_name(&escaped, readable(functions, name));
	sqlite3_reset(functions->name_stmt);
	functions->names[frame] = xstrdup(buf_text(&escaped));
	buf_done(&escaped);
	return functions->names[frame];
}

/* Finds the frames of a stack, innermost first. Ends, because a parent's id is smaller than its
 * child's. */
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

/* The stack that a value names: 1; 0 if it names none; or a negative errno. */
static int stack_of(struct query_functions *functions, sqlite3_value *value, uint64_t *ret_stack)
{
	int rc = functions->nodes ? 0 : prepare(functions);

	*ret_stack = (uint64_t)sqlite3_value_int64(value);
	if (rc)
		return rc;
	return sqlite3_value_type(value) == SQLITE_INTEGER && *ret_stack < functions->node_count;
}

static void stack_text_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct query_functions *functions = sqlite3_user_data(context);
	uint64_t stack;
	int rc = stack_of(functions, argv[0], &stack);

	(void)argc;
	if (rc < 0)
		sqlite3_result_error_code(context, sqlite3_errcode(functions->db));
	if (rc <= 0 || !find_path(functions, stack))
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

static int visit_node(void *context, struct page_row *row)
{
	struct query_functions *functions = context;
	uint64_t id = (uint64_t)row->id, up, frame;

	if (row->id <= 0 || id >= functions->node_count || !page_row_null(row) ||
	    !page_row_at_most(row, id, &up) || !up ||
	    !page_row_at_most(row, functions->name_count - 1, &frame))
		return 0;
	functions->nodes[id] = (struct node){ (uint32_t)frame, (uint32_t)(id - up) };
	return 0;
}

/* A search for a function looks at most stacks, so read all at once. What this cannot read is read
 * when it is needed. */
static void read_all_nodes(struct query_functions *functions)
{
	if (!functions->pattern)
		pages_each(functions->db, "stack", "id,up,frame", visit_node, functions);
}

/* Forgets the answers if the pattern is a new one. */
static void look_for(struct query_functions *functions, const char *pattern)
{
	if (functions->pattern && strcmp(functions->pattern, pattern) == 0)
		return;
	read_all_nodes(functions);
	free(functions->pattern);
	free(functions->answers);
	free(functions->matches);
	functions->pattern = xstrdup(pattern);
	functions->matches = xcalloc(functions->name_count + 1, sizeof(*functions->matches));
	functions->answers = xcalloc(functions->node_count + 1, sizeof(*functions->answers));
}

static bool matches(struct query_functions *functions, uint32_t frame)
{
	uint8_t *answer = &functions->matches[frame];
	const char *pattern = functions->pattern, *name;

	if (*answer == ANSWER_UNKNOWN) {
		name = name_of(functions, frame);
		*answer = sqlite3_strglob(pattern, name) == 0 || strcmp(pattern, name) == 0
				  ? ANSWER_YES
				  : ANSWER_NO;
	}
	return *answer == ANSWER_YES;
}

/* Walks up to the first caller whose answer is known, and back down. */
static enum answer find_answer(struct query_functions *functions, uint64_t stack)
{
	enum answer answer = ANSWER_NO;

	functions->path.count = 0;
	for (uint64_t at = stack; at; at = functions->nodes[at].parent) {
		struct node *node = &functions->nodes[at];

		if (functions->answers[at]) {
			answer = functions->answers[at];
			break;
		}
		if (!node->frame && !read_node(functions, at, node))
			return ANSWER_UNKNOWN;
		*vec_push(&functions->path) = (uint32_t)at;
	}
	for (size_t i = functions->path.count; i-- > 0;) {
		uint32_t at = functions->path.items[i];

		if (answer == ANSWER_NO && matches(functions, functions->nodes[at].frame))
			answer = ANSWER_YES;
		functions->answers[at] = (uint8_t)answer;
	}
	return answer;
}

static void stack_has_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct query_functions *functions = sqlite3_user_data(context);
	const char *pattern = (const char *)sqlite3_value_text(argv[1]);
	enum answer answer;
	uint64_t stack;
	int rc = stack_of(functions, argv[0], &stack);

	(void)argc;
	if (rc < 0)
		sqlite3_result_error_code(context, sqlite3_errcode(functions->db));
	if (rc <= 0 || !pattern)
		return;
	look_for(functions, pattern);
	answer = find_answer(functions, stack);
	if (answer != ANSWER_UNKNOWN)
		sqlite3_result_int(context, answer == ANSWER_YES);
}

static int add(struct query_functions *functions, const char *name, int argc,
	       void (*function)(sqlite3_context *, int, sqlite3_value **))
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int code = sqlite3_create_function_v2(functions->db, name, argc, flags, functions, function,
					      NULL, NULL, NULL);

	return sql_errno(functions->db, code);
}

int query_functions_register(struct query_functions *functions)
{
	int rc = add(functions, "demangle", 1, demangle_function);

	if (!rc)
		rc = add(functions, "stack_text", 1, stack_text_function);
	return rc ? rc : add(functions, "stack_has", 2, stack_has_function);
}
