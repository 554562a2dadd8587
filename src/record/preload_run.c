/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/preload_run.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attribute/attribute.h"
#include "attribute/hot_code.h"
#include "attribute/process_code.h"
#include "attribute/stacks.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/open_limit.h"
#include "base/xalloc.h"
#include "foreign/foreign.h"
#include "names/debug_files/debug_files.h"
#include "names/resolver.h"
#include "perf/perf_limits.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "proc/watched_command.h"
#include "record/preload_command.h"
#include "record/preload_memory.h"
#include "record/preload_source.h"
#include "record/record_facts.h"
#include "record/record_input.h"
#include "store/record_output.h"
#include "store/store.h"

enum {
	DRAIN_MS = 100,
	/* A record may come into memory this long after its time was taken, if its thread lost the CPU in
	 * between. */
	SETTLE_MS = 50,
	FLUSH_MS = 5000,
	MAX_OPEN_IMAGES = 512,
	STATUS_BYTES = 16384,
};

struct preloading {
	const struct preload_options *options;
	struct watched_command command;
	struct preload_memory *memory;
	struct profile *profile;
	struct record_output output;
	struct foreign *foreign;
	struct readers readers;
	struct image_files *files;
	struct jit *jit;
	struct hot_code *hot;
	struct machine *machine;
	struct frames frames;
	struct process_code *jit_memory;
	struct stacks *stacks;
	struct debug_files *debug_files;
	struct resolver *resolver;
	struct preload_source *source;
	struct attribution *attribution;
	struct record_facts *facts;
	char *program; /* of the command */
	enum preload_refusal refusal;
	size_t looked_up; /* processes whose uid and cgroup were read or inherited */
};

/* ---- what is permitted ---- */

/* seccomp(2): a filter may kill the process that makes a system call, so a child makes them. */
static bool is_filtered(void)
{
	_cleanup_(buf_done) struct buf status = { 0 };
	const char *line;

	if (file_read("/proc/self/status", STATUS_BYTES, &status) < 0)
		return true;
	line = strstr(buf_text(&status), "\nSeccomp:");
	return line && strtol(line + strlen("\nSeccomp:"), NULL, 10) != 0;
}

static bool child_may_sample(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		/* Not a valid command: what counts is that we are still there. */
		(void)syscall(SYS_bpf, -1, NULL, 0);
		_exit(perf_limits_own() ? 0 : 1);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return false;
	}
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool preload_is_needed(void)
{
	return is_filtered() ? !child_may_sample() : !perf_limits_own();
}

/* ---- the library and the environment of the command ---- */

static const char library_name[] = "libprospect-preload.so";

/* Where 'make install' puts it, seen from the program; and where the build does. */
static bool find_library(char *path, size_t size)
{
	static const char *const folders[] = { "../" PRELOAD_LIBRARY_FOLDER, "src/preload",
					       "../lib" };
	char program[PATH_MAX], place[PATH_MAX + 64], *slash;
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (length <= 0)
		return false;
	program[length] = '\0';
	slash = strrchr(program, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char real[PATH_MAX];

		if (snprintf(place, sizeof(place), "%s/%s/%s", program, folders[i], library_name) <
			    (int)sizeof(place) &&
		    realpath(place, real) && strlen(real) < size) {
			memcpy(path, real, strlen(real) + 1);
			return true;
		}
	}
	return false;
}

/* An environment variable as it was. */
struct former {
	const char *name;
	char *value; /* NULL: it was not set */
};

static struct former set_variable(const char *name, const char *value)
{
	const char *old = getenv(name);
	struct former former = { name, old ? xstrdup(old) : NULL };

	setenv(name, value, 1);
	return former;
}

static void restore(struct former *former)
{
	if (former->value)
		setenv(former->name, former->value, 1);
	else
		unsetenv(former->name);
	free(former->value);
}

static int check_library(char *library, size_t size, struct err *err)
{
	if (!find_library(library, size))
		return err_set(
			err, -ENOENT,
			"cannot find %s beside the program: is prospect installed as a whole?",
			library_name);
	/* ld.so(8): the entries of LD_PRELOAD end at these. */
	if (strpbrk(library, ": "))
		return err_set(err, -EINVAL,
			       "%s: the loader takes no library whose path has a blank or a colon",
			       library);
	return 0;
}

