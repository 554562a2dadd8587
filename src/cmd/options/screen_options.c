/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/screen_options.h"

#include <errno.h>
#include <string.h>

#include "cmd/options/terminal.h"

static bool is(const char *word, const char *wanted)
{
	return word && strcmp(word, wanted) == 0;
}

int screen_options_check(const struct screen_values *values, struct err *err)
{
	const char *color = values->color;

	if (!color || is(color, "auto") || is(color, "always") || is(color, "never"))
		return 0;
	return err_set(err, -EINVAL, "invalid --color '%s': expected auto, always or never", color);
}

struct screen screen_options_screen(const struct screen_values *values, FILE *out)
{
	struct terminal terminal = { 0 };

	if (out)
		terminal_ask(out, &terminal);
	if (is(values->color, "always"))
		terminal.screen.colour = true;
	if (is(values->color, "never"))
		terminal.screen.colour = false;
	terminal.screen.wide = values->wide;
	return terminal.screen;
}

struct pager *screen_options_pager(const struct screen_values *values)
{
	return pager_new(!values->no_pager);
}
