/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect preload COMMAND: profile a command without any privilege, then print the report.
 * eval "$(prospect preload --shell)": profile all that a shell executes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options/terminal.h"
#include "cmd/preload.h"
#include "store/record_output.h"
#include "views/views.h"

struct preload_values {
	double rate_hz;				  /* 0: not given */
	const char *clock, *output, *granularity; /* NULL: not given */
	bool quiet, shell, off;
};

enum { DEFAULT_RATE_HZ = 97, MOST_RATE_HZ = 10000, US_PER_S = 1000000 };

/* clang-format off */
#define AT(field) offsetof(struct preload_values, field)

static const struct option_spec preload_specs[] = {
	{ "rate", 'F', OPTION_NUMBER, AT(rate_hz), "HZ",
	  .help = "take HZ samples per second of CPU time of each thread (default 97)",
	  .least = 1, .most = MOST_RATE_HZ },
	{ "clock", 0, OPTION_TEXT, AT(clock), "cpu|user|wall",
	  .help = "count CPU time (default), only that in user mode, or also the time of waits" },
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE",
	  .help = "keep the profile in FILE (default: last.prof, see prospect(1))" },
	{ "granularity", 0, OPTION_TEXT, AT(granularity), "function|line|address",
	  .help = "print these and their samples, as Qprof did, instead of the report" },
	{ "shell", 0, OPTION_FLAG, AT(shell), NULL,
	  .help = "print what a shell must evaluate so that all it executes is profiled" },
	{ "off", 0, OPTION_FLAG, AT(off), NULL,
	  .help = "print what ends that, and write the profile" },
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), NULL,
	  .help = "print no report" },
	{ 0 },
};
/* clang-format on */

static int read_clock(const char *word, enum preload_clock *ret_clock, struct err *err)
{
	if (strcmp(word, "cpu") == 0)
		*ret_clock = PRELOAD_CLOCK_CPU;
	else if (strcmp(word, "user") == 0)
		*ret_clock = PRELOAD_CLOCK_USER;
	else if (strcmp(word, "wall") == 0)
		*ret_clock = PRELOAD_CLOCK_WALL;
	else
		return err_set(err, -EINVAL, "invalid --clock '%s': expected cpu, user or wall",
			       word);
	return 0;
}

/* ---- Qprof's variables ---- */

/* What the environment asks for that the command line leaves open. */
struct qprof_variables {
	enum qprof_granularity
		granularity; /* QPROF_GRANULARITY_COUNT: Qprof's report is not asked for */
	bool inclusive;
	const char *colour, *file;
	size_t columns;
};

static bool is_set(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value;
}

/* A number from 1 on; 0: none. */
static unsigned long number_of(const char *name)
{
	const char *value = secure_getenv(name);
	char *end;
	unsigned long number = value ? strtoul(value, &end, 10) : 0;

	return number && !*end ? number : 0;
}

static int read_granularity(const char *option, struct qprof_variables *variables, struct err *err)
{
	const char *word = option ? option : secure_getenv("QPROF_GRANULARITY");

	variables->granularity = QPROF_GRANULARITY_COUNT;
	if (!word || !*word)
		return 0;
	variables->granularity = qprof_granularity(word);
	if (variables->granularity != QPROF_GRANULARITY_COUNT)
		return 0;
	return err_set(err, -EINVAL, "invalid %s '%s': expected function, line or address",
		       option ? "--granularity" : "QPROF_GRANULARITY", word);
}

/* What it asks for must not be replaced by time without a word. */
static int refuse_events(struct err *err)
{
	if (!is_set("QPROF_HW_EVENT"))
		return 0;
	return err_set(err, -EINVAL,
		       "QPROF_HW_EVENT is set, but a preloaded library counts time: unset it; "
		       "'prospect record -e EVENT' samples events");
}

static int read_variables(struct preload_values *values, struct qprof_variables *variables,
			  struct err *err)
{
	unsigned long interval_us = number_of("QPROF_INTERVAL");

	*variables = (struct qprof_variables){ .inclusive = is_set("QPROF_STACK"),
					       .colour = secure_getenv("QPROF_COLOR"),
					       .file = secure_getenv("QPROF_FILE"),
					       .columns = number_of("QPROF_NCOLS") };
	if (values->rate_hz <= 0 && interval_us)
		values->rate_hz = US_PER_S / (double)interval_us;
	if (values->rate_hz <= 0)
		values->rate_hz = DEFAULT_RATE_HZ;
	if (values->rate_hz > MOST_RATE_HZ || values->rate_hz < 1)
		return err_set(err, -EINVAL,
			       "invalid QPROF_INTERVAL '%lu': expected microseconds, from 100 to "
			       "1000000",
			       interval_us);
	if (!values->clock)
		values->clock = is_set("QPROF_REAL")	  ? "wall"
				: is_set("QPROF_VIRTUAL") ? "user"
							  : "cpu";
	return refuse_events(err) < 0 ? -EINVAL
				      : read_granularity(values->granularity, variables, err);
}

