/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table parser for all commands: a row per option with its type, its place in the command's own
 * struct, and its help line. Help, man-page check and completion read the same rows.
 *
 * Understood: -x VALUE, -xVALUE, -x (flags; several may be bundled), --name VALUE, --name=VALUE,
 * unique prefixes of long names, "--" ends options. Of numbers given twice the last one counts; of
 * texts there can be only one, for a file or a list that is ignored is missed. Parsing stops at the
 * first word that is not an option when `stop_at_word` is set (commands that take a command), else
 * words and options may mix.
 */
#ifndef CMD_OPTIONS_OPTIONS_H
#define CMD_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum option_type {
	OPTION_FLAG,	 /* bool: set true */
	OPTION_TEXT,	 /* const char *: borrowed from argv */
	OPTION_TEXTS,	 /* struct option_texts: may be given several times */
	OPTION_OPTIONAL, /* const char *: --name gives "", --name=VALUE the value; no short name */
	OPTION_INTEGER,	 /* int64_t within [least, most] */
	OPTION_NUMBER,	 /* double within [least, most]; "5%" is understood as 5 */
	OPTION_SECONDS,	 /* double seconds from 10, 1.5, 250ms, 10s, 2m, 1h */
	OPTION_REFUSED,	 /* no longer or not an option: the help text says what to use; exit 2 */
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
	const char *help;     /* one line; NULL: works, but is listed nowhere */
	double least, most;   /* both 0: no limits */
	const char *hint; /* said instead of the usual line when the value is missing or wrong, and
			   * behind that there are two texts */
};

/* Fills @values from argv[1..]. Returns the index of the first word left over: with stop_at_word
 * the command; without it argv is permuted so that words come last. Negative errno and one line in
 * @err for an unknown option (with the nearest right one), a missing or wrong value, two different
 * texts. *ret_help is set when --help or -h was given and parsing stops there, else it is cleared.
 * @values may be NULL: everything is checked, nothing is stored.
 * A value is never the word "--", so that argv[result - 1] tells whether options were ended so. */
int options_parse(const struct option_spec *specs, int argc, char **argv, bool stop_at_word,
		  void *values, bool *ret_help, struct err *err);

struct command;
/* Prints "prospect NAME: REASON" on stderr and returns @status, the exit status. */
int options_fail(const struct command *command, const struct err *err, int status);
/* The usage and options of a command, as --help prints it, to stdout. */
void options_print_help(const struct command *command);
/* For checks and completion: a line per listed option to stdout, "V<tab>verbosity<tab>LEVEL", with
 * "-" for what it does not have. */
void options_print_rows(const struct option_spec *specs);

#endif
