/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect start: keeps the machine profiled until "prospect stop". */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/scan.h"
#include "cmd/commands.h"
#include "cmd/options/terminal.h"
#include "history/history.h"

struct start_values {
	struct history_options options;
	const char *max_size, *keep;
};

#define DAY_S 86400.0

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

static int run_start(int argc, char **argv)
{
	struct start_values values = { .options = { .rate_hz = 97,
						    .segment_s = 600,
						    .keep_s = 7 * DAY_S,
						    .max_bytes = 2.0 * (1 << 30) } };
	struct err err;
	int rc = 0, status, first = options_begin(&command_start, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (first < argc)
		rc = err_set(
			&err, -EINVAL,
			"unexpected argument '%s': 'prospect start' records the whole machine; "
			"'prospect record' records a command",
			argv[first]);
	if (rc == 0 && values.max_size)
		rc = parse_size(values.max_size, &values.options.max_bytes, &err);
	if (rc == 0 && values.keep)
		rc = parse_keep(values.keep, &values.options.keep_s, &err);
	if (rc < 0)
		return options_fail(&command_start, &err, 2);
	if (history_start(&values.options, &err) < 0)
		return options_fail(&command_start, &err, 1);
	if (!values.options.foreground)
		terminal_say("prospect: recording; 'prospect status' shows how, 'prospect stop' "
			     "ends it");
	return 0;
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
