/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "present/safe.h"

void terminal_ask(FILE *out, struct terminal *ret_terminal)
{
	const char *no_colour = getenv("NO_COLOR"), *type = getenv("TERM");
	struct winsize size;

	*ret_terminal = (struct terminal){ 0 };
	if (!isatty(fileno(out)))
		return;
	ret_terminal->redraws = type && *type && strcmp(type, "dumb") != 0;
	ret_terminal->colour = ret_terminal->redraws && (!no_colour || !*no_colour);
	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0) {
		ret_terminal->lines = size.ws_row;
		ret_terminal->columns = size.ws_col;
	}
}

void terminal_say(const char *format, ...)
{
	struct buf line = { 0 };
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		safe_text(&line, text);
	fprintf(stderr, "%s\n", buf_text(&line));
	buf_done(&line);
	free(text);
}

int terminal_close_stdout(int status)
{
	int error = -file_flush(stdout);

	errno = 0;
	if (fclose(stdout) != 0 && !error)
		error = errno ? errno : EIO;
	if (!error || error == EPIPE || status != 0)
		return status;
	terminal_say("prospect: cannot write to standard output: %s", strerror(error));
	return 1;
}
