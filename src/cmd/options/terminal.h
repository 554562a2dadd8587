/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the terminal of an output can do. */
#ifndef CMD_OPTIONS_TERMINAL_H
#define CMD_OPTIONS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct terminal {
	size_t lines, columns; /* 0: unknown, or no terminal */
	bool redraws;	       /* has escape sequences: lines can be rewritten */
	bool colour;
};

/* No escape sequences if TERM is unset or "dumb". Colour unless NO_COLOR (no-color.org) forbids
 * it. */
void terminal_ask(FILE *out, struct terminal *ret_terminal);

/* Prints a line to standard error and adds the newline. Names in it may be untrusted: characters
 * that could control a terminal or end the line become \xNN. */
void terminal_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Call it last: a full disk shows at the latest when stdout is closed. Returns the exit status of a
 * command that ended with @status. A command that failed has said why. A reader that closed its end
 * is no error, for it wants no more output. */
int terminal_close_stdout(int status);

#endif
