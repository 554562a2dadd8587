/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the place that is printed to can do. */
#ifndef CMD_OPTIONS_TERMINAL_H
#define CMD_OPTIONS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct terminal {
	size_t lines, columns; /* 0: not known, or no terminal */
	bool redraws;	       /* it understands escape sequences: lines can be written over */
	bool colour;
};

/* No sequences where TERM is not set or "dumb"; colour unless NO_COLOR (no-color.org) asks for
 * none.
 */
void terminal_ask(FILE *out, struct terminal *ret_terminal);

/* A line to standard error; the newline is added. Names in it may be anybody's: what could command
 * a terminal or end the line becomes \xNN. */
void terminal_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The last word: a full disk shows at the latest when stdout is closed. Returns the exit status
 * that a command which ended with @status leaves: one that failed has said why, and a reader that
 * went away is nobody's failure, for nobody is left to be told. */
int terminal_close_stdout(int status);

#endif
