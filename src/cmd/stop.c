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

/* A command of one word, which calls history_WORD. */
#define WORD(word, text)                                                 \
	static int run_##word(int argc, char **argv)                     \
	{                                                                \
		return say(&command_##word, argc, argv, history_##word); \
	}                                                                \
	const struct command command_##word = {                          \
		.name = #word,                                           \
		.summary = text,                                         \
		.usage = "[OPTION...]",                                  \
		.options = stop_specs,                                   \
		.run = run_##word,                                       \
	};

WORD(stop, "end what start began; the history stays")
WORD(pause, "stop recording until resume")
WORD(resume, "go on after pause")
WORD(flush, "write to the history what is in memory")
WORD(restart, "begin another profile of the history")
WORD(reload, "read the settings anew")
WORD(reset, "remove the history")
