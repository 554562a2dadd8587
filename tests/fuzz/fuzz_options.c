/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line, with the tables of all commands: words, each followed by a NUL. */
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/dispatch.h"
#include "cmd/options/option_value.h"
#include "target.h"

enum { MOST_WORDS = 64, MOST_VALUES = 1 << 16 };

#define COMMAND_ROW(name) &command_##name,
const struct command *const commands[] = { COMMANDS(COMMAND_NO_HEADING, COMMAND_ROW) NULL };
#undef COMMAND_ROW

/* The bytes that a command's struct has at least. */
static size_t values_size(const struct option_spec *specs)
{
	size_t size = 0;

	for (; specs->long_name || specs->short_name; specs++)
		if (specs->offset + sizeof(struct option_texts) > size)
			size = specs->offset + sizeof(struct option_texts);
	return size;
}

static void parse(const struct command *command, int argc, char **argv, bool stop_at_word)
{
	void *values = calloc(1, values_size(command->options) + 1);
	struct err err = { .text = "" };
	bool help;
	int rc = options_parse(command->options, argc, argv, stop_at_word, values, &help, &err);

	if (rc > argc || (rc < 0 && !err.text[0]))
		abort();
	options_parse(command->options, argc, argv, stop_at_word, NULL, &help, &err);
	free(values);
}

static void dispatch(int argc, char **argv)
{
	struct dispatch found;
	struct err err;

	if (argc < 2 || dispatch_find(commands, argc, argv, &found, &err) < 0)
		return;
	parse(found.command, found.argc, found.argv, found.command == &command_run);
}

static void list_pids(const char *text)
{
	const struct option_texts texts = { .items = { text }, .count = 1 };
	struct option_pids pids = { 0 };
	struct err err;

	option_value_pids("-p", &texts, &pids, &err);
	option_pids_done(&pids);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1), *argv[MOST_WORDS + 2] = { (char *)"prospect" };
	int argc = 1;

	if (!text)
		abort();
	memcpy(text, bytes, size);
	text[size] = '\0';
	for (size_t at = 0; at < size && argc <= MOST_WORDS; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	dispatch(argc, argv);
	list_pids(text);
	free(text);
	return 0;
}
