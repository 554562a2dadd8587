/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/profile_options.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "cmd/options/terminal.h"
#include "history/history.h"
#include "present/safe.h"
#include "store/state_files.h"

struct selection profile_options_selection(const struct select_values *values)
{
	struct selection selection = values->selection;

	selection.clauses = values->clauses.items;
	selection.clause_count = values->clauses.count;
	return selection;
}

static void show_progress(void *context, const char *what)
{
	struct buf shown = { 0 };

	if (!isatty(STDERR_FILENO)) /* it goes to a pager by now */
		return;
	safe_text(&shown, what);
	fprintf(stderr, "\r\033[K%s%s", *what ? "prospect: " : "", buf_text(&shown));
	buf_done(&shown);
	(void)context;
}

struct line_options profile_options_lines(const struct line_values *values)
{
	struct line_options options = values->options;
	struct terminal terminal;

	terminal_ask(stderr, &terminal);
	options.debug_folders = values->debug_folders.items;
	options.debug_folder_count = values->debug_folders.count;
	options.progress = terminal.redraws ? show_progress : NULL;
	return options;
}

struct opened_names profile_options_names(const struct name_values *values)
{
	struct opened_names names = values->names;

	names.lines = profile_options_lines(&values->lines);
	return names;
}

/* There is no profile for this user, but maybe a history for others. */
static int add_closed(struct err *err)
{
	_cleanup_(buf_done) struct buf why = { 0 }, text = { 0 };

	buf_add_str(&text, err->text);
	if (history_is_closed(&why))
		buf_printf(&text, "; %s", buf_text(&why));
	return err_set(err, -ENOENT, "%s", buf_text(&text));
}

int profile_options_default(const struct select_values *values, char *ret_path, size_t size,
			    struct err *err)
{
	const struct selection *selection = &values->selection;
	struct err ignored;
	int rc;

	if ((selection->since || selection->until) && history_find(ret_path, size)) {
		/* Up to now, if it is being recorded. */
		if (!selection->until)
			(void)history_flush(ret_path, &ignored);
		return 0;
	}
	rc = state_last_profile(ret_path, size, err);
	if (rc != -ENOENT)
		return rc;
	return history_find(ret_path, size) ? 0 : add_closed(err);
}

int profile_options_status(int rc)
{
	return rc == -ESRCH ? 2 : 1;
}
