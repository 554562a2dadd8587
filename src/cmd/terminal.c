/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

void terminal_ask(FILE *out, struct terminal *ret_terminal)
{
	const char *no_colour = getenv("NO_COLOR");
	struct winsize size;

	*ret_terminal = (struct terminal){ 0 };
	if (!isatty(fileno(out)))
		return;
	ret_terminal->colour = !no_colour || !*no_colour;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0) {
		ret_terminal->lines = size.ws_row;
		ret_terminal->columns = size.ws_col;
	}
}
