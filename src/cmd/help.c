/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect help [COMMAND]; --help, --version and the checks of the man pages call it, too. */
#include "cmd/help.h"

#include <stddef.h>

#include "cmd/dispatch.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/options/terminal.h"
#include "views/report.h"

enum { STATUS_WRONG_COMMAND_LINE = 2 };

struct help_values {
	bool commands, options, keys, version;
};

#define AT(member) offsetof(struct help_values, member)

static const struct option_spec help_options[] = {
	{ "commands", 0, OPTION_FLAG, AT(commands), NULL,
	  "print the names of all subcommands, one per line", 0, 0, NULL },
	{ "options", 0, OPTION_FLAG, AT(options), NULL,
	  "print the options of SUBCOMMAND, one per line: letter, name, value", 0, 0, NULL },
	{ "keys", 0, OPTION_FLAG, AT(keys), NULL,
	  "print the keys of --by and --select, one per line", 0, 0, NULL },
	{ "version", 0, OPTION_FLAG, AT(version), NULL, "print the version of prospect", 0, 0,
	  NULL },
	{ 0 },
};

void help_print_usage(FILE *stream)
{
	fputs("Usage: prospect [OPTION...] COMMAND [ARGUMENT...]   profile the machine while "
	      "COMMAND"
	      " runs\n"
	      "       prospect SUBCOMMAND ...                      "
	      "'prospect help' lists the subcommands\n",
	      stream);
}

static void print_overview(void)
{
	help_print_usage(stdout);
	puts("\nSubcommands:");
	for (const struct command *const *row = commands; *row; row++)
		printf("  %-10s %s\n", (*row)->name, (*row)->summary);
	puts("\n'prospect help SUBCOMMAND' lists its options; 'man prospect' has everything.");
}

static void print_names(void)
{
	for (const struct command *const *row = commands; *row; row++)
		puts((*row)->name);
}

static int about_command(const char *name, bool rows)
{
	const struct command *command = dispatch_by_name(commands, name);
	const struct command *near;

	if (!command) {
		near = dispatch_nearest(commands, name);
		if (near)
			terminal_say("prospect: unknown subcommand '%s': did you mean '%s'?", name,
				     near->name);
		else
			terminal_say("prospect: unknown subcommand '%s': 'prospect help' lists all",
				     name);
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
	bool wants_help;
	int word = options_parse(help_options, argc, argv, false, &values, &wants_help, &err);

	if (word >= 0 && argc - word > 1)
		word = err_set(&err, -1, "help takes only one subcommand");
	if (word < 0) {
		fprintf(stderr, "prospect: help: %s\n", err.text);
		return STATUS_WRONG_COMMAND_LINE;
	}
	if (wants_help) {
		options_print_help(&command_help);
		return 0;
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