/* Forks the command, which waits at its gate, with the library in its environment; but not if the loader would only
 * complain about it. */
static int prepare_command(struct preloading *preloading, const struct preload_variables *variables,
			   struct err *err)
{
	char *const *argv = preloading->options->argv;
	struct former preload, memory;
	int rc;

	preloading->refusal = preload_command_judge(argv[0], &preloading->program);
	if (preloading->refusal == PRELOAD_REFUSAL_MACHINE)
		return watched_command_prepare(&preloading->command, argv, false, err);
	preload = set_variable("LD_PRELOAD", variables->preload);
	memory = set_variable(PRELOAD_VARIABLE, variables->memory);
	rc = watched_command_prepare(&preloading->command, argv, false, err);
	restore(&memory);
	restore(&preload);
	return rc;
}

/* From here on processes may load the library. */
static int offer_library(struct preloading *preloading, struct err *err)
{
	const struct preload_options *options = preloading->options;
	const char *others = getenv("LD_PRELOAD");
	char library[PATH_MAX];
	_cleanup_free_ char *value = NULL;
	struct preload_variables variables;
	int rc = check_library(library, sizeof(library), err);

	if (rc < 0)
		return rc;
	value = xasprintf("%s%s%s", library, others && *others ? ":" : "", others ? others : "");
	variables = (struct preload_variables){ value, preload_memory_path(preloading->memory) };
	if (options->argv)
		return prepare_command(preloading, &variables, err);
	options->ready(options->context, &variables);
	return 0;
}

/* ---- setting up ---- */

static void build_model(struct preloading *preloading)
{
	const struct preload_options *options = preloading->options;
	struct profile *profile = preloading->profile;
	pid_t command = options->argv ? preloading->command.launch.pid : options->shell;
	const struct debug_options debug_options = { .folders = options->debug_folders,
						     .folder_count = options->debug_folder_count,
						     .foreign = preloading->foreign };
	const struct machine_process launched = {
		.pid = command, .parent_pid = getpid(), .uid = geteuid(), .comm = "prospect"
	};
	struct attribution_parts parts;

	preloading->files = image_files_new(profile, MAX_OPEN_IMAGES);
	image_files_set_readers(preloading->files, &preloading->readers);
	preloading->jit = jit_new(profile);
	jit_set_foreign(preloading->jit, preloading->foreign);
	preloading->hot = hot_code_new(profile, preloading->files, preloading->jit);
	preloading->machine = machine_new(profile, image_files_link, preloading->files);
	preloading->frames = (struct frames){ .profile = profile, .jit = preloading->jit };
	preloading->jit_memory = process_code_new(preloading->foreign);
	preloading->stacks = stacks_new(&(struct stacks_parts){
		.frames = &preloading->frames,
		.machine = preloading->machine,
		.files = preloading->files,
		.max_depth = STACK_MAX_USER,
		.jit_memory = preloading->jit_memory,
	});
	machine_add_process(preloading->machine, &launched);
	if (options->argv)
		machine_await_command(preloading->machine, command);
	else
		machine_set_command(preloading->machine, command);
	preloading->source =
		preload_source_new(profile, preloading->machine, preloading->memory,
				   options->rate_hz, options->clock, command, preloading->foreign);
	parts = (struct attribution_parts){ .profile = profile,
					    .machine = preloading->machine,
					    .files = preloading->files,
					    .hot = preloading->hot,
					    .jit = preloading->jit,
					    .source = preload_source_records(preloading->source),
					    .writer = preloading->output.writer,
					    .frames = &preloading->frames,
					    .stacks = preloading->stacks };
	preloading->attribution = attribution_new(&parts);
	preloading->debug_files = debug_files_new(&debug_options);
	preloading->resolver =
		resolver_new(&(struct symbol_parts){ .profile = profile,
						     .files = preloading->files,
						     .debug_files = preloading->debug_files,
						     .jit = preloading->jit });
}

/* In place of a command. */
static char *const shells[] = { (char[]){ "commands" }, (char[]){ "of" }, (char[]){ "a" },
				(char[]){ "shell" }, NULL };

