/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect archive: a profile with all files needed to view it elsewhere, in one file. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "archive/unpacked.h"
#include "base/err.h"
#include "base/file.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/options/option_value.h"
#include "cmd/options/profile_options.h"
#include "load/opened.h"
#include "load/output.h"
#include "names/lines/source_files.h"
#include "store/state_files.h"
#include "views/views.h"

struct archive_values {
	const char *output, *mode;
	bool list;
	struct option_texts source_paths;
	struct line_values lines;
};

/* clang-format off */
static const struct option_spec archive_specs[] = {
	{ "output", 'o', OPTION_TEXT, offsetof(struct archive_values, output), "FILE",
	  .help = "write the archive to FILE (required, unless --list)" },
	{ "mode", 0, OPTION_TEXT, offsetof(struct archive_values, mode), "MODE",
	  .help = "mode of the archive, as for chmod (default 0600)" },
	{ "list", 'l', OPTION_FLAG, offsetof(struct archive_values, list), NULL,
	  .help = "list the files that the archive would contain, or those in the archive FILE" },
	{ "source-path", 0, OPTION_TEXTS, offsetof(struct archive_values, source_paths), "FROM=TO",
	  .help = "look for source files of FROM in TO; a DIR alone: for all source files" },
	LINE_OPTION_ROWS(offsetof(struct archive_values, lines)),
	{ 0 },
};
/* clang-format on */

/* Refuses the names of other formats, for they would hide an archive of ours. */
static int check_name(const char *output, struct err *err)
{
	static const char *const others[] = { ".tar", ".gz", ".tgz", ".bz2",  ".tbz", ".tbz2",
					      ".lz4", ".xz", ".txz", ".lzma", ".zip", ".7z" };
	const char *end = strrchr(file_base(output), '.');

	for (size_t i = 0; end && i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcasecmp(end, others[i]) == 0)
			return err_set(
				err, -EINVAL,
				"-o %s: archives are compressed with zstd: use the suffix .tar.zst",
				output);
	}
	return 0;
}

static int check_output(const struct archive_values *values, struct err *err)
{
	mode_t mode;

	if (option_value_mode(values->mode, &mode, err) < 0)
		return -EINVAL;
	if (values->list)
		return values->output
			       ? err_set(err, -EINVAL, "--list and -o cannot be used together")
			       : 0;
	if (!values->output)
		return err_set(err, -EINVAL,
			       "missing -o: give the archive a name, e.g. -o web.tar.zst");
	if (output_file_is_terminal(values->output))
		return err_set(
			err, -EINVAL,
			"refusing to write an archive to the terminal: use -o FILE or a pipe");
	return check_name(values->output, err);
}

static int check(const struct archive_values *values, int count, char **words, struct err *err)
{
	const struct line_options lines = profile_options_lines(&values->lines);

	if (count > 1)
		return err_set(err, -EINVAL, "unexpected argument '%s': expected at most one FILE",
			       words[1]);
	if (check_output(values, err) < 0)
		return -EINVAL;
	for (size_t i = 0; i < values->source_paths.count; i++) {
		int rc = source_files_check(values->source_paths.items[i], err);

		if (rc < 0)
			return rc;
	}
	return line_service_check(&lines, err);
}

static int list(const char *path, const struct archive_options *options, struct err *err)
{
	int rc = archive_list(path, options, stdout, err);

	return rc < 0 ? rc : output_end(stdout, err);
}

/* If the archive goes to standard output, the report on it goes to standard error. */
static int write_archive(const struct archive_values *values, const char *path,
			 const struct archive_options *options, struct buf *contents,
			 struct err *err)
{
	const char *output = values->output;
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	FILE *report = output_file_meets_stdout(output) ? stderr : stdout;
	mode_t mode;
	int rc = option_value_mode(values->mode, &mode, err);

	if (rc == 0)
		rc = output_file_open_mode(output, mode, &file, err);
	if (rc == 0)
		rc = archive_write(path, options, output_file_stream(file), contents, err);
	if (rc == -EPIPE)
		return 0; /* as output_file_commit does */
	if (rc == 0)
		rc = output_file_commit(file, err);
	if (rc == 0)
		archive_print_contents(contents, report);
	return rc;
}

static int archive(const struct archive_values *values, const char *path, struct err *err)
{
	const struct archive_options options = {
		.lines = profile_options_lines(&values->lines),
		.source_paths = values->source_paths.items,
		.source_path_count = values->source_paths.count,
	};
	struct buf contents = { 0 };
	int rc;

	if (values->list)
		return list(path, &options, err);
	if (opened_is_profile(values->output) && !unpacked_is_archive(values->output))
		return err_set(
			err, -EEXIST,
			"refusing to overwrite the profile %s: -o names the archive to write",
			values->output);
	rc = write_archive(values, path, &options, &contents, err);
	buf_done(&contents);
	return rc;
}

static int run_archive(int argc, char **argv)
{
	struct archive_values values = { 0 };
	char last[STATE_PATH_MAX];
	const char *path;
	struct err err;
	int status, first = options_begin(&command_archive, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (check(&values, argc - first, argv + first, &err) < 0)
		return options_fail(&command_archive, &err, 2);
	path = first < argc ? argv[first] : last;
	if (path == last ? state_last_profile(last, sizeof(last), &err) < 0
			 : state_find(&path, last, sizeof(last), &err) < 0)
		return options_fail(&command_archive, &err, 1);
	if (archive(&values, path, &err) < 0)
		return options_fail(&command_archive, &err, 1);
	return 0;
}

const struct command command_archive = {
	.name = "archive",
	.summary = "pack a profile with the files needed to view it elsewhere",
	.usage = "-o FILE.tar.zst|--list [OPTION...] [FILE]",
	.options = archive_specs,
	.needs_proc = true,
	.reads_profiles = true,
	.run = run_archive,
};
