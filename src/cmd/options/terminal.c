/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/terminal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "present/safe.h"

enum {
	USUAL_COLUMNS = 80,   /* of a terminal that does not know its size */
	MOST_COLUMNS = 10000, /* that are believed */
};

#define SOON_NS	  (NS_PER_S) /* shorter work shows nothing */
#define REDRAW_NS (NS_PER_S / 5)
#define LINE_NS	  (10 * NS_PER_S) /* between lines that cannot be rewritten */

/* 0: unset, or no size that a terminal can have. */
static size_t size_in(const char *variable)
{
	const char *text = secure_getenv(variable);
	char *end;
	unsigned long size = text && isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;

	return size <= MOST_COLUMNS && size && !*end ? size : 0;
}

static void ask_size(int fd, struct screen *screen)
{
	size_t lines = size_in("LINES"), columns = size_in("COLUMNS");
	struct winsize size = { 0 };

	if (ioctl(fd, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){ 0 };
	screen->lines = lines ? lines : size.ws_row;
	screen->columns = columns ? columns : size.ws_col;
	if (!screen->columns)
		screen->columns = USUAL_COLUMNS;
}

/* True if the user's locale has UTF-8, as setlocale(3) finds it. */
static bool has_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "utf8");
	}
	return false;
}

void terminal_ask(FILE *out, struct terminal *ret_terminal)
{
	const char *no_colour = getenv("NO_COLOR"), *type = getenv("TERM");

	*ret_terminal = (struct terminal){ 0 };
	if (!isatty(fileno(out)))
		return;
	ret_terminal->redraws = type && *type && strcmp(type, "dumb") != 0;
	ret_terminal->screen.colour = ret_terminal->redraws && (!no_colour || !*no_colour);
	ret_terminal->screen.utf8 = has_utf8();
	ask_size(fileno(out), &ret_terminal->screen);
}

void terminal_say(const char *format, ...)
{
	struct buf line = { 0 };
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
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

void terminal_progress_begin(struct progress *progress, const char *command)
{
	struct terminal terminal;

	terminal_ask(stderr, &terminal);
	*progress = (struct progress){ .command = command, .redraws = terminal.redraws };
}

void terminal_progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}

static void print_progress(struct progress *progress, uint64_t now_ns, size_t done, size_t count)
{
	uint64_t took_ns = now_ns - progress->began_ns;
	double left_s = (double)took_ns / NS_PER_S / (double)done * (double)(count - done);

	terminal_progress_clear(progress);
	fprintf(stderr, "prospect %s: %s: %zu of %zu, about %.0f s left", progress->command,
		progress->act, done, count, left_s);
	if (progress->redraws)
		fflush(stderr);
	else
		fputc('\n', stderr);
	progress->shown = progress->redraws;
	progress->next_ns = now_ns + (progress->redraws ? REDRAW_NS : LINE_NS);
}

void terminal_progress_tell(struct progress *progress, const char *act, size_t done, size_t count)
{
	uint64_t now_ns = clock_ns();

	if (progress->act != act) {
		progress->act = act;
		progress->began_ns = now_ns;
		progress->next_ns = now_ns + SOON_NS;
	}
	if (done >= count)
		terminal_progress_clear(progress);
	else if (done && now_ns >= progress->next_ns)
		print_progress(progress, now_ns, done, count);
}
