/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect recover: copies what can be read of a damaged profile to a new one. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/commands.h"
#include "load/opened.h"
#include "load/output.h"
#include "present/safe.h"
#include "store/record_output.h"
#include "store/state_files.h"
#include "views/views.h"

struct recover_values {
	const char *output;
};

/* clang-format off */
static const struct option_spec recover_specs[] = {
	{ "output", 'o', OPTION_TEXT, offsetof(struct recover_values, output), "FILE",
	  .help = "write the new profile to FILE (default: a.recovered.prof beside a.prof)" },
	{ 0 },
};
/* clang-format on */

static void print(struct recover_result *result)
{
	struct buf path = { 0 };

	safe_text(&path, result->path);
	fputs(buf_text(&result->table), stdout);
	if (result->complete)
		puts("nothing is missing");
	fputs(buf_text(&result->remark), stdout);
	printf("'prospect report %s' shows it\n", buf_text(&path));
	buf_done(&path);
}

static int recover(const char *input, const char *output)
{
	struct recover_result result = { 0 };
	char kept[STATE_PATH_MAX];
	struct err err;
	int rc = state_find(&input, kept, sizeof(kept), &err);

	if (rc == 0)
		rc = recover_run(input, output, &result, &err);
	if (rc == 0) {
		print(&result);
		rc = output_end(stdout, &err);
	}
	buf_done(&result.table);
	buf_done(&result.remark);
	return rc < 0 ? options_fail(&command_recover, &err, 1) : 0;
}

static int run_recover(int argc, char **argv)
{
	struct recover_values values = { 0 };
	struct err err;
	int rc = 0, status, first = options_begin(&command_recover, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (first == argc)
		rc = err_set(&err, -EINVAL, "missing FILE: name the damaged profile");
	else if (argc - first > 1)
		rc = err_set(&err, -EINVAL, "unexpected argument '%s': expected one FILE",
			     argv[first + 1]);
	else if (values.output)
		rc = record_output_check(values.output, &err);
	if (rc < 0)
		return options_fail(&command_recover, &err, 2);
	return recover(argv[first], values.output);
}

const struct command command_recover = {
	.name = "recover",
	.summary = "save what is readable in a damaged profile",
	.usage = "[-o NEW] FILE",
	.options = recover_specs,
	.needs_proc = true,
	.reads_profiles = true,
	.run = run_recover,
};
