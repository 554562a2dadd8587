/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which command a command line means; the rules are in prospect(1), "SUBCOMMAND OR COMMAND". */
#ifndef CMD_DISPATCH_H
#define CMD_DISPATCH_H

#include "base/err.h"
#include "cmd/options/command.h"

struct dispatch {
	const struct command *command;
	int argc; /* for command->run */
	char **argv;
};

/* @table: the first row is the default command (what a command line without a subcommand means),
 * one row is named "help". @argv is changed in place, needs argc >= 2 and its closing NULL.
 * Returns 0, -EINVAL for a wrong command line, -ENOENT for a mistyped subcommand; then one line in
 * @err. *ret_dispatch borrows from @argv. */
int dispatch_find(const struct command *const *table, int argc, char **argv,
		  struct dispatch *ret_dispatch, struct err *err);

/* Does the command find what it needs? What is missing would fail later in many ways, and be called
 * something else. -ENOENT without /proc, -EMFILE where too few files may be open; one line. */
int dispatch_check(const struct command *command, struct err *err);

/* The command of that name, or NULL. */
const struct command *dispatch_by_name(const struct command *const *table, const char *name);
/* The command whose name is at most two letters away from @typed, or NULL. */
const struct command *dispatch_nearest(const struct command *const *table, const char *typed);

#endif
