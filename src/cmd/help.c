/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect help [COMMAND]; --help, --version and the checks of the man pages call it, too. */
#include <errno.h>
#include <stddef.h>

#include "cmd/commands.h"
#include "cmd/dispatch.h"
#include "cmd/options/terminal.h"
#include "cmd/perf_verbs.h"
#include "views/views.h"

enum { STATUS_WRONG_COMMAND_LINE = 2 };

struct help_values {
	bool commands, options, keys, version;
};

#define AT(member) offsetof(struct help_values, member)

static const struct option_spec help_options[] = {
	{ "commands", 0, OPTION_FLAG, AT(commands), NULL,
	  .help = "print the names of all subcommands, one per line" },
	{ "options", 0, OPTION_FLAG, AT(options), NULL,
	  .help = "print the options of SUBCOMMAND, one per line: letter, name, value, its words" },
	{ "keys", 0, OPTION_FLAG, AT(keys), NULL,
	  .help = "print the keys of --by and --select, one per line" },
	{ "version", 0, OPTION_FLAG, AT(version), NULL, .help = "print the version of prospect" },
	{ 0 },
};

/* A heading, or a subcommand below it. */
struct overview_row {
	const char *heading;
	const struct command *command;
};

#define HEADING_ROW(text) { .heading = text },
#define COMMAND_ROW(name) { .command = &command_##name },
static const struct overview_row overview_rows[] = { COMMANDS(HEADING_ROW, COMMAND_ROW) };

static void print_overview(void)
{
	const struct overview_row *end =
		overview_rows + sizeof(overview_rows) / sizeof(*overview_rows);

	dispatch_print_usage(stdout);
	for (const struct overview_row *row = overview_rows; row < end; row++) {
		if (row->heading)
			printf("\n%s:\n", row->heading);
		else
			printf("  %-10s %s\n", row->command->name, row->command->summary);
	}
	puts("\n'prospect help SUBCOMMAND' lists its options; 'man prospect' has everything.");
}

static void print_names(void)
{
	for (const struct command *const *row = commands; *row; row++)
		puts((*row)->name);
}

static void say_unknown(const char *name)
{
	const struct command *near = dispatch_nearest(commands, name);
	const char *equivalent = perf_verb_equivalent(name);

	if (equivalent)
		terminal_say("prospect: '%s' is a subcommand of perf: use %s", name, equivalent);
	else if (near)
		terminal_say("prospect: unknown subcommand '%s': did you mean '%s'?", name,
			     near->name);
	else
		terminal_say("prospect: unknown subcommand '%s': 'prospect help' lists all", name);
}

static int about_command(const char *name, bool rows)
{
	const struct command *command = dispatch_by_name(commands, name);

	if (!command) {
		say_unknown(name);
		return STATUS_WRONG_COMMAND_LINE;
	}
	if (!rows)
		return command->run(2, (char *[]){ (char *)command->name, (char *)"--help", NULL });
	options_print_rows(command->options);
	return 0;
}

/* @words: the commands given, NULL at the end. */
static int help(const struct help_values *values, char **words)
{
	if (values->version)
		puts("prospect " PROSPECT_VERSION);
	else if (values->commands)
		print_names();
	else if (values->keys)
		report_print_keys(stdout);
	else if (*words)
		return about_command(*words, values->options);
	else
		print_overview();
	return 0;
}

static int help_run(int argc, char **argv)
{
	struct help_values values = { 0 };
	struct err err;
	int status, word = options_begin(&command_help, argc, argv, &values, &status);

	if (word < 0)
		return status;
	if (argc - word > 1) {
		err_set(&err, -EINVAL, "help takes only one subcommand");
		return options_fail(&command_help, &err, STATUS_WRONG_COMMAND_LINE);
	}
	return help(&values, argv + word);
}

const struct command command_help = {
	.name = "help",
	.summary = "show how prospect and its subcommands are used",
	.usage = "[OPTION...] [SUBCOMMAND]",
	.options = help_options,
	.run = help_run,
};
