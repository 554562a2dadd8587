/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect diff: the changes between two profiles, or between several on each side. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "aggregate/diff/diff.h"
#include "base/err.h"
#include "base/output_file.h"
#include "cmd/options/command.h"
#include "cmd/options/name_options.h"
#include "cmd/options/options.h"
#include "cmd/options/select_options.h"
#include "cmd/options/terminal.h"
#include "load/opened.h"
#include "store/state_files.h"
#include "views/diff.h"
#include "views/report.h"

enum {
	STATUS_HOLDS = 3, /* a condition of --fail-if holds */
	MAX_FILES = 1000, /* of both sides */
};

struct diff_values {
	const char *by;
	const char *measure;
	struct select_values select;
	bool machine, exact, all;
	const char *sort;
	int64_t limit;
	double threshold;
	struct option_texts fail_if;
	const char *format;
	struct name_values names;
	const char *output;
};

/* clang-format off */
static const struct option_spec diff_specs[] = {
	{ "by", 0, OPTION_TEXT, offsetof(struct diff_values, by), "KEYS",
	  .help = "keys of the rows that are compared (default symbol,image)" },
	{ "measure", 0, OPTION_TEXT, offsetof(struct diff_values, measure), "WHAT",
	  .help = "compare share (default), time (per run) or rate (per second of wall time)" },
	{ "all", 0, OPTION_FLAG, offsetof(struct diff_values, all), NULL,
	  .help = "also show rows within noise" },
	SELECT_OPTION_ROWS(offsetof(struct diff_values, select)),
	SLICE_OPTION_ROW(offsetof(struct diff_values, select)),
	{ "machine", 'a', OPTION_FLAG, offsetof(struct diff_values, machine), NULL,
	  .help = "compare everything that was recorded, not only the command and its children" },
	{ "exact-names", 0, OPTION_FLAG, offsetof(struct diff_values, exact), NULL,
	  .help = "compare exact names: foo.isra.0 is not foo, and libx.so.1 is not libx.so.2" },
	{ "sort", 0, OPTION_TEXT, offsetof(struct diff_values, sort), "ORDER",
	  .help = "sort by effect (default), ratio, old, new or name" },
	{ "threshold", 0, OPTION_NUMBER, offsetof(struct diff_values, threshold), "PCT",
	  .help = "omit rows with a smaller share on both sides (default 0)",
	  .least = 0, .most = 100 },
	{ "limit", 0, OPTION_INTEGER, offsetof(struct diff_values, limit), "N",
	  .help = "show at most N rows of an event (default: all)", .least = 1, .most = 1e9 },
	{ "fail-if", 0, OPTION_TEXTS, offsetof(struct diff_values, fail_if), "EXPR",
	  .help = "exit with status 3 if this holds: 'share(parse) > +2%', 'any time(*) > +10%'" },
	{ "format", 0, OPTION_TEXT, offsetof(struct diff_values, format), "FORMAT",
	  .help = "text, csv or json" },
	NAME_OPTION_ROWS(offsetof(struct diff_values, names)),
	{ "file", 'f', OPTION_TEXT, offsetof(struct diff_values, output), "FILE",
	  .help = "write the result to FILE" },
	{ 0 },
};
/* clang-format on */

static struct diff_options options_of(const struct diff_values *values)
{
	return (struct diff_options){
		.by = values->by,
		.measure = values->measure,
		.sort = values->sort,
		.selection = select_options_of(&values->select),
		.machine = values->machine,
		.exact = values->exact,
		.all = values->all,
		.limit = (size_t)values->limit,
		.threshold = values->threshold,
		.format = values->format,
		.fail_if = values->fail_if.items,
		.fail_if_count = values->fail_if.count,
		.names = name_options_of(&values->names),
	};
}

/* Without words: the last profile and the one before it. */
static int last_two(char (*paths)[STATE_PATH_MAX], struct err *err)
{
	int rc = state_last_profile(paths[1], STATE_PATH_MAX, err);

	if (rc == 0)
		rc = state_previous_profile(paths[0], STATE_PATH_MAX, err);
	return rc;
}

static int print(const struct diff_values *values, const struct diff_files *files, bool *ret_failed,
		 struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	struct diff_options options = options_of(values);
	struct terminal terminal;
	int rc;

	if (!values->output) {
		terminal_ask(stdout, &terminal);
		options.colour = terminal.colour;
		return diff_print(files, &options, stdout, ret_failed, err);
	}
	if (opened_is_profile(values->output))
		return err_set(err, -EEXIST,
			       "refusing to overwrite the profile %s: -f names the file to write",
			       values->output);
	rc = output_file_open(values->output, &output, err);
	if (rc == 0)
		rc = diff_print(files, &options, output_file_stream(output), ret_failed, err);
	return rc < 0 ? rc : output_file_commit(output, err);
}

