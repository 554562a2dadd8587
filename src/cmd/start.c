/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect start: keeps the machine profiled until "prospect stop". */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/scan.h"
#include "base/xalloc.h"
#include "cmd/commands.h"
#include "cmd/options/terminal.h"
#include "history/history.h"

struct start_values {
	struct history_options options;
	const char *max_size, *keep, *settings;
};

/* What the options are read from, at the start and again when that is asked for. */
struct start_source {
	int argc;
	char **argv;
	char *settings; /* the file; owned */
	bool given;	/* it has to be there */
};

#define DAY_S	 86400.0
#define SETTINGS "/etc/prospect/history.conf"

enum { SETTINGS_MAX_BYTES = 64 * 1024 };

/* clang-format off */
#define AT(field) offsetof(struct start_values, field)

static const struct option_spec start_specs[] = {
	{ "rate", 'F', OPTION_NUMBER, AT(options.rate_hz), "HZ",
	  .help = "take HZ samples per second on each CPU (default 97)", .least = 1, .most = 10000 },
	{ "off-cpu", 0, OPTION_FLAG, AT(options.off_cpu), NULL,
	  .help = "also record where threads wait" },
	{ "segment", 0, OPTION_SECONDS, AT(options.segment_s), "TIME",
	  .help = "length of a profile of the history (default 10m)", .least = 10, .most = DAY_S },
	{ "keep", 0, OPTION_TEXT, AT(keep), "TIME",
	  .help = "remove profiles that are older (default 7d)" },
	{ "max-size", 0, OPTION_TEXT, AT(max_size), "SIZE",
	  .help = "remove the oldest profiles beyond this: 500M, 2G (default 2G)" },
	{ "history", 0, OPTION_TEXT, AT(options.folder), "DIR",
	  .help = "the folder (default: /var/lib/prospect, or history in the state folder)" },
	{ "settings", 0, OPTION_TEXT, AT(settings), "FILE",
	  .help = "more options, one a line: 'rate = 49' (default " SETTINGS ")" },
	{ "foreground", 0, OPTION_FLAG, AT(options.foreground), NULL,
	  .help = "stay in the foreground until stopped" },
	{ 0 },
};
/* clang-format on */

/* "500M": a number and a power of 1024. */
static int parse_size(const char *text, double *ret_bytes, struct err *err)
{
	static const char units[] = "KMGT";
	const char *at = text, *unit;
	double number;

	if (!scan_decimal(&at, &number) || number < 0)
		return err_set(err, -EINVAL, "--max-size '%s': expected a size such as 500M or 2G",
			       text);
	unit = *at ? strchr(units, *at) : NULL;
	if (*at && (!unit || at[1]))
		return err_set(err, -EINVAL, "--max-size '%s': expected a size such as 500M or 2G",
			       text);
	*ret_bytes = unit ? ldexp(number, 10 * (int)(unit - units + 1)) : number;
	return 0;
}

static int parse_keep(const char *text, double *ret_s, struct err *err)
{
	const char *at = text;
	uint64_t unit_ns;
	double number;

	if (!scan_decimal(&at, &number) || number <= 0 || !scan_time_unit(&at, &unit_ns) || *at)
		return err_set(err, -EINVAL, "--keep '%s': expected a time such as 12h or 7d",
			       text);
	*ret_s = number * (double)unit_ns / 1e9;
	return 0;
}

/* Replaces the texts by what they say. */
static int take_texts(struct start_values *values, struct err *err)
{
	int rc = 0;

	if (values->max_size)
		rc = parse_size(values->max_size, &values->options.max_bytes, err);
	if (rc == 0 && values->keep)
		rc = parse_keep(values->keep, &values->options.keep_s, err);
	values->max_size = values->keep = NULL;
	return rc;
}

/* ---- the file of settings ---- */

/* The row of an option that a line may set; where the history is must not change while it is
 * recorded. */
static const struct option_spec *find_setting(const char *name)
{
	static const char *const others[] = { "history", "settings", "foreground" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(others[i], name) == 0)
			return NULL;
	}
	for (const struct option_spec *spec = start_specs; spec->long_name; spec++) {
		if (strcmp(spec->long_name, name) == 0)
			return spec;
	}
	return NULL;
}

/* Without blanks around it. */
static char *trimmed(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t");
}

