/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/line_options.h"

#include <stdio.h>

#include "base/buf.h"
#include "cmd/options/terminal.h"
#include "present/safe.h"

static void show_progress(void *context, const char *what)
{
	struct buf shown = { 0 };

	safe_text(&shown, what);
	fprintf(stderr, "\r\033[K%s%s", *what ? "prospect: " : "", buf_text(&shown));
	buf_done(&shown);
	(void)context;
}

struct line_options line_options_of(const struct line_values *values)
{
	struct terminal terminal;

	terminal_ask(stderr, &terminal);
	return (struct line_options){
		.symfs = values->symfs,
		.debug_folders = values->debug_folders.items,
		.debug_folder_count = values->debug_folders.count,
		.debuginfod = values->debuginfod,
		.no_cache = values->no_cache,
		.progress = terminal.redraws ? show_progress : NULL,
	};
}
