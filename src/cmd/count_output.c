/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/count_output.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/output_file.h"
#include "base/xalloc.h"
#include "count/count.h"

struct count_output {
	struct count_output_values values;
	struct count_output_options options;
	struct output_file *file; /* NULL: @stream is stdout or stderr */
	FILE *stream;
	struct buf what;     /* description of what is counted */
	bool titles_printed; /* of intervals as CSV */
};

int count_output_check(const struct count_output_values *values, struct err *err)
{
	static const char *const formats[] = { "text", "csv", "json" };
	bool known = false;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		known |= strcmp(values->format, formats[i]) == 0;
	if (!known)
		return err_set(err, -EINVAL, "invalid --format '%s': expected text, csv or json",
			       values->format);
	if (values->us + values->eu + values->hex > 1)
		return err_set(err, -EINVAL,
			       "--us-, --eu- and --hex-counter-format cannot be used together");
	if (values->brief && strcmp(values->format, "text") != 0)
		return err_set(err, -EINVAL, "-b and --format cannot be used together");
	return 0;
}

static void add_ids(struct buf *what, const char *one, const char *many, const pid_t *ids,
		    size_t count)
{
	buf_add_str(what, count == 1 ? one : many);
	for (size_t i = 0; i < count; i++)
		buf_printf(what, "%s%d", i ? ", " : " ", (int)ids[i]);
}

static void add_command(struct buf *what, char *const *argv)
{
	for (size_t i = 0; argv[i]; i++) {
		if (i)
			buf_add_char(what, ' ');
		buf_add_str(what, argv[i]);
	}
}

static void describe(const struct count_output_options *options, struct buf *what)
{
	if (options->pid_count)
		add_ids(what, "process", "processes", options->pids, options->pid_count);
	if (options->tid_count)
		add_ids(what, "thread", "threads", options->tids, options->tid_count);
	if (options->cpus)
		buf_printf(what, "CPUs %s", options->cpus);
	else if (options->machine)
		buf_add_str(what, "the whole machine");
	if (!options->argv)
		return;
	/* With CPUs counted, the command only sets how long. */
	if (options->machine)
		buf_add_str(what, " while ");
	add_command(what, options->argv);
	if (options->machine)
		buf_add_str(what, " ran");
}

int count_output_new(const struct count_output_values *values,
		     const struct count_output_options *options, struct count_output **ret_output,
		     struct err *err)
{
	struct count_output *output = xcalloc(1, sizeof(*output));
	int rc = 0;

	output->values = *values;
	output->options = *options;
	output->stream = options->argv ? stderr : stdout;
	describe(options, &output->what);
	if (values->file)
		rc = output_file_open(values->file, &output->file, err);
	if (rc < 0) {
		count_output_free(output);
		return rc;
	}
	if (output->file)
		output->stream = output_file_stream(output->file);
	*ret_output = output;
	return 0;
}

void count_output_free(struct count_output *output)
{
	if (!output)
		return;
	output_file_free(output->file);
	buf_done(&output->what);
	free(output);
}

static struct count_view view_of(const struct count_output *output, const struct count_table *table)
{
	enum count_rows rows = output->options.rows;

	return (struct count_view){
		.table = table,
		.keys = { .cpu = rows == COUNT_ROWS_CPU,
			  .program = rows >= COUNT_ROWS_PROGRAM,
			  .pid = rows >= COUNT_ROWS_PROCESS,
			  .tid = rows == COUNT_ROWS_THREAD },
		.digits = output->values.eu    ? COUNT_DIGITS_EU
			  : output->values.hex ? COUNT_DIGITS_HEX
					       : COUNT_DIGITS_US,
		.command = buf_text(&output->what),
		.is_interval = output->options.intervals,
	};
}

static void print(struct count_output *output, const struct count_table *table)
{
	const struct count_view view = view_of(output, table);

	if (output->values.brief)
		count_view_brief(&view, output->stream);
	else if (strcmp(output->values.format, "csv") == 0)
		count_view_csv(&view, !output->titles_printed, output->stream);
	else if (strcmp(output->values.format, "json") == 0)
		count_view_json(&view, output->stream);
	else if (output->options.follow)
		count_view_follow(&view, output->stream);
	else
		count_view_text(&view, output->stream);
	output->titles_printed = true;
}

void count_output_interval(struct count_output *output, const struct counts *counts)
{
	_cleanup_(count_table_freep) struct count_table *table = count_table_new(counts, 1);

	print(output, table);
	fflush(output->stream);
}

/* main() reports errors of stdout. An error of stderr can show in the exit status only. */
static int check_stderr(struct err *err)
{
	int rc = file_flush(stderr);

	return rc < 0 ? err_set(err, rc, "cannot write the counts: %s", strerror(-rc)) : 0;
}

int count_output_finish(struct count_output *output, const struct counts *runs, size_t count,
			struct err *err)
{
	_cleanup_(count_table_freep) struct count_table *table = NULL;

	if (!output->options.intervals && count) {
		table = count_table_new(runs, count);
		print(output, table);
	}
	if (output->file)
		return output_file_commit(output->file, err);
	return output->stream == stderr ? check_stderr(err) : 0;
}
