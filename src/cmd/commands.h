/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of subcommands. To add one, add a file NAME.c that defines `command_NAME`, and a row
 * here; ARCHITECTURE.md says what else it needs.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/options/options.h"

/* In the order of help, each below the heading of its purpose. A command line without a subcommand
 * means the first one. */
#define COMMANDS(HEADING, X)                              \
	HEADING("Record")                                 \
	X(run)                                            \
	X(record)                                         \
	X(preload)                                        \
	HEADING("Record all the time")                    \
	X(start)                                          \
	X(stop)                                           \
	X(status)                                         \
	X(pause)                                          \
	X(resume)                                         \
	X(mark)                                           \
	X(flush)                                          \
	X(restart)                                        \
	X(reload)                                         \
	X(reset)                                          \
	HEADING("Look at a profile")                      \
	X(report)                                         \
	X(graph)                                          \
	X(flame)                                          \
	X(heatmap)                                        \
	X(annotate)                                       \
	X(query)                                          \
	HEADING("Compare")                                \
	X(diff)                                           \
	HEADING("Count and time exactly")                 \
	X(watch)                                          \
	X(count)                                          \
	X(events)                                         \
	HEADING("Exchange with other tools and machines") \
	X(export)                                         \
	X(import)                                         \
	X(archive)                                        \
	HEADING("Manage profiles")                        \
	X(list)                                           \
	X(merge)                                          \
	X(names)                                          \
	X(recover)                                        \
	HEADING("Check and examine")                      \
	X(check)                                          \
	X(symbolize)                                      \
	X(debug)                                          \
	X(help)

#define COMMAND_NO_HEADING(text)
#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMAND_NO_HEADING, COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* Every subcommand, ended by NULL. Defined in main.c. */
extern const struct command *const commands[];

#endif
