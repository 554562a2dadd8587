/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect watch: exact numbers of any function's calls, while it runs: how often and how long. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/commands.h"
#include "cmd/options/option_value.h"
#include "cmd/options/output_option.h"
#include "cmd/options/profile_options.h"
#include "cmd/options/terminal.h"
#include "cmd/options/who_options.h"
#include "watch/watch.h"

struct watch_values {
	struct who_values who;
	struct option_texts metrics, comms, at, at_lines;
	const char *by, *cpus, *condition, *error_if, *module, *format, *help_metric;
	const char *output;
	double interval_s, duration_s, budget_percent;
	bool yes, dry, values, plot, all, as_user, each_block;
	bool list, blocks, code;
	struct line_values lines;
};

/* clang-format off */
#define AT(field) offsetof(struct watch_values, field)

static const struct option_spec watch_specs[] = {
	{ "metric", 'm', OPTION_TEXTS, AT(metrics), "METRIC,...",
	  .help = "show these metrics (default " METRIC_DEFAULTS ")" },
	{ "help-metric", 0, OPTION_TEXT, AT(help_metric), "METRIC",
	  .help = "explain METRIC and what is attached for it; 'all' lists all metrics" },
	{ "by", 'b', OPTION_TEXT, AT(by), "KEY",
	  .help = "print a row for each cpu, pid, thread or comm (default: sum)" },
	{ "pid", 'p', OPTION_TEXTS, WHO_AT(AT(who), WHO_PROCESS), "PID|NAME,...",
	  .help = "count only calls of these processes" },
	WHO_GROUP_ROWS(AT(who)),
	{ "cpu", 'C', OPTION_TEXT, AT(cpus), "LIST",
	  .help = "count only calls that are entered on these CPUs: 0-3,8" },
	{ "comm", 0, OPTION_TEXTS, AT(comms), "NAME",
	  .help = "count only calls of threads of this name" },
	{ "if", 0, OPTION_TEXT, AT(condition), "CONDITION",
	  .help = "count only calls for which this holds: 'arg1 > 4096 && retval < 0'" },
	{ "error-if", 0, OPTION_TEXT, AT(error_if), "CONDITION",
	  .help = "count a call as an error if this holds: 'retval == NULL'" },
	{ "module", 0, OPTION_TEXT, AT(module), "NAME",
	  .help = "look for functions in this kernel module or file" },
	{ "at", 0, OPTION_TEXTS, AT(at), "+OFFSET",
	  .help = "count the instructions at this offset instead of calls" },
	{ "at-line", 0, OPTION_TEXTS, AT(at_lines), "FILE:LINE",
	  .help = "count entries of the code of a source line" },
	{ "each-block", 0, OPTION_FLAG, AT(each_block), NULL,
	  .help = "count entries of basic blocks instead of calls" },
	{ "all", 'a', OPTION_FLAG, AT(all), NULL,
	  .help = "if several functions have the same name, watch all of them" },
	{ "return", 'r', OPTION_FLAG, AT(values), NULL,
	  .help = "at the end, print a histogram of the returned values" },
	{ "interval", 'i', OPTION_SECONDS, AT(interval_s), "S",
	  .help = "time between two tables (default 1 s); 0 prints only totals",
	  .least = 0, .most = 1e6 },
	{ "duration", 'd', OPTION_SECONDS, AT(duration_s), "S", .help = "stop after this time",
	  .least = 0.001, .most = 1e8 },
	{ "budget", 0, OPTION_NUMBER, AT(budget_percent), "PERCENT",
	  .help = "detach if it takes more than PERCENT of a CPU (default 5); 0: no limit",
	  .least = 0,
	  .most = 1e6 },
	{ "yes", 'y', OPTION_FLAG, AT(yes), NULL, .help = "attach even if it takes long" },
	{ "dry-run", 'n', OPTION_FLAG, AT(dry), NULL,
	  .help = "only print what watching would cost" },
	{ "list", 'l', OPTION_FLAG, AT(list), NULL,
	  .help = "watch nothing: list functions, where they are and how they would be probed" },
	{ "blocks", 0, OPTION_FLAG, AT(blocks), NULL,
	  .help = "watch nothing: list the basic blocks of functions" },
	{ "disassemble", 0, OPTION_FLAG, AT(code), NULL,
	  .help = "watch nothing: show instructions, and with -p what differs in memory" },
	{ "format", 0, OPTION_TEXT, AT(format), "FORMAT", .help = "text, csv or json", .words = "text csv json" },
	{ "file", 'f', OPTION_TEXT, AT(output), "FILE",
	  .help = "write to FILE (default: stdout, which the command also uses)" },
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE", .help = "the same as -f" },
	{ "plot", 0, OPTION_FLAG, AT(plot), NULL, .help = "draw curves" },
	{ "as-user", 0, OPTION_FLAG, AT(as_user), NULL,
	  .help = "under sudo: run the command as the user who called it" },
	LINE_OPTION_ROWS(AT(lines)),
	{ 0 },
};
/* clang-format on */

