/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/sql/query_names.h"

#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "store/pages.h"
#include "store/schema.h"
#include "store/sql.h"

static const char unknown_name[] = "[unknown]";

/* How a frame is shown, and the same function as in the symbol table if that differs by more than
 * its spelling: of code without a symbol. */
static const char name_sql[] =
	"SELECT named.function, CASE WHEN named.symbol_kind IN ('bracket', 'none') "
	"THEN demangle(named.symbol) END FROM main.frame "
	"JOIN temp.functions AS named ON named.symbol_id = frame.symbol WHERE frame.id = ?1";

/* Escaped as reports write stacks, so that texts can be compared. */
struct frame_name {
	char *shown; /* NULL: not read yet */
	char *other; /* stack_has accepts it too; NULL: none */
};

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
struct query_names {
	sqlite3 *db;
	const char *(*demangle)(void *context, const char *name);
	void *context;
	sqlite3_stmt *node_stmt, *name_stmt;
	struct node *nodes;	  /* by stack */
	struct frame_name *names; /* by frame */
	uint64_t node_count, name_count;
	char *pattern;	    /* the last one of stack_has */
	uint8_t *answers;   /* for this pattern, by stack; enum answer */
	uint8_t *matches;   /* the same by frame, for the frame alone */
	VEC(uint32_t) path; /* scratch: frames, or stacks, from the innermost on */
	struct buf text;    /* scratch */
};

struct query_names *query_names_new(sqlite3 *db,
				    const char *(*demangle)(void *context, const char *name),
				    void *context)
{
	struct query_names *names = xcalloc(1, sizeof(*names));

	names->db = db;
	names->demangle = demangle;
	names->context = context;
	return names;
}

void query_names_free(struct query_names *names)
{
	if (!names)
		return;
	sqlite3_finalize(names->node_stmt);
	sqlite3_finalize(names->name_stmt);
	for (uint64_t i = 0; i < names->name_count; i++) {
		free(names->names[i].shown);
		free(names->names[i].other);
	}
	free(names->names);
	free(names->nodes);
	free(names->pattern);
	free(names->answers);
	free(names->matches);
	vec_free(&names->path);
	buf_done(&names->text);
	free(names);
}

static const char *readable(const struct query_names *names, const char *name)
{
	return names->demangle ? names->demangle(names->context, name) : name;
}

static void demangle_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct query_names *names = sqlite3_user_data(context);
	const char *name = (const char *)sqlite3_value_text(argv[0]);

	(void)argc;
	if (!name || sqlite3_value_type(argv[0]) != SQLITE_TEXT)
		sqlite3_result_value(context, argv[0]);
	else
		sqlite3_result_text(context, readable(names, name), -1, SQLITE_TRANSIENT);
}

/* Ids have no gaps, so the highest gives the count. */
static int count_rows(sqlite3 *db, const char *sql, uint64_t most, uint64_t *ret_count)
{
	int rc = sql_number(db, sql, ret_count);

	*ret_count = rc > 0 && *ret_count <= most ? *ret_count + 1 : 0;
	return rc < 0 ? rc : 0;
}

static int prepare(struct query_names *names)
{
	uint64_t node_count, name_count;
	int rc;

	sqlite3_finalize(names->node_stmt);
	sqlite3_finalize(names->name_stmt);
	names->node_stmt = names->name_stmt = NULL;
	rc = sql_prepare(names->db, "SELECT frame, id - up FROM main.stack WHERE id = ?1",
			 &names->node_stmt);

	if (!rc)
		rc = sql_prepare(names->db, name_sql, &names->name_stmt);
	if (!rc)
		rc = count_rows(names->db, "SELECT max(id) FROM main.stack", SCHEMA_MAX_STACKS,
				&node_count);
	if (!rc)
		rc = count_rows(names->db, "SELECT max(id) FROM main.frame", SCHEMA_MAX_FRAMES,
				&name_count);
	if (rc)
		return rc;
	names->nodes = xcalloc(node_count + 1, sizeof(*names->nodes));
	names->names = xcalloc(name_count + 1, sizeof(*names->names));
	names->node_count = node_count;
	names->name_count = name_count;
	return 0;
}

static bool read_node(struct query_names *names, uint64_t id, struct node *node)
{
	uint64_t frame, parent;
	bool good;

	sql_bind_u64(names->node_stmt, 1, id);
	good = sql_step(names->node_stmt) > 0 &&
	       sql_column_at_most(names->node_stmt, 0, UINT32_MAX, &frame) &&
	       sql_column_at_most(names->node_stmt, 1, id - 1, &parent);
	sqlite3_reset(names->node_stmt);
	if (good)
		*node = (struct node){ (uint32_t)frame, (uint32_t)parent };
	return good && frame && frame < names->name_count;
}

static char *escaped(const char *name)
{
	struct buf buf = { 0 };
	char *copy;

	text_escape_name(&buf, name);
	copy = xstrdup(buf_text(&buf));
	buf_done(&buf);
	return copy;
}

static const struct frame_name *name_of(struct query_names *names, uint32_t frame)
{
	struct frame_name *name = &names->names[frame];
	const char *text = NULL;

	if (name->shown)
		return name;
	sql_bind_u64(names->name_stmt, 1, frame);
	if (sql_step(names->name_stmt) <= 0 || !sql_column_text(names->name_stmt, 0, &text))
		text = unknown_name;
	name->shown = escaped(text);
	if (text != unknown_name && sql_column_text(names->name_stmt, 1, &text) && *text)
		name->other = escaped(text);
	sqlite3_reset(names->name_stmt);
	return name;
}