/* Qprof added to its file: each command of a shell has its report there. */
static FILE *open_report(const char *file)
{
	return file && *file ? fopen(file, "ae") : NULL;
}

static int print_qprof(const struct qprof_variables *variables, const char *path, struct err *err)
{
	FILE *file = open_report(variables->file), *out = file ? file : stderr;
	struct qprof_options options = { .granularity = variables->granularity,
					 .inclusive = variables->inclusive,
					 .colour = variables->colour };
	struct terminal terminal;
	int rc;

	if (!file && variables->file && *variables->file)
		terminal_say("prospect: QPROF_FILE '%s': cannot open it: %s", variables->file,
			     strerror(errno));
	terminal_ask(out, &terminal);
	options.screen.columns = variables->columns ? variables->columns : terminal.screen.columns;
	options.screen.colour = terminal.screen.colour;
	rc = qprof_print(path, &options, out, err);
	if (file)
		fclose(file);
	return rc;
}

/* ---- a command ---- */

/* -1: the profile is complete; else the exit status. */
static int record(const struct preload_options *options, struct record_result *result)
{
	struct err err;
	int rc = preload_run(options, result, &err);

	if (rc < 0) {
		terminal_say("prospect: %s", err.text);
		return command_outcome_exit_status(&result->outcome, rc);
	}
	if (result->note[0])
		terminal_say("prospect: %s", result->note);
	return -1;
}

int preload_and_report(struct preload_options *options, const struct report_values *wanted,
		       const struct command *command)
{
	struct report_values report = *wanted;
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	struct record_result result;
	struct err err;
	int rc, status;

	if (report_options_open(&report, &output, &status, &err) < 0)
		return options_fail(command, &err, status);
	if (report_options_contradict(&report, command->name))
		return 2;
	options->debug_folders = report.names.lines.debug_folders.items;
	options->debug_folder_count = report.names.lines.debug_folders.count;
	status = record(options, &result);
	if (status >= 0)
		return status;
	/* The exit status is the command's, even if the reader of the report has closed its end. */
	signal(SIGPIPE, SIG_IGN);
	rc = report_options_print(&report, result.path, options->output, output, stderr, &err);
	if (!result.kept)
		record_output_remove_temporary(result.path);
	if (rc < 0)
		terminal_say("prospect: %s", err.text);
	return command_outcome_exit_status(&result.outcome, rc);
}

/* Prints Qprof's report, or none. */
static int record_only(const struct preload_options *options,
		       const struct qprof_variables *variables, bool quiet)
{
	struct record_result result;
	struct err err;
	int status = record(options, &result);

	if (status >= 0)
		return status;
	signal(SIGPIPE, SIG_IGN);
	if (!quiet && print_qprof(variables, result.path, &err) < 0)
		terminal_say("prospect: %s", err.text);
	if (!result.kept)
		record_output_remove_temporary(result.path);
	return command_outcome_exit_status(&result.outcome, 0);
}

/* ---- a shell ---- */

#define COLLECTOR_VARIABLE "PROSPECT_PRELOAD_PID"

static void add_variable(struct buf *text, const char *name, const char *value)
{
	buf_printf(text, "export %s=", name);
	text_add_word(text, value);
	buf_add_str(text, ";\n");
}

/* What the shell is to evaluate goes to the process that it waits for. */
static void send_variables(void *context, const struct preload_variables *variables)
{
	const int *to = context;
	_cleanup_(buf_done) struct buf text = { 0 };
	char pid[32];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	add_variable(&text, PRELOAD_VARIABLE, variables->memory);
	add_variable(&text, COLLECTOR_VARIABLE, pid);
	add_variable(&text, "LD_PRELOAD", variables->preload);
	(void)!write(*to, text.bytes, text.size);
	close(*to);
}

/* The collector keeps nothing of the shell's open but its standard error, for one line at the end. */
static int collect(struct preload_options *options, int to)
{
	struct record_result result;
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC), status;

	setsid();
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	options->ready = send_variables;
	options->context = &to;
	status = record(options, &result);
	if (status < 0)
		terminal_say("prospect: recorded %s; 'prospect report%s%s' shows it", result.path,
			     options->output ? " " : "", options->output ? result.path : "");
	return status < 0 ? 0 : status;
}

/* Copies what the collector sends. False: it has ended without a word. */
static bool print_variables(int from)
{
	char text[8192];
	ssize_t got;
	bool any = false;

	while ((got = read(from, text, sizeof(text))) > 0) {
		fwrite(text, 1, (size_t)got, stdout);
		any = true;
	}
	return any && fflush(stdout) == 0;
}

