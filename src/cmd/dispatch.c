/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/dispatch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/open_limit.h"
#include "base/text.h"
#include "cmd/options/options.h"
#include "cmd/perf_verbs.h"

enum {
	MISTYPED_LETTERS = 2,
	LEAST_FILES = 32, /* to read a profile and the files it names */
};

const struct command *dispatch_by_name(const struct command *const *table, const char *name)
{
	for (; *table; table++) {
		if (strcmp((*table)->name, name) == 0)
			return *table;
	}
	return NULL;
}

const struct command *dispatch_nearest(const struct command *const *table, const char *typed)
{
	const struct command *nearest = NULL;
	unsigned best = MISTYPED_LETTERS + 1;

	for (; *table; table++) {
		unsigned distance = text_distance(typed, (*table)->name, MISTYPED_LETTERS);

		if (distance < best) {
			best = distance;
			nearest = *table;
		}
	}
	return nearest;
}

static bool is_program(const char *folder, size_t length, const char *name)
{
	char path[PATH_MAX];
	struct stat status;
	int used =
		snprintf(path, sizeof(path), "%.*s/%s", (int)length, length ? folder : ".", name);

	return used > 0 && (size_t)used < sizeof(path) && stat(path, &status) == 0 &&
	       S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool on_path(const char *name)
{
	const char *path = getenv("PATH");

	if (!path)
		path = "/bin:/usr/bin";
	for (;; path++) {
		size_t length = strcspn(path, ":");

		if (is_program(path, length, name))
			return true;
		path += length;
		if (!*path)
			return false;
	}
}

/* Moves argv[@word] before the options that precede it, where a command expects its own name. */
static void name_first(int word, char **argv)
{
	char *name = argv[word];

	memmove(argv + 2, argv + 1, (size_t)(word - 1) * sizeof(*argv));
	argv[1] = name;
}

/* argv[@word] is the name of a subcommand. */
static int use_named(const struct command *command, bool is_default, int word, int argc,
		     char **argv, struct dispatch *ret_dispatch, struct err *err)
{
	if (word > 1 && !is_default)
		return err_set(err, -EINVAL,
			       "options of '%s' go after its name: prospect %s %s ...",
			       command->name, command->name, argv[1]);
	name_first(word, argv);
	*ret_dispatch = (struct dispatch){ command, argc - 1, argv + 1 };
	return 0;
}

/* Without a subcommand the whole line belongs to the default command. */
static int use_default(const struct command *command, int argc, char **argv,
		       struct dispatch *ret_dispatch)
{
	argv[0] = (char *)command->name;
	*ret_dispatch = (struct dispatch){ command, argc, argv };
	return 0;
}

/* True if the word is no program and nearly a subcommand. */
static bool is_mistyped(const struct command *const *table, const char *word, struct err *err)
{
	const struct command *meant;

	if (strchr(word, '/') || on_path(word))
		return false;
	meant = dispatch_nearest(table, word);
	if (meant)
		err_set(err, -ENOENT, "'%s' is not a command: did you mean 'prospect %s'?", word,
			meant->name);
	return meant != NULL;
}

/* True if the word is perf's. A program of that name has to be asked for explicitly. */
static bool is_perf_verb(const char *word, struct err *err)
{
	const char *equivalent = perf_verb_equivalent(word);

	if (equivalent)
		err_set(err, -EINVAL,
			"'%s' is a subcommand of perf: use %s; to profile the program %s: "
			"'prospect run -- %s'",
			word, equivalent, word, word);
	return equivalent != NULL;
}

/* Turns the line into a call of "help", with @flag if it is not NULL. */
static int use_help(const struct command *const *table, char *flag, char **argv,
		    struct dispatch *ret_dispatch)
{
	const struct command *help = dispatch_by_name(table, "help");

	if (!help)
		return -EINVAL; /* the table always has it; see dispatch_find */
	argv[0] = (char *)help->name;
	argv[1] = flag;
	*ret_dispatch = (struct dispatch){ help, flag ? 2 : 1, argv };
	return 0;
}

static bool is_word(const char *word, const char *wanted)
{
	return strcmp(word, wanted) == 0;
}

int dispatch_find(const struct command *const *table, int argc, char **argv,
		  struct dispatch *ret_dispatch, struct err *err)
{
	const struct command *named;
	bool help;
	int word;

	if (is_word(argv[1], "--version"))
		return use_help(table, argv[1], argv, ret_dispatch);
	word = options_parse(table[0]->options, argc, argv, true, NULL, &help, err);
	if (word < 0)
		return word;
	if (help)
		return use_help(table, NULL, argv, ret_dispatch);
	if (word == argc || is_word(argv[word - 1], "--"))
		return use_default(table[0], argc, argv, ret_dispatch);
	named = dispatch_by_name(table, argv[word]);
	if (named)
		return use_named(named, named == table[0], word, argc, argv, ret_dispatch, err);
	if (is_perf_verb(argv[word], err))
		return -EINVAL;
	if (is_mistyped(table, argv[word], err))
		return -ENOENT;
	return use_default(table[0], argc, argv, ret_dispatch);
}

int dispatch_check(const struct command *command, struct err *err)
{
	if (command->needs_proc && access("/proc/self/fd", X_OK) < 0)
		return err_set(err, -ENOENT,
			       "/proc is not mounted: run 'mount -t proc proc /proc'");
	if (command->needs_clock && !clock_is_known())
		return err_set(err, -ENOTSUP,
			       "cannot read the offset of this time namespace: start prospect with "
			       "'unshare --fork'");
	if (command->reads_profiles)
		return open_limit_check(LEAST_FILES, "reading profiles", err);
	return 0;
}

void dispatch_print_usage(FILE *stream)
{
	fputs("Usage: prospect [OPTION...] COMMAND [ARGUMENT...]   run and profile COMMAND\n"
	      "       prospect SUBCOMMAND ...                      'prospect help' has the list\n",
	      stream);
}
