/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect record: profile a command, processes or the whole machine into a file. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/owner.h"
#include "cmd/options/collect_options.h"
#include "cmd/options/command.h"
#include "cmd/options/pid_list.h"
#include "cmd/options/terminal.h"
#include "store/state_files.h"

struct record_values {
	struct collect_options collect;
	bool all;
	struct option_texts pids, debug_folders;
	double duration_s;
	bool quiet;
};

/* clang-format off */
#define AT(field) offsetof(struct record_values, field)

static const struct option_spec record_specs[] = {
	COLLECT_OPTION_ROWS(struct record_values, collect),
	{ "all", 'a', OPTION_FLAG, AT(all), NULL,
	  .help = "profile the whole machine, until Ctrl-C or --duration" },
	{ "pid", 'p', OPTION_TEXTS, AT(pids), "PID,...",
	  .help = "profile these processes and what they fork, until Ctrl-C or --duration" },
	{ "debug-dir", 0, OPTION_TEXTS, AT(debug_folders), "DIR",
	  .help = "look for the symbols of stripped files in DIR before /usr/lib/debug" },
	{ "duration", 0, OPTION_SECONDS, AT(duration_s), "S",
	  .help = "stop after this time: 10, 1.5, 250ms, 2m, 1h", .least = 0.001, .most = 1e8 },
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), NULL,
	  .help = "print nothing on success" },
	{ 0 },
};
/* clang-format on */

static int check(const struct record_values *values, char **command, struct pid_list *pids,
		 struct err *err)
{
	int ways = values->all + (values->pids.count > 0);
	int rc = pid_list_read("-p", &values->pids, pids, err);

	if (rc < 0)
		return rc;
	if (ways > 1 || (command && values->pids.count))
		return err_set(err, -EINVAL,
			       "-p cannot be used with a command or -a: give one of -p PID, a "
			       "command, or -a");
	if (ways == 0 && !command)
		return err_set(
			err, -EINVAL,
			"nothing to record: give a command, -p PID or -a (see 'prospect record "
			"--help')");
	return 0;
}

/* Without -o the state folder keeps the profile. Recording one that cannot be kept makes no
 * sense. */
static bool has_state_folder(void)
{
	struct owner owner;
	struct err err;

	owner_find(&owner);
	if (state_make_folder(&owner, &err) == 0)
		return true;
	fprintf(stderr, "prospect record: %s; choose a file with -o\n", err.text);
	return false;
}

static int record(const struct record_values *values, char **command, const struct pid_list *pids)
{
	struct record_options options = collect_record_options(&values->collect);
	struct record_result result;
	int status;

	options.argv = command;
	options.pids = pids->items;
	options.pid_count = pids->count;
	options.machine_only = values->all;
	options.duration_s = values->duration_s;
	options.debug_folders = values->debug_folders.items;
	options.debug_folder_count = values->debug_folders.count;
	if (!options.output && !has_state_folder())
		return 1;
	status = collect_run(&options, &result);
	if (status >= 0)
		return status;
	if (!values->quiet)
		terminal_say("prospect: recorded %s; 'prospect report%s%s' shows it", result.path,
			     options.output ? " " : "", options.output ? result.path : "");
	return command_outcome_exit_status(&result.outcome, 0);
}

static int run_record(int argc, char **argv)
{
	struct record_values values = { .collect = COLLECT_DEFAULTS };
	struct pid_list pids = { 0 };
	bool help = false;
	struct err err;
	char **command;
	int status, first = options_parse(record_specs, argc, argv, true, &values, &help, &err);

	if (help) {
		options_print_help(&command_record);
		return 0;
	}
	command = first >= 0 && first < argc ? argv + first : NULL;
	if (first < 0 || check(&values, command, &pids, &err) < 0) {
		fprintf(stderr, "prospect record: %s\n", err.text);
		status = 2;
	} else {
		status = record(&values, command, &pids);
	}
	pid_list_done(&pids);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "record a profile of a command, of processes or of the whole machine",
	.usage = "[OPTION...] [-p PID,... | [-a] [[--] COMMAND [ARG...]]]",
	.options = record_specs,
	.needs_proc = true,
	.run = run_record,
};