/* Finds the frames of a stack, innermost first. Ends, because a parent's id is smaller than its
 * child's. */
static bool find_path(struct query_names *names, uint64_t stack)
{
	names->path.count = 0;
	while (stack) {
		struct node *node = &names->nodes[stack];

		if (!node->frame && !read_node(names, stack, node))
			return false;
		*vec_push(&names->path) = node->frame;
		stack = node->parent;
	}
	return true;
}

/* The stack that a value names: 1; 0 if it names none; or a negative errno. */
static int stack_of(struct query_names *names, sqlite3_value *value, uint64_t *ret_stack)
{
	int rc = names->nodes ? 0 : prepare(names);

	*ret_stack = (uint64_t)sqlite3_value_int64(value);
	if (rc)
		return rc;
	return sqlite3_value_type(value) == SQLITE_INTEGER && *ret_stack < names->node_count;
}

static void stack_text_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct query_names *names = sqlite3_user_data(context);
	uint64_t stack;
	int rc = stack_of(names, argv[0], &stack);

	(void)argc;
	if (rc < 0)
		sqlite3_result_error_code(context, sqlite3_errcode(names->db));
	if (rc <= 0 || !find_path(names, stack))
		return;
	buf_clear(&names->text);
	for (size_t i = names->path.count; i-- > 0;) {
		buf_add_str(&names->text, name_of(names, names->path.items[i])->shown);
		if (i)
			buf_add_char(&names->text, ';');
	}
	sqlite3_result_text64(context, buf_text(&names->text), names->text.size, SQLITE_TRANSIENT,
			      SQLITE_UTF8);
}

static int visit_node(void *context, struct page_row *row)
{
	struct query_names *names = context;
	uint64_t id = (uint64_t)row->id, up, frame;

	if (row->id <= 0 || id >= names->node_count || !page_row_null(row) ||
	    !page_row_at_most(row, id, &up) || !up ||
	    !page_row_at_most(row, names->name_count - 1, &frame))
		return 0;
	names->nodes[id] = (struct node){ (uint32_t)frame, (uint32_t)(id - up) };
	return 0;
}

/* Forgets the answers if the pattern is a new one. */
static void look_for(struct query_names *names, const char *pattern)
{
	if (names->pattern && strcmp(names->pattern, pattern) == 0)
		return;
	/* A search for a function looks at most stacks, so read all at once. What this cannot read
	 * is read when it is needed. */
	if (!names->pattern)
		pages_each(names->db, "stack", "id,up,frame", visit_node, names);
	free(names->pattern);
	free(names->answers);
	free(names->matches);
	names->pattern = xstrdup(pattern);
	names->matches = xcalloc(names->name_count + 1, sizeof(*names->matches));
	names->answers = xcalloc(names->node_count + 1, sizeof(*names->answers));
}

static bool fits(const char *pattern, const char *name)
{
	return name && (sqlite3_strglob(pattern, name) == 0 || strcmp(pattern, name) == 0);
}

static bool matches(struct query_names *names, uint32_t frame)
{
	uint8_t *answer = &names->matches[frame];

	if (*answer == ANSWER_UNKNOWN) {
		const struct frame_name *name = name_of(names, frame);

		*answer = fits(names->pattern, name->shown) || fits(names->pattern, name->other)
				  ? ANSWER_YES
				  : ANSWER_NO;
	}
	return *answer == ANSWER_YES;
}

/* Walks up to the first caller whose answer is known, and back down. */
static enum answer find_answer(struct query_names *names, uint64_t stack)
{
	enum answer answer = ANSWER_NO;

	names->path.count = 0;
	for (uint64_t at = stack; at; at = names->nodes[at].parent) {
		struct node *node = &names->nodes[at];

		if (names->answers[at]) {
			answer = names->answers[at];
			break;
		}
		if (!node->frame && !read_node(names, at, node))
			return ANSWER_UNKNOWN;
		*vec_push(&names->path) = (uint32_t)at;
	}
	for (size_t i = names->path.count; i-- > 0;) {
		uint32_t at = names->path.items[i];

		if (answer == ANSWER_NO && matches(names, names->nodes[at].frame))
			answer = ANSWER_YES;
		names->answers[at] = (uint8_t)answer;
	}
	return answer;
}

static void stack_has_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct query_names *names = sqlite3_user_data(context);
	const char *pattern = (const char *)sqlite3_value_text(argv[1]);
	enum answer answer;
	uint64_t stack;
	int rc = stack_of(names, argv[0], &stack);

	(void)argc;
	if (rc < 0)
		sqlite3_result_error_code(context, sqlite3_errcode(names->db));
	if (rc <= 0 || !pattern)
		return;
	look_for(names, pattern);
	answer = find_answer(names, stack);
	if (answer != ANSWER_UNKNOWN)
		sqlite3_result_int(context, answer == ANSWER_YES);
}

static int add(struct query_names *names, const char *name, int argc,
	       void (*function)(sqlite3_context *, int, sqlite3_value **))
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int code = sqlite3_create_function_v2(names->db, name, argc, flags, names, function, NULL,
					      NULL, NULL);

	return sql_errno(names->db, code);
}

int query_names_register(struct query_names *names, const struct sample_table_facts *facts,
			 struct sum_tables *sums)
{
	int rc = sample_table_register(names->db, facts);

	if (!rc)
		rc = sum_tables_register(sums, names->db);
	if (!rc)
		rc = add(names, "demangle", 1, demangle_function);
	if (!rc)
		rc = add(names, "stack_text", 1, stack_text_function);
	if (!rc)
		rc = add(names, "stack_has", 2, stack_has_function);
	return rc ? rc : schema_create_query_views(names->db);
}
