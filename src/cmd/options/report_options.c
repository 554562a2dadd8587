/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/report_options.h"

#include "base/output_file.h"
#include "cmd/options/output_option.h"
#include "cmd/options/terminal.h"

static struct report_options options_of(const struct report_values *values)
{
	struct report_options options = values->options;

	options.selection = profile_options_selection(&values->select);
	options.names = profile_options_names(&values->names);
	return options;
}

int report_options_open(const struct report_values *values, struct output_file **ret_output,
			int *ret_status, struct err *err)
{
	struct report_options options = options_of(values);
	int rc = report_check(&options, err);

	if (rc == 0)
		rc = screen_options_check(&values->screen, err);
	if (rc < 0) {
		*ret_status = 2;
		return rc;
	}
	*ret_output = NULL;
	if (values->output)
		rc = output_option_open(values->output, "-f names the file", ret_output, err);
	if (rc < 0)
		*ret_status = 1;
	return rc;
}

static void tell(void *context, const char *sentence)
{
	terminal_say("prospect %s: %s", (const char *)context, sentence);
}

bool report_options_contradict(const struct report_values *values, const char *command)
{
	struct report_options options = options_of(values);

	return report_contradictions(&options, tell, (void *)command) > 0;
}

int report_options_print(const struct report_values *values, const char *path, const char *file,
			 struct output_file *output, FILE *otherwise, struct err *err)
{
	struct report_options options = options_of(values);
	_cleanup_(pager_freep) struct pager *pager = NULL;
	int rc;

	options.file = file;
	if (!output) {
		options.screen =
			screen_options_screen(&values->screen, otherwise ? otherwise : stdout);
		pager = otherwise ? NULL : screen_options_pager(&values->screen);
		return report_print(path, &options, pager ? pager_stream(pager) : otherwise, err);
	}
	options.screen = screen_options_screen(&values->screen, NULL);
	rc = report_print(path, &options, output_file_stream(output), err);
	return rc < 0 ? rc : output_file_commit(output, err);
}

void report_options_print_keys(void)
{
	printf("\nKeys of --by and --select:\n");
	report_print_keys(stdout);
}
