/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect stop, pause, resume, flush, restart, reload and reset: say one word to what "prospect start" started. */
#include <errno.h>
#include <stddef.h>

#include "cmd/commands.h"
#include "history/history.h"

struct stop_values {
	const char *folder;
};

/* clang-format off */
static const struct option_spec stop_specs[] = {
	{ "history", 0, OPTION_TEXT, offsetof(struct stop_values, folder), "DIR",
	  .help = "the folder that was given to start" },
	{ 0 },
};
/* clang-format on */

static int say(const struct command *command, int argc, char **argv,
	       int (*word)(const char *folder, struct err *err))
{
	struct stop_values values = { NULL };
	struct err err;
	int status, first = options_begin(command, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (first < argc) {
		err_set(&err, -EINVAL, "unexpected argument '%s'", argv[first]);
		return options_fail(command, &err, 2);
	}
	return word(values.folder, &err) < 0 ? options_fail(command, &err, 1) : 0;
}

static int run_stop(int argc, char **argv)
{
	return say(&command_stop, argc, argv, history_stop);
}

static int run_pause(int argc, char **argv)
{
	return say(&command_pause, argc, argv, history_pause);
}

static int run_resume(int argc, char **argv)
{
	return say(&command_resume, argc, argv, history_resume);
}

static int run_flush(int argc, char **argv)
{
	return say(&command_flush, argc, argv, history_flush);
}

static int run_restart(int argc, char **argv)
{
	return say(&command_restart, argc, argv, history_restart);
}

static int run_reload(int argc, char **argv)
{
	return say(&command_reload, argc, argv, history_reload);
}

static int run_reset(int argc, char **argv)
{
	return say(&command_reset, argc, argv, history_reset);
}

const struct command command_stop = {
	.name = "stop",
	.summary = "end what start began; the history stays",
	.usage = "[OPTION...]",
	.options = stop_specs,
	.run = run_stop,
};

const struct command command_pause = {
	.name = "pause",
	.summary = "stop recording until resume",
	.usage = "[OPTION...]",
	.options = stop_specs,
	.run = run_pause,
};

const struct command command_resume = {
	.name = "resume",
	.summary = "go on after pause",
	.usage = "[OPTION...]",
	.options = stop_specs,
	.run = run_resume,
};

const struct command command_flush = {
	.name = "flush",
	.summary = "write to the history what is in memory",
	.usage = "[OPTION...]",
	.options = stop_specs,
	.run = run_flush,
};

const struct command command_restart = {
	.name = "restart",
	.summary = "begin another profile of the history",
	.usage = "[OPTION...]",
	.options = stop_specs,
	.run = run_restart,
};

const struct command command_reload = {
	.name = "reload",
	.summary = "read the settings anew",
	.usage = "[OPTION...]",
	.options = stop_specs,
	.run = run_reload,
};

const struct command command_reset = {
	.name = "reset",
	.summary = "remove the history",
	.usage = "[OPTION...]",
	.options = stop_specs,
	.run = run_reset,
};
