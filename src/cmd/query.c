/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect query: SQL over a profile. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "cmd/commands.h"
#include "cmd/options/output_option.h"
#include "cmd/options/profile_options.h"
#include "cmd/options/screen_options.h"
#include "load/opened.h"
#include "store/state_files.h"
#include "views/views.h"

enum {
	STATUS_FAILED = 1,
	STATUS_WRONG = 2,
	STATUS_ASSERT = 3, /* an --assert returned rows */
	STATUS_INTERRUPTED = 130,
	MAX_SQL_BYTES = 1 << 20,
};

struct query_values {
	struct query_options options;
	const char *file;
	struct option_texts asserts;
	struct screen_values screen;
	const char *output;
};

/* clang-format off */
#define AT(field) offsetof(struct query_values, field)

static const struct option_spec query_specs[] = {
	{ "file", 'f', OPTION_TEXT, AT(file), "FILE",
	  .help = "read the SQL from FILE; '-' is standard input" },
	{ "assert", 0, OPTION_TEXTS, AT(asserts), "SQL",
	  .help = "exit with status 3 if this SELECT has rows, and print them" },
	{ "format", 0, OPTION_TEXT, AT(options.format), "FORMAT",
	  .help = "text, csv or json", .words = "text csv json" },
	{ "demangle", 0, OPTION_TEXT, AT(options.demangle), "STYLE",
	  .help = "how names are written: none, normal (default), smart (short C++ templates)",
	  .words = "none normal smart" },
	{ "limit", 0, OPTION_INTEGER, AT(options.limit), "N",
	  .help = "print at most N rows (default: all)", .least = 1, .most = 1e15 },
	{ "time-limit", 0, OPTION_SECONDS, AT(options.max_seconds), "TIME",
	  .help = "stop a statement that takes longer (default 1m)",
	  .least = 0.001, .most = 1e6 },
	{ "memory-limit", 0, OPTION_INTEGER, AT(options.max_megabytes), "MB",
	  .help = "stop a statement that needs more memory (default 512)",
	  .least = 16, .most = 1 << 20 },
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE",
	  .help = "write the rows to FILE" },
	WIDE_OPTION_ROWS(AT(screen)),
	{ 0 },
};
/* clang-format on */

/* --- one statement --- */

/* What to do about a failure, for those that an option avoids. */
static const char *advice(int rc)
{
	if (rc == -ETIME)
		return ": raise --time-limit";
	if (rc == -ENOMEM)
		return ": raise --memory-limit";
	return "";
}

static int fail_statement(int rc, const struct query_outcome *outcome, const struct err *err)
{
	fprintf(stderr, "prospect query: %s%s\n", err->text, advice(rc));
	if (rc == -EINTR)
		return STATUS_INTERRUPTED;
	return outcome->is_wrong ? STATUS_WRONG : STATUS_FAILED;
}

static void tell_limit(const struct query_values *values, const struct query_outcome *outcome)
{
	if (outcome->more)
		fprintf(stderr, "prospect query: more rows than --limit %lld are omitted\n",
			(long long)values->options.limit);
}

static int select_rows(const struct query_values *values, const char *sql, const char *path,
		       FILE *out)
{
	struct query_outcome outcome;
	struct err err;
	int rc = query_print(path, sql, &values->options, out, &outcome, &err);

	if (rc < 0)
		return fail_statement(rc, &outcome, &err);
	tell_limit(values, &outcome);
	return 0;
}

/* Checks all of them, unless one cannot be run. */
static int check_asserts(const struct query_values *values, const char *path, FILE *out)
{
	struct query_options options = values->options;
	int status = 0;

	options.skip_empty = true;
	for (size_t i = 0; i < values->asserts.count; i++) {
		struct query_outcome outcome;
		struct err err;
		int rc = query_print(path, values->asserts.items[i], &options, out, &outcome, &err);

		if (rc < 0)
			return fail_statement(rc, &outcome, &err);
		tell_limit(values, &outcome);
		if (outcome.rows)
			status = STATUS_ASSERT;
	}
	return status;
}

static int answer(const struct query_values *values, const char *sql, const char *path, FILE *out)
{
	return sql ? select_rows(values, sql, path, out) : check_asserts(values, path, out);
}

