/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect events: names of events that can be counted and sampled here, and which fit together. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options/screen_options.h"
#include "cmd/options/terminal.h"
#include "count/count.h"

struct events_values {
	struct option_texts check;
	bool all, names;
	struct screen_values screen;
	const char *format;
};

/* clang-format off */
#define AT(field) offsetof(struct events_values, field)

static const struct option_spec events_specs[] = {
	{ "check", 'c', OPTION_TEXTS, AT(check), "EVENT,...",
	  .help = "open these events together, and say of each whether it can be counted" },
	{ "all", 'a', OPTION_FLAG, AT(all), NULL,
	  .help = "list events of all processors that libpfm4 knows, not only of this one" },
	{ "names", 'n', OPTION_FLAG, AT(names), NULL,
	  .help = "list only the names" },
	{ "format", 0, OPTION_TEXT, AT(format), "FORMAT",
	  .help = "text, csv or json (default text)", .words = "text csv json" },
	WIDE_OPTION_ROWS(AT(screen)),
	{ 0 },
};
/* clang-format on */

static int list(const struct events_values *values, const char *pattern)
{
	const struct event_listing_options options = {
		.pattern = pattern,
		.all_processors = values->all,
		.bare_names = values->names,
		.format = values->format,
		.screen = screen_options_screen(&values->screen, stdout),
	};
	struct pager *pager = screen_options_pager(&values->screen);
	struct event_listing_notes notes;
	size_t count = event_listing_print(&options, pager_stream(pager), &notes);

	pager_free(pager);

	if (notes.no_library.text[0])
		fprintf(stderr, "prospect events: %s\n", notes.no_library.text);
	if (notes.no_tracepoints.text[0])
		fprintf(stderr, "prospect events: %s\n", notes.no_tracepoints.text);
	if (count)
		return 0;
	terminal_say("prospect events: no event here matches '%s'", pattern);
	return 1;
}

static int check(const struct events_values *values)
{
	bool all_good;
	struct err err;
	const struct event_listing_options options = {
		.format = values->format,
		.screen = screen_options_screen(&values->screen, stdout),
	};
	int rc = event_listing_check(values->check.items, values->check.count, &options, stdout,
				     &all_good, &err);

	if (rc < 0)
		return options_fail(&command_events, &err, 2);
	return all_good ? 0 : 1;
}

/* Refuses pairs of options where one would be ignored. */
static int check_pairs(const struct events_values *values, const char *pattern, struct err *err)
{
	bool text = strcmp(values->format, "text") == 0;
	const struct {
		bool both;
		const char *why;
	} pairs[] = {
		{ values->check.count && pattern, "--check cannot be used with a PATTERN" },
		{ values->check.count && (values->all || values->names),
		  "--check cannot be used with --all or --names" },
		{ values->names && !text, "--names cannot be used with --format" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (pairs[i].both)
			return err_set(err, -EINVAL, "%s", pairs[i].why);
	}
	return event_listing_check_format(values->format, err);
}

static int run_events(int argc, char **argv)
{
	struct events_values values = { .format = "text" };
	struct err err;
	int status, first = options_begin(&command_events, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (first < argc - 1)
		first = err_set(&err, -1, "unexpected argument '%s': expected at most one PATTERN",
				argv[first + 1]);
	if (first >= 0 && check_pairs(&values, first < argc ? argv[first] : NULL, &err) < 0)
		first = -1;
	if (first < 0)
		return options_fail(&command_events, &err, 2);
	if (values.check.count)
		return check(&values);
	return list(&values, first < argc ? argv[first] : NULL);
}

const struct command command_events = {
	.name = "events",
	.summary = "list the events that can be counted and sampled here, or check some",
	.usage = "[OPTION...] [PATTERN]",
	.options = events_specs,
	.run = run_events,
};
