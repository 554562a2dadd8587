/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the command of a command line; prospect(1), "SUBCOMMAND OR COMMAND", has the rules. */
#ifndef CMD_DISPATCH_H
#define CMD_DISPATCH_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options/options.h"

struct dispatch {
	const struct command *command;
	int argc; /* for command->run */
	char **argv;
};

/* @table: the first row is the default command (for a command line without a subcommand), one row
 * is named "help". Changes @argv in place; needs argc >= 2 and the NULL at its end. Returns 0,
 * -EINVAL for a wrong command line, or -ENOENT for a mistyped subcommand, with one line in @err.
 * *ret_dispatch borrows from @argv. */
int dispatch_find(const struct command *const *table, int argc, char **argv,
		  struct dispatch *ret_dispatch, struct err *err);

/* Checks early what the command needs, because its lack would cause many unclear failures later.
 * -ENOENT without /proc, -EMFILE if too few files may be open; one line. */
int dispatch_check(const struct command *command, struct err *err);

/* The command of that name, or NULL. */
const struct command *dispatch_by_name(const struct command *const *table, const char *name);
/* The command whose name is at most two letters away from @typed, or NULL. */
const struct command *dispatch_nearest(const struct command *const *table, const char *typed);

/* Prints the usage of prospect without arguments, in three lines. */
void dispatch_print_usage(FILE *stream);

#endif