static int help_metric(const char *name)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	int rc = watch_metrics_help(strcmp(name, "all") == 0 ? NULL : name, &text, &err);

	fputs(buf_text(&text), stdout);
	buf_done(&text);
	return rc < 0 ? options_fail(&command_watch, &err, 2) : 0;
}

/* Joins the texts of several --metric into one list. */
static void join(const struct option_texts *texts, struct buf *joined)
{
	for (size_t i = 0; i < texts->count; i++) {
		buf_add_str(joined, i ? "," : "");
		buf_add_str(joined, texts->items[i]);
	}
}

static int parse_format(const struct watch_values *values, enum watch_form *ret_form,
			struct err *err)
{
	static const struct {
		const char *name;
		enum watch_form form;
	} forms[] = {
		{ "text", WATCH_FORM_TEXT },
		{ "csv", WATCH_FORM_CSV },
		{ "json", WATCH_FORM_JSON },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!values->format || strcmp(values->format, forms[i].name) == 0) {
			*ret_form = forms[i].form;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "invalid --format '%s': expected text, csv or json",
		       values->format);
}

static struct watch_words words_of(const struct watch_values *values, const char *metrics,
				   char *const *words, size_t count, char *const *command)
{
	return (struct watch_words){
		.targets = { .words = (const char *const *)words,
			     .word_count = count,
			     .module = values->module,
			     .at = values->at.items,
			     .at_count = values->at.count,
			     .at_lines = values->at_lines.items,
			     .at_line_count = values->at_lines.count,
			     .command = command ? command[0] : NULL,
			     .all = values->all,
			     .each_block = values->each_block,
			     .lines = profile_options_lines(&values->lines) },
		.metrics = *metrics ? metrics : NULL,
		.by = values->by,
		.cpus = values->cpus,
		.comms = values->comms.items,
		.comm_count = values->comms.count,
		.condition = values->condition,
		.error_if = values->error_if,
		.values = values->values,
	};
}

static void tell_progress(void *context, const char *act, size_t done, size_t count)
{
	terminal_progress_tell(context, act, done, count);
}

static void tell_slow(void *context, double attach_s, double detach_s)
{
	terminal_progress_clear(context);
	fprintf(stderr,
		"prospect watch: attaching will take about %.0f s, and detaching %.0f s; Ctrl-C "
		"cancels\n",
		attach_s, detach_s);
}

static int show(const struct watch_values *values, struct watch_request *request,
		enum watch_form form, char *const *command, struct output_file *file,
		struct progress *progress)
{
	FILE *out = file ? output_file_stream(file) : stdout;
	struct terminal terminal;
	struct watch_result result;
	struct err err = { 0 };
	int rc;

	terminal_ask(out, &terminal);
	const struct watch_show_options look = { .metrics = watch_request_metrics(request),
						 .form = form,
						 .plot = values->plot,
						 .out = out,
						 .notes = stderr,
						 .lines = terminal.redraws ? terminal.screen.lines
									   : 0,
						 .columns = terminal.screen.columns,
						 .colour = terminal.screen.colour };
	_cleanup_(watch_show_freep) struct watch_show *shown = watch_show_new(&look);
	const struct watch_options options = { .probes = *watch_request_probes(request),
					       .argv = command,
					       .interval_s = values->interval_s,
					       .duration_s = values->duration_s,
					       .budget = values->budget_percent / 100,
					       .even_slow = values->yes,
					       .as_user = values->as_user,
					       .tell = tell_slow,
					       .progress = tell_progress,
					       .tell_context = progress,
					       .view = watch_show_view(shown) };

	rc = watch_run(&options, &result, &err);
	terminal_progress_clear(progress);
	if (rc == -EPIPE) /* the reader closed its end */
		rc = 0;
	if (rc == 0 && file)
		rc = output_file_commit(file, &err);
	if (rc < 0)
		options_fail(&command_watch, &err, 1);
	return command_outcome_exit_status(&result.outcome, rc);
}

/* Writes a text that is the whole output. */
static int write_text(const struct buf *text, struct output_file *file, struct err *err)
{
	fputs(buf_text(text), file ? output_file_stream(file) : stdout);
	return file ? output_file_commit(file, err) : 0;
}

static int forecast(const struct watch_request *request, char *const *command,
		    struct output_file *file)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	int rc = watch_forecast_tell(watch_request_probes(request), command != NULL, &text, &err);

	if (rc == 0) /* a probe that cannot be attached has no cost */
		rc = write_text(&text, file, &err);
	buf_done(&text);
	return rc < 0 ? options_fail(&command_watch, &err, 1) : 0;
}

static enum watch_listing listing_of(const struct watch_values *values)
{
	return values->list	? WATCH_LISTING_FUNCTIONS
	       : values->blocks ? WATCH_LISTING_BLOCKS
	       : values->code	? WATCH_LISTING_CODE
				: WATCH_LISTING_NONE;
}

static int status_of(int rc)
{
	return rc == -EINVAL || rc == -E2BIG || rc == -ENOTUNIQ ? 2 : 1;
}

