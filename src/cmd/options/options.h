/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table parser for all commands: a row for each option with its type, its place in the
 * command's struct, and its help line. Help, the check of man pages and completion read the same
 * rows.
 *
 * Syntax: -x VALUE, -xVALUE, -x (flags; several may be bundled), --name VALUE, --name=VALUE, unique
 * prefixes of long names; "--" ends options. If a number is given twice, the last one counts. Two
 * different texts are an error, so that no file or list is ignored. With `stop_at_word` (commands
 * that take a command) parsing stops at the first word that is not an option, else words and
 * options may mix.
 */
#ifndef CMD_OPTIONS_OPTIONS_H
#define CMD_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct option_spec;

/* A subcommand; cmd/commands.h has the table of them. */
struct command {
	const char *name;		   /* as typed */
	const char *summary;		   /* one line for the list of commands */
	const char *usage;		   /* what follows the name in the usage line */
	const struct option_spec *options; /* ends with an all-zero row */
	void (*more_help)(void); /* prints what --help has after the options; may be NULL */
	bool takes_command;	 /* its options end at the first word */
	bool needs_proc;	 /* does nothing useful without /proc */
	bool needs_clock;	 /* compares its clock with the kernel's */
	bool reads_profiles;	 /* and the files they name: needs many open files */
	/* argv[0] is the command's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

enum option_type {
	OPTION_FLAG,	 /* bool: set true */
	OPTION_TEXT,	 /* const char *: borrowed from argv */
	OPTION_TEXTS,	 /* struct option_texts: may be given several times */
	OPTION_OPTIONAL, /* const char *: --name gives "", --name=VALUE the value; no short name */
	OPTION_INTEGER,	 /* int64_t or size_t within [least, most] */
	OPTION_NUMBER,	 /* double within [least, most]; "5%" is read as 5 */
	OPTION_SECONDS,	 /* double seconds from 10, 1.5, 250ms, 10s, 2m, 1h */
	OPTION_REFUSED,	 /* not an option (any more): help says what to use; exit 2 */
};

enum { OPTION_MAX_TEXTS = 64 };

struct option_texts {
	const char *items[OPTION_MAX_TEXTS];
	size_t count;
};

struct option_spec {
	const char *long_name; /* NULL: none */
	char short_name;       /* 0: none */
	enum option_type type;
	size_t offset;	      /* of the value in the command's struct */
	const char *argument; /* name of the value in help, e.g. "HZ" */
	const char *help;     /* one line; NULL: accepted, but listed nowhere */
	double least, most;   /* both 0: no limits */
	const char *hint;     /* replaces the usual message for a missing or wrong value; ends the
			   * message about two texts */
	const char
		*words; /* for completion: the values there are, blanks between; NULL: not listed */
};

/* Fills @values from argv[1..]. Returns the index of the first word left over: with stop_at_word
 * the command; without it argv is permuted so that words come last. Negative errno and one line in
 * @err for an unknown option (with the nearest valid one), a missing or wrong value, or two
 * different texts. Sets *ret_help if --help or -h was given, where parsing stops, else clears it.
 * @values may be NULL: checks everything and stores nothing. A value is never the word "--", so
 * argv[result - 1] is "--" only if it ended the options. */
int options_parse(const struct option_spec *specs, int argc, char **argv, bool stop_at_word,
		  void *values, bool *ret_help, struct err *err);

/* Parses the words of @command as options_parse does, and answers --help and a wrong command line
 * itself: then returns -1, and *ret_status is the exit status. */
int options_begin(const struct command *command, int argc, char **argv, void *values,
		  int *ret_status);
/* The index of the first "--"; @argc if there is none. For commands that have words before it. */
int options_border(int argc, char **argv);
/* Prints "prospect NAME: REASON" on stderr and returns @status, the exit status. */
int options_fail(const struct command *command, const struct err *err, int status);
/* For checks and completion: prints a line for each listed option to stdout,
 * "V<tab>verbosity<tab>LEVEL<tab>1 2 3 4", with "-" for what an option lacks. */
void options_print_rows(const struct option_spec *specs);

#endif
