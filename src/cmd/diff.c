/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect diff: the changes between two profiles, or between several on each side. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "aggregate/diff/diff.h"
#include "aggregate/moment.h"
#include "base/err.h"
#include "cmd/commands.h"
#include "cmd/options/output_option.h"
#include "cmd/options/profile_options.h"
#include "cmd/options/report_options.h"
#include "cmd/options/screen_options.h"
#include "store/state_files.h"
#include "views/views.h"

enum {
	STATUS_HOLDS = 3, /* a condition of --fail-if holds */
	MAX_FILES = 1000, /* of both sides */
};

struct diff_values {
	struct diff_options options;
	struct select_values select;
	struct name_values names;
	struct screen_values screen;
	struct option_texts fail_if;
	const char *output, *against;
};

/* clang-format off */
#define AT(field) offsetof(struct diff_values, field)

static const struct option_spec diff_specs[] = {
	{ "by", 0, OPTION_TEXT, AT(options.by), "KEYS",
	  .help = "keys of the rows that are compared (default symbol,image)" },
	{ "measure", 0, OPTION_TEXT, AT(options.measure), "WHAT",
	  .help = "compare share (default), time (per run) or rate (per second of wall time)",
	  .words = "share time rate" },
	{ "all", 0, OPTION_FLAG, AT(options.all), NULL,
	  .help = "also show rows within noise" },
	SELECT_OPTION_ROWS(AT(select)),
	{ "against", 0, OPTION_TEXT, AT(against), "TIME",
	  .help = "compare the time of --since with that so much earlier, of one history: 1d" },
	SCOPE_OPTION_ROWS(AT(select), 'a'),
	SLICE_OPTION_ROW(AT(select)),
	{ "exact-names", 0, OPTION_FLAG, AT(options.exact), NULL,
	  .help = "compare exact names: foo.isra.0 is not foo, and libx.so.1 is not libx.so.2" },
	{ "sort", 0, OPTION_TEXT, AT(options.sort), "ORDER",
	  .help = "sort by effect (default), ratio, old, new or name",
	  .words = "effect ratio old new name" },
	{ "threshold", 0, OPTION_NUMBER, AT(options.threshold), "PCT",
	  .help = "omit rows with a smaller share on both sides (default 0)",
	  .least = 0, .most = 100 },
	{ "limit", 0, OPTION_INTEGER, AT(options.limit), "N",
	  .help = "show at most N rows of an event (default: all)", .least = 1, .most = 1e9 },
	{ "fail-if", 0, OPTION_TEXTS, AT(fail_if), "EXPR",
	  .help = "exit with status 3 if this holds: 'share(parse) > +2%', 'any time(*) > +10%'" },
	{ "format", 0, OPTION_TEXT, AT(options.format), "FORMAT",
	  .help = "text, csv or json", .words = "text csv json" },
	NAME_OPTION_ROWS(AT(names)),
	SCREEN_OPTION_ROWS(AT(screen)),
	{ "file", 'f', OPTION_TEXT, AT(output), "FILE",
	  .help = "write the result to FILE" },
	{ 0 },
};
/* clang-format on */

/* Completes values->options. */
static void finish_options(struct diff_values *values)
{
	struct diff_options *options = &values->options;

	options->selection = profile_options_selection(&values->select);
	options->names = profile_options_names(&values->names);
	options->fail_if = values->fail_if.items;
	options->fail_if_count = values->fail_if.count;
}

/* Without words: the last profile and the one before it. */
static int last_two(char (*paths)[STATE_PATH_MAX], struct err *err)
{
	int rc = state_last_profile(paths[1], STATE_PATH_MAX, err);

	if (rc == 0)
		rc = state_previous_profile(paths[0], STATE_PATH_MAX, err);
	return rc;
}

static int print(struct diff_values *values, const struct diff_files *files, bool *ret_failed,
		 struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	struct diff_options *options = &values->options;
	_cleanup_(pager_freep) struct pager *pager = NULL;
	int rc;

	options->screen = screen_options_screen(&values->screen, values->output ? NULL : stdout);
	if (!values->output) {
		pager = screen_options_pager(&values->screen);
		return diff_print(files, options, pager_stream(pager), ret_failed, err);
	}
	rc = output_option_open(values->output, "-f names the file", &output, err);
	if (rc == 0)
		rc = diff_print(files, options, output_file_stream(output), ret_failed, err);
	return rc < 0 ? rc : output_file_commit(output, err);
}

