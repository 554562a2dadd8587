/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the terminal of an output can do, and the lines that a person reads on stderr. */
#ifndef CMD_OPTIONS_TERMINAL_H
#define CMD_OPTIONS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "present/screen.h"

struct terminal {
	struct screen screen; /* lines are 0 if their number is unknown */
	bool redraws;	      /* has escape sequences: lines can be rewritten */
};

/* All zero for what is no terminal. No escape sequences if TERM is unset or "dumb". Colour unless
 * NO_COLOR (no-color.org) forbids it. COLUMNS and LINES count more than what the terminal says of its
 * size. */
void terminal_ask(FILE *out, struct terminal *ret_terminal);

/* Prints a line to standard error and adds the newline. Names in it may be untrusted: characters
 * that could control a terminal or end the line become \xNN. */
void terminal_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Call it last: a full disk shows at the latest when stdout is closed. Returns the exit status of a
 * command that ended with @status. A command that failed has said why. A reader that closed its end
 * is no error, for it wants no more output. */
int terminal_close_stdout(int status);

/* The progress of long work on stderr: on a terminal in one line that is rewritten, otherwise in a
 * new line every few seconds. Short work shows nothing. */
struct progress {
	const char *command; /* as typed */
	bool redraws;
	bool shown; /* there is a line to rewrite */
	const char *act;
	uint64_t began_ns, next_ns; /* of the act, of the next line */
};

/* @command is borrowed. */
void terminal_progress_begin(struct progress *progress, const char *command);
/* @done of @count items of @act ("attaching", borrowed) are done. Cheap enough for every item. */
void terminal_progress_tell(struct progress *progress, const char *act, size_t done, size_t count);
/* Removes the line. Call it before printing anything else. */
void terminal_progress_clear(struct progress *progress);

#endif
