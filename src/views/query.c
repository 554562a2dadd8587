/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/unpacked.h"
#include "base/xalloc.h"
#include "load/opened.h"
#include "load/output.h"
#include "load/parts.h"
#include "names/spelling/demangler.h"
#include "present/paragraph.h"
#include "present/rows/sql_rows.h"
#include "store/sql/query.h"
#include "store/state_files.h"

DEFINE_CLEANUP(struct query *, query_close);
DEFINE_CLEANUP(struct demangler *, demangler_free);

static const enum sql_rows_format row_formats[] = {
	[FORMAT_TEXT] = SQL_ROWS_TEXT,
	[FORMAT_CSV] = SQL_ROWS_CSV,
	[FORMAT_JSON] = SQL_ROWS_JSON,
};

/* One statement on its way. */
struct run {
	const struct query_options *options;
	const char *sql;
	enum format format;
	FILE *out;
	struct query *query;
	struct query_outcome *outcome;
};

int query_check(const struct query_options *options, struct err *err)
{
	enum format format;
	int rc = output_format(options->format, &format, err);

	return rc == 0 ? demangler_style_check(options->demangle, err) : rc;
}

/* --- signals: blocked while a statement runs, which polls for them --- */

/* Leaves signals ignored that our parent process ignored. */
static void add_signal(sigset_t *set, int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		sigaddset(set, number);
}

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	add_signal(set, SIGINT);
	add_signal(set, SIGTERM);
}

static bool is_stopped(void *context)
{
	sigset_t set;

	stop_signals(&set);
	return sigtimedwait(&set, NULL, &(struct timespec){ 0 }) > 0;
}

static const char *demangle(void *context, const char *name)
{
	return demangler_text(context, name);
}

/* --- rows --- */

static struct sql_rows *make_rows(const struct run *run)
{
	size_t count = query_column_count(run->query);
	const char **names = xcalloc(count, sizeof(*names));
	struct sql_rows *rows;

	for (size_t i = 0; i < count; i++)
		names[i] = query_column_name(run->query, i);
	rows = sql_rows_new(row_formats[run->format], run->sql, names, count, run->out);
	sql_rows_fit(rows, screen_width(&run->options->screen));
	free(names);
	return rows;
}

static void add_row(const struct run *run, struct sql_rows *rows, struct value *values)
{
	size_t count = query_column_count(run->query);

	for (size_t i = 0; i < count; i++)
		values[i] = query_value(run->query, i);
	sql_rows_add(rows, values);
	run->outcome->rows++;
}

/* Prints the current row and those after it. @rc is the last result of query_step. */
static int print_rows(const struct run *run, int rc, struct err *err)
{
	_cleanup_(sql_rows_freep) struct sql_rows *rows = make_rows(run);
	_cleanup_free_ struct value *values =
		xcalloc(query_column_count(run->query), sizeof(*values));

	while (rc > 0 && !ferror(run->out)) {
		if (run->options->limit && run->outcome->rows == (uint64_t)run->options->limit) {
			run->outcome->more = true;
			rc = 0;
			break;
		}
		add_row(run, rows, values);
		rc = query_step(run->query, err);
	}
	sql_rows_finish(rows, rc == 0 && !run->outcome->more);
	return rc < 0 ? rc : output_end(run->out, err);
}

static int run_statement(const struct run *run, struct err *err)
{
	int rc = query_prepare(run->query, run->sql, err);

	run->outcome->is_wrong = rc == -EINVAL || rc == -EPERM;
	if (rc < 0)
		return rc;
	rc = query_step(run->query, err);
	run->outcome->is_wrong = rc == -EINVAL;
	if (rc < 0 || (rc == 0 && run->options->skip_empty))
		return rc;
	return print_rows(run, rc, err);
}

static int run_with_signals(const struct run *run, struct err *err)
{
	sigset_t set, old;
	int rc;

	stop_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	rc = run_statement(run, err);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return rc;
}

int query_print(const char *path, const char *sql, const struct query_options *options, FILE *out,
		struct query_outcome *outcome, struct err *err)
{
	_cleanup_(unpacked_closep) struct unpacked *unpacked = NULL;
	_cleanup_(query_closep) struct query *query = NULL;
	_cleanup_(demangler_freep) struct demangler *demangler =
		demangler_new(demangler_style_by_name(options->demangle));
	struct query_setup setup = { .max_seconds = options->max_seconds,
				     .max_bytes = (uint64_t)options->max_megabytes << 20,
				     .demangle = demangle,
				     .demangle_context = demangler,
				     .stop = is_stopped };
	struct run run = { .options = options, .sql = sql, .out = out, .outcome = outcome };
	char merged[STATE_PATH_MAX];
	int rc = output_format(options->format, &run.format, err);

	*outcome = (struct query_outcome){ 0 };
	if (rc == 0 && parts_is_folder(path)) {
		rc = merge_folder(path, merged, sizeof(merged), err);
		path = merged;
	}
	if (rc == 0 && unpacked_is_archive(path))
		rc = unpacked_open(path, &unpacked, err);
	if (rc == 0)
		rc = query_open(unpacked ? unpacked_profile(unpacked) : path, &setup, &query, err);
	if (path == merged)
		unlink(merged);
	run.query = query;
	return rc < 0 ? rc : run_with_signals(&run, err);
}

/* --- list of views --- */

struct listing {
	FILE *out;
	struct sql_rows *rows; /* NULL: as text */
};

static struct value text_value(const char *text)
{
	return (struct value){ .type = VALUE_TEXT, .text = text, .size = strlen(text) };
}

static void list_view(void *context, const struct query_view *view)
{
	const struct listing *listing = context;

	if (!listing->rows) {
		paragraph_list(view->name, view->summary, view->columns, view->column_count,
			       listing->out);
		return;
	}
	for (size_t i = 0; i < view->column_count; i++) {
		struct value values[] = { text_value(view->name), text_value(view->columns[i]) };

		sql_rows_add(listing->rows, values);
	}
}

static const char about_columns[] =
	"\n"
	"A function is named as it is written in its language (demangled), or\n"
	"FILE+0xSTART if no symbol covers it; a symbol as in the symbol table.\n"
	"in_command is 1 for the profiled command and what it started, or for the\n"
	"processes chosen with -p; 0 for the rest of the machine.\n";

int query_list(const struct query_options *options, FILE *out, struct err *err)
{
	static const char *const names[] = { "view", "column" };
	_cleanup_(sql_rows_freep) struct sql_rows *rows = NULL;
	enum format format;
	int rc = output_format(options->format, &format, err);

	if (rc == 0 && format != FORMAT_TEXT)
		rows = sql_rows_new(row_formats[format], "", names, 2, out);
	if (rc == 0)
		rc = query_each_view(list_view, &(struct listing){ out, rows }, err);
	if (rc == 0 && rows)
		sql_rows_finish(rows, true);
	if (rc == 0 && !rows)
		fputs(about_columns, out);
	return rc < 0 ? rc : output_end(out, err);
}
