/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect: the table of commands. Finds the one that is meant, runs it, leaves stdout in order. */
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

/* The first one is what a command line without a subcommand means; one a line, so that rows can be
 * added side by side. */
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
 * A standard descriptor that was closed would become the number of the next file we open, and what
 * is printed would go into that file. It is held by one that refuses, so that printing still fails;
 * the profiled command finds it closed, as it would without us.
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
