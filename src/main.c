/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect: the table of commands. Finds the command, runs it, and closes stdout. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/dispatch.h"
#include "cmd/help.h"
#include "cmd/internal_reader.h"
#include "cmd/options/command.h"
#include "cmd/options/terminal.h"

enum {
	STATUS_FAILED = 1,
	STATUS_WRONG_COMMAND_LINE = 2,
	STATUS_NOT_FOUND = 127,
};

/* A command line without a subcommand means the first one. One per line, so that added rows merge
 * easily. */
/* clang-format off */
const struct command *const commands[] = {
	&command_run,
	&command_record,
	&command_report,
	&command_graph,
	&command_flame,
	&command_heatmap,
	&command_diff,
	&command_query,
	&command_annotate,
	&command_archive,
	&command_names,
	&command_recover,
	&command_export,
	&command_import,
	&command_check,
	&command_debug,
	&command_symbolize,
	&command_watch,
	&command_count,
	&command_events,
	&command_help,
	NULL,
};
/* clang-format on */

/*
 * Keeps closed standard descriptors from becoming the next file that prospect opens, which would
 * then receive what is printed. Each is replaced by one that refuses, so printing still fails. The
 * profiled command finds it closed, as it would without prospect.
 */
static void hold_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int refuses = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", refuses | O_CLOEXEC) != fd)
			_exit(STATUS_FAILED);
	}
}

int main(int argc, char **argv)
{
	struct dispatch dispatch;
	struct err err;
	int rc;

	hold_standard_descriptors();
	if (internal_reader_is_meant(argc, argv))
		return internal_reader_run();
	if (argc < 2) {
		help_print_usage(stderr);
		return STATUS_WRONG_COMMAND_LINE;
	}
	rc = dispatch_find(commands, argc, argv, &dispatch, &err);
	if (rc < 0) {
		fprintf(stderr, "prospect: %s\n", err.text);
		return rc == -ENOENT ? STATUS_NOT_FOUND : STATUS_WRONG_COMMAND_LINE;
	}
	if (dispatch_check(dispatch.command, &err) < 0) {
		fprintf(stderr, "prospect %s: %s\n", dispatch.command->name, err.text);
		return STATUS_FAILED;
	}
	return terminal_close_stdout(dispatch.command->run(dispatch.argc, dispatch.argv));
}