static int show(const struct diff_values *values, struct diff_files *files)
{
	struct diff_options options = options_of(values);
	char last[DIFF_SIDES][STATE_PATH_MAX];
	const char *paths[DIFF_SIDES] = { last[0], last[1] };
	bool failed = false;
	struct err err;

	if (diff_check(&options, &err) < 0)
		return options_fail(&command_diff, &err, 2);
	if (!files->old_count) {
		if (last_two(last, &err) < 0)
			return options_fail(&command_diff, &err, 1);
		*files = (struct diff_files){ paths, 1, 1 };
	}
	if (print(values, files, &failed, &err) < 0)
		return options_fail(&command_diff, &err, 1);
	return failed ? options_fail(&command_diff, &err, STATUS_HOLDS) : 0;
}

/* The index of the first "--"; @argc if there is none. */
static int find_border(int argc, char **argv)
{
	int at = 1;

	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	return at;
}

static bool is_one_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	if (strcmp(a, b) == 0)
		return true;
	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && S_ISREG(of_a.st_mode) &&
	       of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* A profile given twice on one side would hide how runs differ. */
static int refuse_twice(const char *const *paths, size_t count, struct err *err)
{
	for (size_t i = 1; i < count; i++) {
		for (size_t before = 0; before < i; before++) {
			if (is_one_file(paths[before], paths[i]))
				return err_set(err, -EINVAL,
					       "%s is given twice on one side: give each profile "
					       "only once per side",
					       paths[i]);
		}
	}
	return 0;
}

/* Words are OLD NEW..., or OLD... -- NEW...; @before are before the "--", @behind after it. */
static int sort_words(char **words, int before, int behind, struct diff_files *ret_files,
		      struct err *err)
{
	struct diff_files files = { .paths = (const char *const *)words };
	int rc;

	if (before && behind)
		files.old_count = (size_t)before;
	else if (before + behind > 1)
		files.old_count = 1;
	files.new_count = (size_t)(before + behind) - files.old_count;
	*ret_files = files;
	if (before + behind == 1)
		return err_set(err, -EINVAL,
			       "only one profile is given ('%s'): give both OLD and NEW, or none "
			       "to compare the last two profiles",
			       words[0]);
	if (before + behind > MAX_FILES)
		return err_set(err, -EINVAL, "too many profiles: at most %d can be compared",
			       MAX_FILES);
	rc = refuse_twice(files.paths, files.old_count, err);
	return rc < 0 ? rc : refuse_twice(files.paths + files.old_count, files.new_count, err);
}

/* Parses both sides of the "--", which ends the options only if no word is before it. Moves their
 * words next to each other at the end of argv. */
static int parse_words(int argc, char **argv, struct diff_values *values, bool *help,
		       struct diff_files *ret_files, struct err *err)
{
	int border = find_border(argc, argv), behind = border + 1;
	int first = options_parse(diff_specs, border, argv, false, values, help, err);
	int before;

	if (first < 0 || *help)
		return first;
	before = border - first;
	if (before && border < argc) {
		int skipped = options_parse(diff_specs, argc - border, &argv[border], false, values,
					    help, err);

		if (skipped < 0 || *help)
			return skipped;
		behind = border + skipped;
	}
	if (behind > argc)
		behind = argc;
	memmove(&argv[behind - before], &argv[first], (size_t)before * sizeof(*argv));
	return sort_words(&argv[behind - before], before, argc - behind, ret_files, err);
}

static int run_diff(int argc, char **argv)
{
	struct diff_values values = { 0 };
	struct diff_files files = { 0 };
	bool help = false;
	struct err err;

	if (parse_words(argc, argv, &values, &help, &files, &err) < 0)
		return options_fail(&command_diff, &err, 2);
	if (help) {
		options_print_help(&command_diff);
		printf("\nKeys of --by and --select:\n");
		report_print_keys(stdout);
		return 0;
	}
	return show(&values, &files);
}

const struct command command_diff = {
	.name = "diff",
	.summary = "compare profiles, and tell real changes from chance",
	.usage = "[OPTION...] [OLD NEW...|OLD... -- NEW...]",
	.options = diff_specs,
	.reads_profiles = true,
	.run = run_diff,
};
