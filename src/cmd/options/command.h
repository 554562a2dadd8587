/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A subcommand: one entry for each file, one table of them in main.c. A new one needs a new file, a
 * row there, a man page and a test.
 */
#ifndef CMD_OPTIONS_COMMAND_H
#define CMD_OPTIONS_COMMAND_H

#include <stdbool.h>

struct option_spec;

struct command {
	const char *name;		   /* as typed */
	const char *summary;		   /* one line for the list of commands */
	const char *usage;		   /* what follows the name in the usage line */
	const struct option_spec *options; /* ends with an all-zero row */
	bool needs_proc;		   /* does nothing useful without /proc */
	bool reads_profiles;		   /* and the files they name: needs many open files */
	/* argv[0] is the command's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

extern const struct command command_run; /* prospect [run] COMMAND */
extern const struct command command_record;
extern const struct command command_annotate;
extern const struct command command_archive;
extern const struct command command_names;
extern const struct command command_recover;
extern const struct command command_report;
extern const struct command command_export;
extern const struct command command_import;
extern const struct command command_diff;
extern const struct command command_count;
extern const struct command command_events;
extern const struct command command_graph;
extern const struct command command_flame;
extern const struct command command_heatmap;
extern const struct command command_query;
extern const struct command command_symbolize;
extern const struct command command_check;
extern const struct command command_debug;
extern const struct command command_watch;
extern const struct command command_help;

/* Every subcommand, ended by NULL. Defined in main.c. */
extern const struct command *const commands[];

#endif