static void describe(struct run_facts *run, enum preload_clock clock)
{
	profile_set_text(&run->rung, "preload");
	profile_set_text(&run->stacks, "full");
	profile_set_text(
		&run->not_visible,
		clock == PRELOAD_CLOCK_WALL
			? "the kernel (a system call's time is that of the code that made it); "
			  "'prospect COMMAND' sees it, as root"
			: "the kernel (a system call's time is that of the code that made it), "
			  "and how long the command waited; 'prospect COMMAND' sees both, as "
			  "root");
	run->cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}

static int set_up(struct preloading *preloading, struct err *err)
{
	const struct preload_options *options = preloading->options;
	int rc = preload_memory_new((uint64_t)(NS_PER_S / options->rate_hz), options->clock,
				    &preloading->memory, err);

	if (rc == 0)
		rc = offer_library(preloading, err);
	if (rc < 0)
		return rc;
	preloading->foreign = foreign_new((struct pause){ 0 });
	preloading->readers.foreign = preloading->foreign;
	open_limit_raise();
	signal(SIGXFSZ, SIG_IGN); /* a file size limit becomes an error of the flush */
	rc = watched_command_take_signals(&preloading->command, err);
	if (rc == 0)
		rc = record_output_open(&preloading->output, options->output, preloading->profile,
					err);
	if (rc < 0)
		return rc;
	store_note_origin(preloading->output.writer);
	build_model(preloading);
	preloading->facts = record_facts_new(
		preloading->profile, NULL,
		&(struct record_options){ .argv = options->argv ? options->argv : shells });
	describe(&preloading->profile->run, options->clock);
	return 0;
}

static void release(struct preloading *preloading)
{
	attribution_free(preloading->attribution);
	preload_source_free(preloading->source);
	resolver_free(preloading->resolver);
	debug_files_free(preloading->debug_files);
	stacks_free(preloading->stacks);
	process_code_free(preloading->jit_memory);
	machine_free(preloading->machine);
	hot_code_free(preloading->hot);
	jit_free(preloading->jit);
	image_files_free(preloading->files);
	foreign_free(preloading->foreign);
	record_output_done(&preloading->output);
	record_facts_free(preloading->facts);
	profile_free(preloading->profile);
	watched_command_done(&preloading->command);
	preload_memory_free(preloading->memory);
	free(preloading->program);
}

/* ---- while it runs ---- */

static void refresh(struct preloading *preloading)
{
	const struct profile *profile = preloading->profile;

	for (; preloading->looked_up < profile->processes.count; preloading->looked_up++)
		record_input_read_owner(preloading->machine, preloading->foreign,
					&profile->processes.items[preloading->looked_up]);
}

static void drain(struct preloading *preloading, uint64_t cutoff_ns)
{
	jit_follow(preloading->jit, clock_ns());
	preload_source_drain(preloading->source, cutoff_ns, preloading->attribution);
	(void)stacks_settle(preloading->stacks);
	refresh(preloading);
}

static int flush(struct preloading *preloading, struct err *err)
{
	int rc;

	resolver_run(preloading->resolver);
	hot_code_keep_jit(preloading->hot);
	if (preloading->profile->run.end_ns) {
		hot_code_keep_all(preloading->hot, NULL);
		hot_code_tell_dropped_lines(preloading->profile, preloading->jit);
	}
	jit_rest(preloading->jit);
	preloading->profile->run.flushes++;
	rc = record_output_flush(&preloading->output, err);
	if (rc == 0)
		machine_forget(preloading->machine);
	return rc;
}

static void run_loop(struct preloading *preloading)
{
	const struct preload_options *options = preloading->options;
	/* pidfd_open(2): readable when the process has ended. */
	_cleanup_close_ int shell =
		options->argv ? -1 : (int)syscall(SYS_pidfd_open, options->shell, 0);
	struct pollfd fds[] = { { .fd = preloading->command.signal_fd, .events = POLLIN },
				{ .fd = shell, .events = POLLIN } };
	uint64_t next_flush_ns = clock_ns() + FLUSH_MS * NS_PER_MS;

	while (!preloading->command.stop && !(fds[1].revents & POLLIN)) {
		uint64_t now_ns;

		(void)poll(fds, 2, DRAIN_MS);
		watched_command_read(&preloading->command);
		now_ns = clock_ns();
		drain(preloading, now_ns - SETTLE_MS * NS_PER_MS);
		if (now_ns < next_flush_ns)
			continue;
		(void)flush(preloading, NULL); /* everything is kept for the next one */
		next_flush_ns = now_ns + FLUSH_MS * NS_PER_MS;
	}
}

