/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/report_options.h"

#include "base/output_file.h"
#include "cmd/options/terminal.h"
#include "views/report.h"

static struct report_options options_of(const struct report_values *values)
{
	return (struct report_options){
		.level = (int)values->level,
		.list_percent = values->list_percent,
		.detail_percent = values->detail_percent,
		.by = values->by,
		.children = values->children,
		.side_by_side = values->side_by_side,
		.merge = values->merge,
		.sort = values->sort,
		.reversed = values->reversed,
		.accumulated = values->accumulated,
		.global_percent = values->global_percent,
		.details = values->details,
		.hierarchy = values->hierarchy,
		.bare = values->bare,
		.selection = select_options_of(&values->select),
		.limit = (size_t)values->limit,
		.threshold = values->threshold,
		.cover = values->cover,
		.format = values->format,
		.instructions = values->instructions,
		.intel = values->intel,
		.max_images = (size_t)values->max_images,
		.vmlinux = values->vmlinux,
		.names = name_options_of(&values->names),
	};
}

int report_options_open(const struct report_values *values, struct output_file **ret_output,
			int *ret_status, struct err *err)
{
	struct report_options options = options_of(values);
	int rc = report_check(&options, err);

	if (rc < 0) {
		*ret_status = 2;
		return rc;
	}
	*ret_output = NULL;
	if (values->output)
		rc = output_file_open(values->output, ret_output, err);
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

static void ask_terminal(FILE *out, struct report_options *options)
{
	struct terminal terminal;

	terminal_ask(out, &terminal);
	options->colour = terminal.colour;
	options->lines = terminal.lines;
	options->columns = terminal.columns;
}

int report_options_print(const struct report_values *values, const char *path, const char *file,
			 struct output_file *output, FILE *otherwise, struct err *err)
{
	struct report_options options = options_of(values);
	int rc;

	options.file = file;
	if (!output) {
		ask_terminal(otherwise, &options);
		return report_print(path, &options, otherwise, err);
	}
	rc = report_print(path, &options, output_file_stream(output), err);
	return rc < 0 ? rc : output_file_commit(output, err);
}

void report_options_print_keys(void)
{
	printf("\nKeys of --by and --select:\n");
	report_print_keys(stdout);
}