static int begin_shell(struct preload_options *options)
{
	int ends[2];
	struct err err;
	pid_t pid;

	if (secure_getenv(PRELOAD_VARIABLE)) {
		err_set(&err, -EEXIST,
			"this shell is profiled already: eval \"$(prospect preload --off)\" ends "
			"it");
		return options_fail(&command_preload, &err, 1);
	}
	if (isatty(STDOUT_FILENO)) {
		err_set(&err, -EINVAL,
			"let the shell evaluate it: eval \"$(prospect preload --shell)\"");
		return options_fail(&command_preload, &err, 2);
	}
	options->shell = getsid(0); /* with it ends the terminal */
	if (pipe2(ends, O_CLOEXEC) < 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		return collect(options, ends[1]);
	}
	close(ends[1]);
	return pid > 0 && print_variables(ends[0]) ? 0 : 1;
}

/* The entries of LD_PRELOAD that are not ours, as they stand. */
static void add_others(struct buf *text, const char *preload)
{
	while (*preload) {
		size_t size = strcspn(preload, ": ");

		if (size && !memmem(preload, size, "/libprospect-preload.so", 23))
			buf_printf(text, "%s%.*s", text->size ? ":" : "", (int)size, preload);
		preload += size;
		preload += *preload != '\0';
	}
}

static void print_former(void)
{
	const char *preload = secure_getenv("LD_PRELOAD");
	_cleanup_(buf_done) struct buf others = { 0 }, text = { 0 };

	add_others(&others, preload ? preload : "");
	if (others.size)
		add_variable(&text, "LD_PRELOAD", buf_text(&others));
	else
		buf_add_str(&text, "unset LD_PRELOAD;\n");
	buf_add_str(&text, "unset " PRELOAD_VARIABLE " " COLLECTOR_VARIABLE ";\n");
	fputs(buf_text(&text), stdout);
}

/* The collector writes the profile, and says where it is. */
static int end_collector(const char *word)
{
	_cleanup_close_ int collector = (int)syscall(SYS_pidfd_open, atoi(word), 0);
	struct pollfd ended = { .fd = collector, .events = POLLIN };

	if (collector < 0 || syscall(SYS_pidfd_send_signal, collector, SIGTERM, NULL, 0) < 0)
		return -errno;
	while (poll(&ended, 1, -1) < 0 && errno == EINTR)
		;
	return 0;
}

static int end_shell(void)
{
	const char *collector = secure_getenv(COLLECTOR_VARIABLE);
	struct err err;
	int rc;

	if (!secure_getenv(PRELOAD_VARIABLE) || !collector) {
		err_set(&err, -ESRCH,
			"this shell is not profiled: eval \"$(prospect preload --shell)\" "
			"begins that");
		return options_fail(&command_preload, &err, 1);
	}
	print_former();
	rc = end_collector(collector);
	if (rc == 0)
		return 0;
	err_set(&err, rc, "the process %s that collected the samples has ended: %s", collector,
		strerror(-rc));
	return options_fail(&command_preload, &err, 1);
}

/* ---- */

static int check(const struct preload_values *values, bool has_command,
		 struct preload_options *options, struct err *err)
{
	if (values->shell && values->off)
		return err_set(err, -EINVAL, "--shell begins what --off ends: give one of them");
	if ((values->shell || values->off) && has_command)
		return err_set(err, -EINVAL, "%s takes no command: the shell executes them",
			       values->shell ? "--shell" : "--off");
	if (!values->shell && !values->off && !has_command)
		return err_set(err, -EINVAL, "nothing to profile: give a command or --shell");
	if (read_clock(values->clock, &options->clock, err) < 0)
		return -EINVAL;
	return record_output_check(values->output, err);
}

static int run_preload(int argc, char **argv)
{
	static const struct report_values report = REPORT_DEFAULTS;
	struct preload_values values = { 0 };
	struct qprof_variables variables;
	struct preload_options options;
	struct err err;
	int status, first = options_begin(&command_preload, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (read_variables(&values, &variables, &err) < 0)
		return options_fail(&command_preload, &err, 2);
	options = (struct preload_options){ .argv = first < argc ? argv + first : NULL,
					    .rate_hz = values.rate_hz,
					    .output = values.output };
	if (check(&values, first < argc, &options, &err) < 0)
		return options_fail(&command_preload, &err, 2);
	if (values.shell)
		return begin_shell(&options);
	if (values.off)
		return end_shell();
	if (values.quiet || variables.granularity != QPROF_GRANULARITY_COUNT)
		return record_only(&options, &variables, values.quiet);
	return preload_and_report(&options, &report, &command_preload);
}

const struct command command_preload = {
	.name = "preload",
	.summary = "profile a command or a shell without any privilege",
	.usage = "[OPTION...] [--] COMMAND [ARG...] | --shell | --off",
	.options = preload_specs,
	.takes_command = true,
	.needs_proc = true,
	.needs_clock = true,
	.run = run_preload,
};
