/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect: finds the command, runs it, and closes stdout. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/dispatch.h"
#include "cmd/options/terminal.h"
#include "foreign/foreign.h"

enum {
	STATUS_FAILED = 1,
	STATUS_WRONG_COMMAND_LINE = 2,
	STATUS_NOT_FOUND = 127,
};

#define COMMAND_ROW(name) &command_##name,
const struct command *const commands[] = { COMMANDS(COMMAND_NO_HEADING, COMMAND_ROW) NULL };
#undef COMMAND_ROW

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
	/* The process that reads files which may never answer. Only prospect itself starts it;
	 * without its socket it ends at once. */
	if (argc == 2 && strcmp(argv[1], FOREIGN_OPTION) == 0) {
		foreign_serve(FOREIGN_SOCKET);
		return 0;
	}
	if (argc < 2) {
		dispatch_print_usage(stderr);
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
