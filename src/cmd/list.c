/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect list: the profiles that are kept without -o. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/options/output_option.h"
#include "cmd/options/terminal.h"
#include "history/history.h"
#include "views/views.h"

struct list_values {
	struct list_options options;
	const char *output;
};

/* clang-format off */
#define AT(field) offsetof(struct list_values, field)

static const struct option_spec list_specs[] = {
	{ "format", 0, OPTION_TEXT, AT(options.format), "FORMAT", .help = "text, csv or json", .words = "text csv json" },
	{ "file", 'f', OPTION_TEXT, AT(output), "FILE", .help = "write the list to FILE" },
	{ 0 },
};
/* clang-format on */

static int print(struct list_values *values, size_t *ret_count, struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	struct terminal terminal;
	int rc;

	if (!values->output) {
		terminal_ask(stdout, &terminal);
		values->options.screen = terminal.screen;
		return list_print(&values->options, stdout, ret_count, err);
	}
	rc = output_option_open(values->output, "-f names the file", &output, err);
	if (rc == 0)
		rc = list_print(&values->options, output_file_stream(output), ret_count, err);
	return rc < 0 ? rc : output_file_commit(output, err);
}

static void say_none(void)
{
	_cleanup_(buf_done) struct buf why = { 0 };
	bool closed = history_is_closed(&why);

	terminal_say("prospect list: no profile yet: run 'prospect COMMAND' first%s%s",
		     closed ? "; " : "", closed ? buf_text(&why) : "");
}

static int run_list(int argc, char **argv)
{
	struct list_values values = { 0 };
	struct err err;
	int status, first = options_begin(&command_list, argc, argv, &values, &status);
	size_t count = 0;

	if (first < 0)
		return status;
	if (first < argc) {
		err_set(&err, -EINVAL, "unexpected argument '%s': 'prospect events' lists events",
			argv[first]);
		return options_fail(&command_list, &err, 2);
	}
	if (list_check(&values.options, &err) < 0)
		return options_fail(&command_list, &err, 2);
	if (print(&values, &count, &err) < 0)
		return options_fail(&command_list, &err, 1);
	if (!count)
		say_none();
	return 0;
}

const struct command command_list = {
	.name = "list",
	.summary = "list the last ten profiles that were recorded without -o",
	.usage = "[OPTION...]",
	.options = list_specs,
	.reads_profiles = true,
	.run = run_list,
};
