/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect record: profile a command, processes or the whole machine into a file. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/owner.h"
#include "cmd/commands.h"
#include "cmd/options/collect_options.h"
#include "cmd/options/terminal.h"
#include "history/history.h"
#include "store/record_output.h"
#include "store/state_files.h"
#include "views/views.h"

struct record_values {
	struct collect_options collect;
	bool all;
	struct option_texts debug_folders;
	bool quiet, from_history;
	const char *history, *since, *until;
};

/* clang-format off */
#define AT(field) offsetof(struct record_values, field)

static const struct option_spec record_specs[] = {
	COLLECT_OPTION_ROWS(struct record_values, collect),
	{ "all", 'a', OPTION_FLAG, AT(all), NULL,
	  .help = "profile the whole machine, until Ctrl-C or --duration" },
	{ "debug-dir", 0, OPTION_TEXTS, AT(debug_folders), "DIR",
	  .help = "look for the symbols of stripped files in DIR before /usr/lib/debug" },
	{ "from-history", 0, OPTION_FLAG, AT(from_history), NULL,
	  .help = "record nothing: make a profile of what 'prospect start' has recorded" },
	{ "since", 0, OPTION_TEXT, AT(since), "TIME",
	  .help = "of the history, only from then on: 5m (ago), 14:05, mark:TEXT" },
	{ "until", 0, OPTION_TEXT, AT(until), "TIME",
	  .help = "of the history, only before that" },
	{ "history", 0, OPTION_TEXT, AT(history), "DIR",
	  .help = "the folder of the history, as given to 'prospect start'" },
	{ NULL, 'f', OPTION_REFUSED, 0, NULL,
	  .help = "record prints no report; -o FILE names the profile" },
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), NULL,
	  .help = "print nothing on success" },
	{ 0 },
};
/* clang-format on */

static int check(const struct record_values *values, char **command, struct who *who,
		 struct err *err)
{
	int rc = collect_read_who(&values->collect, command, who, err);

	if (rc < 0)
		return rc;
	if (values->from_history && (values->all || who->words.count || command))
		return err_set(
			err, -EINVAL,
			"--from-history records nothing: give neither a command, nor -p, nor -a");
	if (!values->from_history && (values->since || values->until || values->history))
		return err_set(err, -EINVAL, "--since, --until and --history need --from-history");
	if (values->from_history)
		return record_output_check(values->collect.record.output, err);
	if (values->all && who->words.count)
		return err_set(err, -EINVAL,
			       "%s cannot be used with -a, which profiles every process",
			       who_kind_option(who->words.items[0].kind));
	if (!values->all && !who->words.count && !command)
		return err_set(err, -EINVAL,
			       "nothing to record: give a command, -p NAME or -a (see 'prospect "
			       "record --help')");
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

static int record(const struct record_values *values, char **command, const struct who *who)
{
	struct record_options options = collect_record_options(&values->collect);
	struct record_result result;
	int status;

	options.argv = command;
	options.who = who->words.count ? who : NULL;
	options.machine_only = values->all;
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

/* A part of the history becomes a profile of its own. */
static int take_history(const struct record_values *values)
{
	char found[STATE_PATH_MAX];
	const char *folder = values->history ? values->history : found;
	const struct merge_options options = { .inputs = &folder,
					       .input_count = 1,
					       .since = values->since,
					       .until = values->until,
					       .output = values->collect.record.output };
	struct merge_result result;
	struct err err;

	if (folder == found && !history_find(found, sizeof(found))) {
		err_set(&err, -ENOENT, "there is no history: 'prospect start' begins one");
		return options_fail(&command_record, &err, 1);
	}
	if (merge_check(&options, &err) < 0 || merge_run(&options, &result, &err) < 0)
		return options_fail(&command_record, &err, 1);
	if (result.note[0])
		terminal_say("prospect record: %s", result.note);
	else if (!values->quiet)
		terminal_say("prospect: took %" PRIu64
			     " samples from %s into %s; 'prospect report%s%s' "
			     "shows them",
			     result.samples, folder, result.path, options.output ? " " : "",
			     options.output ? result.path : "");
	return result.kept ? 0 : 1;
}

static int run_record(int argc, char **argv)
{
	struct record_values values = { .collect = COLLECT_DEFAULTS };
	_cleanup_(who_done) struct who who = { 0 };
	struct err err;
	char **command;
	int status, first = options_begin(&command_record, argc, argv, &values, &status);

	if (first < 0)
		return status;
	command = first < argc ? argv + first : NULL;
	if (check(&values, command, &who, &err) < 0)
		return options_fail(&command_record, &err, 2);
	return values.from_history ? take_history(&values) : record(&values, command, &who);
}

const struct command command_record = {
	.name = "record",
	.summary = "record a profile of a command, of processes or of the whole machine",
	.usage = "[OPTION...] [-p NAME,... | [-a] [[--] COMMAND [ARG...]] | --from-history]",
	.options = record_specs,
	.takes_command = true,
	.needs_proc = true,
	.needs_clock = true,
	.run = run_record,
};