static void settle_command(struct preloading *preloading)
{
	const struct watched_command *command = &preloading->command;
	struct run_facts *run = &preloading->profile->run;

	run->command_begin_ns = run->start_ns;
	run->command_end_ns = run->end_ns;
	run->command_status = (uint64_t)(unsigned)command->outcome.status;
	if (!command->outcome.ended)
		return;
	run->command_user_ns = record_facts_ns(&command->usage.ru_utime);
	run->command_system_ns = record_facts_ns(&command->usage.ru_stime);
}

/* CPU time that no sample stands for. */
static void say_missing(struct preloading *preloading)
{
	enum { LEAST_PERCENT = 5, LEAST_NS = 20000000, DEVIATIONS = 4 };
	struct profile *profile = preloading->profile;
	const struct event *event = &profile->events[0];
	double took_ns = (double)profile->run.command_user_ns, missing_ns, noise_ns;
	char sentence[200];

	if (preloading->options->clock == PRELOAD_CLOCK_WALL)
		return;
	if (preloading->options->clock == PRELOAD_CLOCK_CPU)
		took_ns += (double)profile->run.command_system_ns;
	missing_ns = took_ns - (double)event->weight - (double)event->loss[LOSS_RING_FULL].weight -
		     (double)preload_memory_counts(preloading->memory).stopped_ns;
	noise_ns = DEVIATIONS * sqrt(took_ns * NS_PER_S / event->rate_hz);
	if (missing_ns < LEAST_NS + noise_ns || missing_ns * 100 < LEAST_PERCENT * took_ns)
		return;
	snprintf(sentence, sizeof(sentence),
		 "%.2f s (%.0f %%) of the command's CPU time: before programs had loaded the "
		 "library, "
		 "after their last samples, and in programs without it",
		 missing_ns / NS_PER_S, missing_ns * 100 / took_ns);
	profile_not_visible(profile, sentence);
}

static int finish(struct preloading *preloading, struct err *err)
{
	record_facts_end(preloading->facts);
	settle_command(preloading);
	drain(preloading, UINT64_MAX);
	attribution_finish(preloading->attribution, preloading->profile->run.end_ns);
	machine_finish(preloading->machine);
	jit_finish(preloading->jit, clock_ns());
	preload_source_settle(preloading->source);
	say_missing(preloading);
	record_facts_settle_late(preloading->facts,
				 jit_far(preloading->jit) +
					 process_code_late(preloading->jit_memory));
	record_facts_settle_self(preloading->facts);
	return flush(preloading, err);
}

static int publish(struct preloading *preloading, struct record_result *result, struct err *err)
{
	int rc = record_output_publish(&preloading->output, err);

	if (rc == -ENOENT)
		return rc;
	result->kept = !preloading->output.temporary;
	snprintf(result->path, sizeof(result->path), "%s", preloading->output.path);
	snprintf(result->note, sizeof(result->note), "%s", preloading->output.note);
	return rc;
}

static int go(struct preloading *preloading, struct err *err)
{
	preloading->profile->run.command_pid = (uint64_t)preloading->command.launch.pid;
	preload_source_note_command(preloading->source, preloading->program, preloading->refusal);
	return watched_command_go(&preloading->command, err);
}

int preload_run(const struct preload_options *options, struct record_result *ret_result,
		struct err *err)
{
	struct preloading preloading = { .options = options,
					 .command = WATCHED_COMMAND_NONE,
					 .profile = profile_new() };
	int rc;

	*ret_result = (struct record_result){ 0 };
	rc = set_up(&preloading, err);
	if (rc == 0) {
		record_facts_begin(preloading.facts, 0);
		if (options->argv)
			rc = go(&preloading, err);
	}
	if (rc < 0) {
		record_output_discard(&preloading.output);
	} else {
		run_loop(&preloading);
		rc = finish(&preloading, err);
		if (rc == 0)
			rc = publish(&preloading, ret_result, err);
		watched_command_wait(&preloading.command);
	}
	ret_result->outcome = preloading.command.outcome;
	release(&preloading);
	return rc;
}