/* As if the line were an option of the command line, with the same table. */
static int take_setting(struct start_values *values, char *line, struct err *err)
{
	char *border = strchr(line, '=');
	const struct option_spec *spec;
	const char *name, *value;
	char *argv[] = { NULL, NULL, NULL };
	bool help, no;
	int rc;

	if (!border)
		return err_set(err, -EINVAL, "expected 'option = value'");
	*border = '\0';
	name = trimmed(line);
	value = trimmed(border + 1);
	spec = find_setting(name);
	if (!spec)
		return err_set(err, -EINVAL, "unknown option '%s'", name);
	no = strcmp(value, "no") == 0;
	if (spec->type == OPTION_FLAG && !no && strcmp(value, "yes") != 0)
		return err_set(err, -EINVAL, "%s '%s': expected yes or no", name, value);
	if (spec->type == OPTION_FLAG && no)
		return 0;
	argv[1] = spec->type == OPTION_FLAG ? xasprintf("--%s", name)
					    : xasprintf("--%s=%s", name, value);
	rc = options_parse(start_specs, 2, argv, false, values, &help, err);
	if (rc >= 0)
		rc = take_texts(values, err);
	free(argv[1]);
	return rc;
}

static int take_settings(struct start_values *values, const struct start_source *source,
			 struct err *err)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	int rc = file_read(source->settings, SETTINGS_MAX_BYTES, &text);
	char *rest = text.size ? (char *)buf_text(&text) : NULL, *line;
	struct err why;

	if (rc == -ENOENT && !source->given)
		return 0;
	if (rc < 0)
		return err_set(err, rc, "%s: %s", source->settings, strerror(-rc));
	for (size_t number = 1; (line = strsep(&rest, "\n")); number++) {
		line = trimmed(line);
		if (*line && *line != '#' && take_setting(values, line, &why) < 0)
			return err_set(err, -EINVAL, "%s:%zu: %s", source->settings, number,
				       why.text);
	}
	return 0;
}

/* ---- the command ---- */

/* The command line counts more than the file. */
static int read_options(const struct start_source *source, struct start_values *values,
			struct err *err)
{
	bool help;
	int rc;

	*values = (struct start_values){ .options = { .rate_hz = 97,
						      .segment_s = 600,
						      .keep_s = 7 * DAY_S,
						      .max_bytes = 2.0 * (1 << 30) } };
	rc = take_settings(values, source, err);
	if (rc == 0)
		rc = options_parse(start_specs, source->argc, source->argv, false, values, &help,
				   err);
	return rc < 0 ? rc : take_texts(values, err);
}

static int reread(void *context, struct history_options *ret_options, struct err *err)
{
	struct start_values values;
	int rc = read_options(context, &values, err);

	if (rc == 0)
		*ret_options = values.options;
	return rc;
}

static int start(struct start_source *source)
{
	struct start_values values;
	struct err err;

	if (read_options(source, &values, &err) < 0)
		return options_fail(&command_start, &err, 2);
	values.options.reread = reread;
	values.options.reread_context = source;
	if (history_start(&values.options, &err) < 0)
		return options_fail(&command_start, &err, 1);
	if (!values.options.foreground)
		terminal_say("prospect: recording; 'prospect status' shows how, 'prospect stop' "
			     "ends it");
	return 0;
}

static int run_start(int argc, char **argv)
{
	struct start_source source = { .argc = argc, .argv = argv };
	struct start_values values = { 0 };
	struct err err;
	int status, first = options_begin(&command_start, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (first < argc) {
		err_set(&err, -EINVAL,
			"unexpected argument '%s': 'prospect start' records the whole machine; "
			"'prospect record' records a command",
			argv[first]);
		return options_fail(&command_start, &err, 2);
	}
	/* The supervisor works in another folder. */
	source.given = values.settings;
	source.settings = source.given ? realpath(values.settings, NULL) : xstrdup(SETTINGS);
	if (!source.settings)
		source.settings = xstrdup(values.settings);
	status = start(&source);
	free(source.settings);
	return status;
}

const struct command command_start = {
	.name = "start",
	.summary = "keep the machine profiled, at a low rate, until it is stopped",
	.usage = "[OPTION...]",
	.options = start_specs,
	.needs_proc = true,
	.needs_clock = true,
	.run = run_start,
};
