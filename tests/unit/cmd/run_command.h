/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs commands as the program's first word does. */
#ifndef TEST_CMD_RUN_COMMAND_H
#define TEST_CMD_RUN_COMMAND_H

#include "base/folder.h"

#include "cmd/commands.h"

/* The exit status of a command; @words are at most seven, and NULL. */
static inline int run_command(const struct command *command, const char *const *words)
{
	char *argv[8];
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)words[argc];
	argv[argc] = NULL;
	return command->run(argc, argv);
}

/* EXPECT(STATUS, COMMAND, WORD...) */
#define EXPECT(status, command, ...)                                                         \
	assert_int_equal(                                                                    \
		run_command(&command_##command, (const char *const[]){ __VA_ARGS__, NULL }), \
		status)

#endif