static int show(struct diff_values *values, struct diff_files *files)
{
	char found[DIFF_SIDES][STATE_PATH_MAX];
	const char *paths[DIFF_SIDES] = { found[0], found[1] };
	bool failed = false;
	struct err err;
	int rc = 0;

	finish_options(values);
	if (diff_check(&values->options, &err) < 0 ||
	    screen_options_check(&values->screen, &err) < 0)
		return options_fail(&command_diff, &err, 2);
	if (values->against && files->paths)
		paths[0] = files->paths[0];
	else if (values->against)
		rc = profile_options_default(&values->select, found[0], STATE_PATH_MAX, &err);
	else if (!files->paths)
		rc = last_two(found, &err);
	if (rc < 0)
		return options_fail(&command_diff, &err, 1);
	if (values->against) /* two times of one history */
		paths[1] = paths[0];
	if (values->against || !files->paths)
		*files = (struct diff_files){ paths, 1, 1 };
	rc = print(values, files, &failed, &err);
	if (rc < 0)
		return options_fail(&command_diff, &err, profile_options_status(rc));
	return failed ? options_fail(&command_diff, &err, STATUS_HOLDS) : 0;
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

/* With --against at most one word, a history. */
static int check_against(struct diff_values *values, const struct diff_files *files,
			 struct err *err)
{
	if (!values->select.selection.since)
		return err_set(err, -EINVAL, "--against needs --since: the time that is compared");
	if (moment_parse_span(values->against, &values->options.earlier_ns) < 0 ||
	    !values->options.earlier_ns)
		return err_set(
			err, -EINVAL,
			"invalid --against '%s': expected how much earlier, such as 1h or 1d",
			values->against);
	if (files->old_count + files->new_count > 1)
		return err_set(err, -EINVAL,
			       "--against compares two times of one history: give at most one");
	return 0;
}

/* Words are OLD NEW..., or OLD... -- NEW...; @before are before the "--", @after are after it. */
static int sort_words(struct diff_values *values, char **words, int before, int after,
		      struct diff_files *ret_files, struct err *err)
{
	struct diff_files files = { .paths = before + after ? (const char *const *)words : NULL };
	int rc;

	if (before && after)
		files.old_count = (size_t)before;
	else if (before + after > 1)
		files.old_count = 1;
	files.new_count = (size_t)(before + after) - files.old_count;
	*ret_files = files;
	if (values->against)
		return check_against(values, &files, err);
	if (before + after == 1)
		return err_set(err, -EINVAL,
			       "only one profile is given ('%s'): give both OLD and NEW, or none "
			       "to compare the last two profiles",
			       words[0]);
	if (before + after > MAX_FILES)
		return err_set(err, -EINVAL, "too many profiles: at most %d can be compared",
			       MAX_FILES);
	rc = refuse_twice(files.paths, files.old_count, err);
	return rc < 0 ? rc : refuse_twice(files.paths + files.old_count, files.new_count, err);
}

/* Parses both sides of the "--", which ends the options only if no word is before it. Moves their
 * words next to each other at the end of argv. Negative: as options_begin. */
static int parse_words(int argc, char **argv, struct diff_values *values,
		       struct diff_files *ret_files, int *ret_status)
{
	int border = options_border(argc, argv), after = border + 1;
	int first = options_begin(&command_diff, border, argv, values, ret_status);
	struct err err;
	int before;

	if (first < 0)
		return first;
	before = border - first;
	if (before && border < argc) {
		int skipped = options_begin(&command_diff, argc - border, &argv[border], values,
					    ret_status);

		if (skipped < 0)
			return skipped;
		after = border + skipped;
	}
	if (after > argc)
		after = argc;
	memmove(&argv[after - before], &argv[first], (size_t)before * sizeof(*argv));
	if (sort_words(values, &argv[after - before], before, argc - after, ret_files, &err) == 0)
		return 0;
	*ret_status = options_fail(&command_diff, &err, 2);
	return -1;
}

static int run_diff(int argc, char **argv)
{
	struct diff_values values = { 0 };
	struct diff_files files = { 0 };
	int status;

	if (parse_words(argc, argv, &values, &files, &status) < 0)
		return status;
	return show(&values, &files);
}

const struct command command_diff = {
	.name = "diff",
	.summary = "compare profiles, and tell real changes from chance",
	.usage = "[OPTION...] [OLD NEW...|OLD... -- NEW...|--since TIME --against TIME [DIR]]",
	.options = diff_specs,
	.more_help = report_options_print_keys,
	.reads_profiles = true,
	.run = run_diff,
};