static int answer_to_file(const struct query_values *values, const char *sql, const char *path)
{
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	struct err err;
	int status;

	if (output_option_open(values->output, "-o names the file", &file, &err) < 0)
		return options_fail(&command_query, &err, STATUS_FAILED);
	status = answer(values, sql, path, output_file_stream(file));
	if ((status == 0 || status == STATUS_ASSERT) && output_file_commit(file, &err) < 0)
		return options_fail(&command_query, &err, STATUS_FAILED);
	return status;
}

static int ask(const struct query_values *values, const char *sql, const char *file)
{
	static const struct select_values any_time;
	_cleanup_(pager_freep) struct pager *pager = NULL;
	char last[STATE_PATH_MAX];
	struct err err;

	if (!file && profile_options_default(&any_time, last, sizeof(last), &err) < 0)
		return options_fail(&command_query, &err, STATUS_FAILED);
	if (!file)
		file = last;
	if (state_find(&file, last, sizeof(last), &err) < 0)
		return options_fail(&command_query, &err, 1);
	if (values->output)
		return answer_to_file(values, sql, file);
	pager = screen_options_pager(&values->screen);
	return answer(values, sql, file, pager_stream(pager));
}

/* --- arguments --- */

/* The text of -f. */
static int read_sql(const char *name, struct buf *ret_sql, struct err *err)
{
	const char *path = strcmp(name, "-") == 0 ? "/dev/stdin" : name;
	int rc = file_read(path, MAX_SQL_BYTES, ret_sql);

	if (rc < 0)
		return err_set(err, rc, "cannot read SQL from %s: %s", name, strerror(-rc));
	if (strlen(buf_text(ret_sql)) != ret_sql->size)
		return err_set(err, -EINVAL, "%s is not SQL: it contains a NUL byte", name);
	return 0;
}

/* @words: [SQL] [FILE], without SQL if an option has it. */
static int sort_words(const struct query_values *values, int count, char **words,
		      const char **ret_sql, const char **ret_path, struct err *err)
{
	bool given = values->file || values->asserts.count;

	*ret_sql = given || !count ? NULL : words[0];
	*ret_path = count > !given ? words[!given] : NULL;
	if (values->file && values->asserts.count)
		return err_set(err, -EINVAL, "-f and --assert cannot be used together");
	if (count > 1 + !given)
		return err_set(err, -EINVAL,
			       given ? "unexpected argument '%s': expected at most one FILE with "
				       "-f or --assert"
				     : "unexpected argument '%s': expected at most an SQL "
				       "statement and a FILE",
			       words[1 + !given]);
	if (count == 1 && !given && opened_is_profile(words[0]))
		return err_set(err, -EINVAL, "'%s' is a profile: the SQL statement goes before it",
			       words[0]);
	return 0;
}

static int list(const struct query_values *values)
{
	_cleanup_(pager_freep) struct pager *pager = screen_options_pager(&values->screen);
	struct err err;

	if (query_list(&values->options, pager_stream(pager), &err) < 0)
		return options_fail(&command_query, &err, STATUS_FAILED);
	return 0;
}

static int run_query(int argc, char **argv)
{
	struct query_values values = { .options = { .max_seconds = 60, .max_megabytes = 512 } };
	_cleanup_(buf_done) struct buf text = { 0 };
	const char *sql = NULL, *path = NULL;
	struct err err;
	int status, first = options_begin(&command_query, argc, argv, &values, &status);

	if (first < 0)
		return status;
	values.options.screen =
		screen_options_screen(&values.screen, values.output ? NULL : stdout);
	if (query_check(&values.options, &err) < 0 ||
	    sort_words(&values, argc - first, argv + first, &sql, &path, &err) < 0)
		return options_fail(&command_query, &err, STATUS_WRONG);
	if (!sql && !values.file && !values.asserts.count)
		return list(&values);
	if (sql && strcmp(sql, "-") == 0)
		values.file = sql;
	if (values.file && read_sql(values.file, &text, &err) < 0)
		return options_fail(&command_query, &err, STATUS_FAILED);
	return ask(&values, values.file ? buf_text(&text) : sql, path);
}

const struct command command_query = {
	.name = "query",
	.summary = "query a profile in SQL; without SQL, list the views",
	.usage = "[OPTION...] [SQL] [FILE]",
	.options = query_specs,
	.reads_profiles = true,
	.run = run_query,
};