static int list(const struct watch_values *values, const struct watch_words *asked,
		struct output_file *file)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	int rc = watch_request_list(asked, listing_of(values), &text, &err), written = 0;

	if (rc == 0 || text.size)
		written = write_text(&text, file, rc < 0 ? NULL : &err);
	buf_done(&text);
	rc = rc < 0 ? rc : written;
	return rc < 0 ? options_fail(&command_watch, &err, status_of(rc)) : 0;
}

static int watch(const struct watch_values *values, char *const *words, size_t count,
		 char *const *command)
{
	_cleanup_(option_pids_done) struct option_pids pids = { 0 };
	_cleanup_(buf_done) struct buf metrics = { 0 };
	_cleanup_(watch_request_freep) struct watch_request *request = NULL;
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	enum watch_form form = WATCH_FORM_TEXT;
	struct progress progress;
	struct watch_words asked;
	struct err err = { 0 };
	int rc = parse_format(values, &form, &err);

	if (rc == 0)
		rc = who_options_pids(&values->who, &pids, &err);
	join(&values->metrics, &metrics);
	asked = words_of(values, buf_text(&metrics), words, count, command);
	asked.pids = pids.items;
	asked.pid_count = pids.count;
	asked.pids_may_end = !who_options_by_id(&values->who);
	asked.follow = who_options_has_groups(&values->who);
	if (rc < 0)
		return options_fail(&command_watch, &err, status_of(rc));
	if (values->output &&
	    output_option_open(values->output, "-f names the file", &file, &err) < 0)
		return options_fail(&command_watch, &err, 1);
	if (listing_of(values))
		return list(values, &asked, file);
	terminal_progress_begin(&progress, "watch");
	asked.targets.tell = tell_progress;
	asked.targets.context = &progress;
	rc = watch_request_new(&asked, &request, &err);
	terminal_progress_clear(&progress);
	if (rc < 0)
		return options_fail(&command_watch, &err, status_of(rc));
	for (size_t i = 0; watch_request_note(request, i); i++)
		terminal_say("prospect watch: %s", watch_request_note(request, i));
	return values->dry ? forecast(request, command, file)
			   : show(values, request, form, command, file, &progress);
}

/* Refuses pairs of options where one would be ignored. */
static int check_pairs(const struct watch_values *values, struct err *err)
{
	bool lists = values->list || values->blocks || values->code;
	bool text = !values->format || strcmp(values->format, "text") == 0;
	bool csv = values->format && strcmp(values->format, "csv") == 0;
	const struct {
		bool both;
		const char *why;
	} pairs[] = {
		{ lists && values->dry,
		  "--dry-run cannot be used with --list, --blocks or --disassemble" },
		{ lists && !text, "--format cannot be used with --list, --blocks or --disassemble: "
				  "they print text only" },
		{ values->dry && !text,
		  "--format cannot be used with --dry-run, which prints text only" },
		{ values->each_block && values->at.count,
		  "--at and --each-block cannot be used together" },
		{ values->plot && !text, "--plot cannot be used with --format csv or json" },
		{ values->values && csv,
		  "--return cannot be used with --format csv: use --format json" },
		{ values->values &&
			  (values->at.count || values->at_lines.count || values->each_block),
		  "--return cannot be used with --at, --at-line or --each-block: only functions "
		  "return" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (pairs[i].both)
			return err_set(err, -EINVAL, "%s", pairs[i].why);
	}
	return 0;
}

static int check(const struct watch_values *values, int count, char *const *command,
		 struct err *err)
{
	if (values->list + values->blocks + values->code > 1)
		return err_set(err, -EINVAL,
			       "--list, --blocks and --disassemble cannot be used together");
	if (command && !command[0])
		return err_set(err, -EINVAL, "no command after '--'");
	if (command && who_options_given(&values->who))
		return err_set(err, -EINVAL, "%s cannot be used with a command",
			       who_options_given(&values->who));
	if (!count && !values->module && !values->at_lines.count)
		return err_set(err, -EINVAL,
			       "nothing to watch: name functions, e.g. 'prospect watch vfs_read "
			       "libc.so.6:malloc'");
	return check_pairs(values, err);
}

static int run_watch(int argc, char **argv)
{
	struct watch_values values = { .interval_s = 1, .budget_percent = 5 };
	int end = options_border(argc, argv), status; /* the command follows */
	char **command = end < argc ? argv + end + 1 : NULL;
	int first = options_begin(&command_watch, end, argv, &values, &status);
	struct err err = { 0 };

	if (first < 0)
		return status;
	if (values.help_metric)
		return help_metric(values.help_metric);
	if (check(&values, end - first, command, &err) < 0)
		return options_fail(&command_watch, &err, 2);
	return watch(&values, argv + first, (size_t)(end - first), command);
}

const struct command command_watch = {
	.name = "watch",
	.summary = "count and time every call of chosen functions while they run",
	.usage = "[OPTION...] FUNCTION... [-- COMMAND [ARG...]]",
	.options = watch_specs,
	.needs_proc = true,
	.needs_clock = true,
	.run = run_watch,
};
