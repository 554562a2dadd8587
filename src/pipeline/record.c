/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/record.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "collect/exec_watch.h"
#include "collect/launch.h"
#include "collect/module_watch.h"
#include "collect/perf_limits.h"
#include "collect/proc_scan.h"
#include "pipeline/attribute.h"
#include "pipeline/hot_code.h"
#include "pipeline/owner.h"
#include "pipeline/record_facts.h"
#include "pipeline/record_output.h"
#include "pipeline/record_sampler.h"
#include "pipeline/stack_check.h"
#include "pipeline/stacks.h"
#include "pipeline/waiting.h"
#include "resolve/image_files.h"
#include "resolve/jit.h"
#include "resolve/kernel_symbols.h"
#include "resolve/resolver.h"

enum {
	DRAIN_MS = 100,
	DRAIN_SOON_MS = 10, /* as long as the kernel side lacks tables */
	/* A record may become visible this long after its time was taken (a virtual CPU that lost
	 * its host CPU in between); what is younger waits for the next drain. */
	SETTLE_MS = 5,
	PROGRESS_MS = 1000,
	MEND_MS = 1000,
	MAX_OPEN_IMAGES = 1024,
	NICE = -15,
	LARGE_PIECE = 256 * 1024,
	SIGNALS_TO_STOP = 2, /* the first is the command's to act on */
};

/* Everything a recording owns. */
struct recording {
	const struct record_options *options;
	struct record_result *result;
	struct record_output output;
	struct launch launch;
	struct profile *profile;
	struct sampler *sampler;
	struct image_files *files;
	struct jit *jit;
	struct hot_code *hot;
	struct machine *machine;
	struct kernel_symbols *kernel;
	struct resolver *resolver;
	struct exec_watch *exec_watch;
	struct module_watch *module_watch;
	struct frames frames;
	struct stacks *stacks;	 /* NULL: not asked for */
	struct waiting *waiting; /* the same */
	struct attribution *attribution;
	struct record_facts *facts;
	int signal_fd;
	sigset_t old_mask;
	size_t looked_up; /* processes whose uid and cgroup were read, or that were inherited */
	uint64_t next_mend_ns, tracking_lost_seen;
	uint64_t ring_lost_seen; /* of attribution's count, at the last look */
	struct rusage usage;	 /* of the command, when it ended */
	bool scanned; /* the model is filled: from now on records tell, and a scan corrects */
	bool rings_hung_up;
	bool drain_soon;
	bool stop;
	int signals;		   /* that told us to stop */
	struct err store_err;	   /* of the last flush that failed */
	bool store_failed, stored; /* @stored: a flush went well */
};

int record_failure_status(const struct record_result *result, int rc)
{
	return result->launch_failed ? launch_exit_status(rc) : 1;
}

int record_exit_status(const struct record_result *result)
{
	if (!result->launched)
		return 0;
	if (!result->ended)
		return 128 + result->stop_signal;
	if (WIFSIGNALED(result->status))
		return 128 + WTERMSIG(result->status);
	return WEXITSTATUS(result->status);
}

/* ---- setting up ---- */

static int prepare_command(struct recording *recording, struct err *err)
{
	struct launch_options launch = { .argv = recording->options->argv, .uid = (uid_t)-1 };
	struct owner owner;

	if (!recording->options->argv)
		return 0;
	owner_find(&owner);
	if (recording->options->as_user && owner.other) {
		launch.uid = owner.uid;
		launch.gid = owner.gid;
		launch.user = owner.name;
	}
	return launch_prepare(&launch, &recording->launch, err);
}

/* Compiling the rows of a large file takes longer than it takes to fill a ring. */
static void keep_up(void *context)
{
	const struct recording *recording = context;

	sampler_keep_up(recording->sampler);
}

static void build_stacks(struct recording *recording)
{
	const struct stacks_parts parts = { .frames = &recording->frames,
					    .files = recording->files,
					    .tables = sampler_stack_tables(recording->sampler),
					    .max_depth = recording->options->max_depth,
					    .check = recording->options->stack_check,
					    .pause = { keep_up, recording } };

	if (sampler_stack_rung(recording->sampler) != STACK_RUNG_NONE)
		recording->stacks = stacks_new(&parts);
}

static void build_model(struct recording *recording)
{
	struct attribution_parts parts;

	recording->files = image_files_new(recording->profile, MAX_OPEN_IMAGES);
	recording->jit = jit_new(recording->profile);
	recording->hot = hot_code_new(recording->profile, recording->files, recording->jit);
	recording->machine = machine_new(recording->profile, image_files_is_link, recording->files);
	recording->frames = (struct frames){ .profile = recording->profile,
					     .machine = recording->machine,
					     .jit = recording->jit };
	build_stacks(recording);
	parts = (struct attribution_parts){ .frames = &recording->frames,
					    .stacks = recording->stacks,
					    .waiting = recording->waiting,
					    .profile = recording->profile,
					    .machine = recording->machine,
					    .files = recording->files,
					    .jit = recording->jit,
					    .hot = recording->hot,
					    .sampler = recording->sampler,
					    .writer = recording->output.writer };
	recording->attribution = attribution_new(&parts);
	attribution_declare_events(recording->attribution);
	/* Helpful where permitted; what they would have told is otherwise found less surely. */
	(void)exec_watch_new(&recording->exec_watch, NULL);
	(void)module_watch_new(&recording->module_watch);
}

static int build_waiting(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;
	struct waiting_parts parts = { .profile = recording->profile,
				       .machine = recording->machine,
				       .sampler = recording->sampler,
				       .frames = &recording->frames,
				       .stacks = recording->stacks,
				       .writer = recording->output.writer,
				       .chosen = options->pids,
				       .chosen_count = options->pid_count,
				       .only_chosen = options->pid_count > 0 };

	if (recording->launch.pid > 0) {
		parts.chosen = &recording->launch.pid;
		parts.chosen_count = 1;
	}
	return recording->waiting ? waiting_prepare(recording->waiting, &parts, err) : 0;
}

/* From here on our signals come through a descriptor; the command was forked with the old mask. */
static int take_signals(struct recording *recording, struct err *err)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(&set, taken[i]);
	sigprocmask(SIG_BLOCK, &set, &recording->old_mask);
	signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is to be an error of the flush */
	recording->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (recording->signal_fd < 0)
		return err_set(err, -errno, "cannot watch for signals: %s", strerror(errno));
	return 0;
}

/* ---- the scan at the start ---- */

static struct machine_process told_by_proc(const struct proc_info *info)
{
	return (struct machine_process){
		.pid = info->pid,
		.parent_pid = info->parent_pid,
		.start_ns = info->start_ns,
		.uid = info->uid,
		.comm = info->comm,
		.executable = info->executable[0] ? info->executable : NULL,
		.script = info->script[0] ? info->script : NULL,
		.cgroup = info->cgroup[0] ? info->cgroup : NULL,
		.kernel_thread = info->kernel_thread,
	};
}

static void scan_process(void *context, const struct proc_info *info)
{
	struct recording *recording = context;
	struct machine_process process = told_by_proc(info);

	if (recording->scanned)
		machine_refresh_process(recording->machine, clock_ns(), &process);
	else
		machine_add_process(recording->machine, &process);
}

static void scan_thread(void *context, int32_t pid, int32_t tid, const char *comm)
{
	machine_add_thread(((struct recording *)context)->machine, pid, tid, comm);
}

static void scan_map(void *context, int32_t pid, const struct proc_map *map)
{
	attribution_map(((struct recording *)context)->attribution, pid, map);
}

static struct proc_visitor scanner(struct recording *recording)
{
	return (struct proc_visitor){ scan_process, scan_thread, scan_map, recording };
}

static int scan_processes(struct recording *recording, struct err *err)
{
	const struct proc_visitor visitor = scanner(recording);
	int rc = 0;

	if (sampler_rung(recording->sampler) == RUNG_MACHINE)
		return proc_scan_all(&visitor, err);
	if (recording->launch.pid > 0)
		rc = proc_scan_one(recording->launch.pid, &visitor, err);
	for (size_t i = 0; rc == 0 && i < recording->options->pid_count; i++)
		rc = proc_scan_one(recording->options->pids[i], &visitor, err);
	return rc;
}

/* ---- while it runs ---- */

static void offer_file(void *context, int fd)
{
	image_files_offer(context, fd);
}

static void drain_now(struct recording *recording)
{
	sampler_drain(recording->sampler, clock_ns(), attribution_take, recording->attribution);
}

/* What ran in a module before it went is attributed before it is forgotten. When others came
 * meanwhile, the announcements do not say what ran first: what they share of addresses stays
 * unnamed. */
static void follow_modules(struct recording *recording)
{
	struct module_changes changes = { 0, 0 };

	if (recording->module_watch)
		changes = module_watch_read(recording->module_watch);
	if (changes.added && changes.removed) {
		kernel_symbols_modules_replaced(recording->kernel,
						changes.added > 1 || changes.removed > 1);
		drain_now(recording);
		kernel_symbols_modules_settled(recording->kernel);
	} else if (changes.removed) {
		drain_now(recording);
		kernel_symbols_modules_changed(recording->kernel);
	} else if (changes.added) {
		kernel_symbols_modules_changed(recording->kernel);
	}
}

static void drain(struct recording *recording, uint64_t cutoff_ns)
{
	if (recording->exec_watch)
		exec_watch_drain(recording->exec_watch, offer_file, recording->files);
	follow_modules(recording);
	jit_follow(recording->jit, clock_ns());
	sampler_drain(recording->sampler, cutoff_ns, attribution_take, recording->attribution);
	if (recording->stacks)
		recording->drain_soon = stacks_settle(recording->stacks);
}

/* Records that the kernel dropped may have told of processes and mappings: then /proc is asked
 * again, but seldom, for on a machine that loses records reading all of it makes for more losses.
 */
static void mend_losses(struct recording *recording, uint64_t now_ns)
{
	uint64_t ring_lost = attribution_counts(recording->attribution)->ring_lost;
	struct sampler_losses losses;
	uint64_t lost;

	if (ring_lost == recording->ring_lost_seen || now_ns < recording->next_mend_ns)
		return;
	recording->ring_lost_seen = ring_lost;
	losses = sampler_losses(recording->sampler);
	lost = losses.known ? losses.streams[STREAM_TRACK] + losses.streams[STREAM_TRACK_ID]
			    : ring_lost;
	if (lost == recording->tracking_lost_seen)
		return;
	recording->tracking_lost_seen = lost;
	recording->next_mend_ns = now_ns + MEND_MS * NS_PER_MS;
	scan_processes(recording, NULL);
}

/* uid and cgroup of a process that was born while we watched come from its parent; what it made of
 * them since is read once, while it lives. */
static void refresh_process(void *context, const struct proc_info *info)
{
	struct recording *recording = context;

	machine_set_uid(recording->machine, info->pid, info->uid);
	if (info->cgroup[0])
		machine_set_cgroup(recording->machine, info->pid, info->cgroup);
}

static void refresh_new_processes(struct recording *recording)
{
	const struct proc_visitor visitor = { refresh_process, NULL, NULL, recording };
	struct profile *profile = recording->profile;

	for (; recording->looked_up < profile->processes.count; recording->looked_up++) {
		const struct process *process = &profile->processes.items[recording->looked_up];

		if (process->end_ns == 0 && process->pid > 0)
			(void)proc_scan_one(process->pid, &visitor, NULL);
	}
}

/* Reading the symbols of a large file takes longer than it takes to fill a ring. */
static void drain_between(void *context)
{
	drain(context, clock_ns() - SETTLE_MS * NS_PER_MS);
}

static void flush(struct recording *recording)
{
	int rc;

	if (!recording->module_watch)
		kernel_symbols_modules_changed(recording->kernel);
	resolver_run(recording->resolver);
	hot_code_keep_made(recording->hot);
	if (recording->profile->run.end_ns)
		hot_code_keep_all(recording->hot, recording->kernel);
	jit_rest(recording->jit);
	recording->profile->run.flushes++;
	rc = record_output_flush(&recording->output, &recording->store_err);
	recording->store_failed = rc < 0;
	recording->stored |= rc == 0;
}

static void reap(struct recording *recording)
{
	struct record_result *result = recording->result;

	if (!result->launched || result->ended)
		return;
	if (wait4(recording->launch.pid, &result->status, WNOHANG, &recording->usage) ==
	    recording->launch.pid) {
		result->ended = true;
		recording->stop = true;
	}
}

/* The terminal sends Ctrl-C to the command as well; a signal meant for us alone is passed on to it.
 */
static void take_stop_signal(struct recording *recording, const struct signalfd_siginfo *info)
{
	struct record_result *result = recording->result;
	int number = (int)info->ssi_signo;
	bool from_terminal = info->ssi_code == SI_KERNEL;

	if (number == SIGQUIT && result->launched)
		return; /* the command's business: it dumps core */
	recording->signals++;
	result->stop_signal = number;
	if (!result->launched || recording->signals >= SIGNALS_TO_STOP)
		recording->stop = true;
	else if (!from_terminal)
		kill(recording->launch.pid, number);
}

static void read_signals(struct recording *recording)
{
	struct signalfd_siginfo info;

	while (read(recording->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap(recording);
		else
			take_stop_signal(recording, &info);
	}
}

/* Sleeps until the next drain is due, a ring fills, a module comes or goes, or a signal
 * comes. */
static void wait_for_work(struct recording *recording, uint64_t until_ns)
{
	const int *ring_fds;
	size_t rings = sampler_poll_fds(recording->sampler, &ring_fds);
	_cleanup_free_ struct pollfd *fds = xcalloc(rings + 2, sizeof(*fds));
	uint64_t now = clock_ns();
	uint64_t left_ns = until_ns > now ? until_ns - now : 0;
	struct timespec timeout = { (time_t)(left_ns / NS_PER_S), (long)(left_ns % NS_PER_S) };

	fds[0] = (struct pollfd){ .fd = recording->signal_fd, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = -1, .events = POLLIN };
	if (recording->module_watch)
		fds[1].fd = module_watch_fd(recording->module_watch);
	/* The ring of a thread hangs up when the thread has ended, and poll would return at once
	 * for ever; then the clock alone wakes us. */
	for (size_t i = 0; i < rings && !recording->rings_hung_up; i++)
		fds[i + 2] = (struct pollfd){ .fd = ring_fds[i], .events = POLLIN };
	ppoll(fds, recording->rings_hung_up ? 2 : rings + 2, &timeout, NULL);
	for (size_t i = 0; i < rings; i++)
		recording->rings_hung_up |= (fds[i + 2].revents & (POLLHUP | POLLERR)) != 0;
	read_signals(recording);
}

static void report_progress(struct recording *recording, uint64_t *next_ns)
{
	const struct attribution_counts *counts = attribution_counts(recording->attribution);
	uint64_t now = clock_ns();

	if (!recording->options->progress || now < *next_ns)
		return;
	*next_ns = now + PROGRESS_MS * NS_PER_MS;
	recording->options->progress((double)(now - recording->profile->run.start_ns) / NS_PER_S,
				     counts->samples, counts->ring_lost);
}

static bool has_checked_enough(const struct record_options *options)
{
	return options->stack_check && stack_check_full(options->stack_check);
}

/* What was needed in a burst goes back to the kernel at once: malloc(3) would raise these limits by
 * itself with each large piece it is given back, and keep them. */
static void keep_memory_small(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_PIECE);
	mallopt(M_TRIM_THRESHOLD, 2 * LARGE_PIECE);
}

/* The busier the machine, the more it matters that rings are emptied in time: the kernel must not
 * make us wait for those we look at. The command has been started and does not inherit it; without
 * the permission we wait like everybody. */
static void go_first(void)
{
	(void)setpriority(PRIO_PROCESS, 0, NICE);
}

static void run_loop(struct recording *recording)
{
	uint64_t flush_ns = (uint64_t)recording->options->flush_cs * (NS_PER_S / 100);
	uint64_t start = recording->profile->run.start_ns;
	uint64_t end = recording->options->duration_s > 0
			       ? start + (uint64_t)(recording->options->duration_s * NS_PER_S)
			       : UINT64_MAX;
	uint64_t next_flush = start + flush_ns, next_progress = start;

	/* The first drain comes at once: files that are mapped now may be gone soon. */
	for (uint64_t wait_ms = 0; !recording->stop;
	     wait_ms = recording->drain_soon ? DRAIN_SOON_MS : DRAIN_MS) {
		uint64_t now = clock_ns();
		uint64_t next_drain = now + wait_ms * NS_PER_MS;

		wait_for_work(recording, next_drain < end ? next_drain : end);
		now = clock_ns();
		if (now >= end)
			recording->stop = true;
		drain(recording, now - SETTLE_MS * NS_PER_MS);
		mend_losses(recording, now);
		refresh_new_processes(recording);
		recording->stop |= record_sampler_gone(recording->options) ||
				   has_checked_enough(recording->options);
		sampler_jitter(recording->sampler);
		if (now >= next_flush) {
			flush(recording);
			next_flush = now + flush_ns;
		}
		report_progress(recording, &next_progress);
	}
}

/* ---- start and end ---- */

static int go(struct recording *recording, struct err *err)
{
	int rc;

	/* What is born or ends during the scan is recorded, and nothing is sampled that it does not
	 * know. */
	sampler_track(recording->sampler);
	rc = scan_processes(recording, err);
	if (rc < 0)
		return rc;
	recording->scanned = true;
	waiting_open(recording->waiting);
	record_facts_begin(recording->facts);
	sampler_enable(recording->sampler);
	recording->looked_up = recording->profile->processes.count;
	if (recording->launch.pid > 0) {
		machine_set_command(recording->machine, recording->launch.pid);
		recording->profile->run.command_pid = (uint64_t)recording->launch.pid;
		rc = launch_go(&recording->launch, err);
		recording->result->launched = rc == 0;
		recording->result->launch_failed = rc < 0;
	}
	return rc;
}

/* Takes some 40 ms, so it is done when the command runs already; but a -K or -L that does not fit
 * must be told before. */
static int load_kernel(struct recording *recording, struct err *err)
{
	const struct kernel_symbols_options options = {
		.system_map = recording->options->system_map,
		.vmlinux = recording->options->vmlinux,
	};
	int rc;

	if (recording->kernel)
		return 0;
	rc = kernel_symbols_new(recording->profile, &options, &recording->kernel, err);
	if (rc < 0)
		return rc;
	recording->frames.kernel = recording->kernel;
	attribution_set_kernel(recording->attribution, recording->kernel);
	record_facts_not_visible(recording->facts, kernel_symbols_hidden(recording->kernel));
	recording->resolver = resolver_new(recording->profile, recording->files, recording->kernel);
	resolver_set_jit(recording->resolver, recording->jit);
	resolver_set_pause(recording->resolver, (struct pause){ drain_between, recording });
	return 0;
}

/* Until the kernel side has tables, stacks come as copies and fill the rings fast: then nothing may
 * keep us from draining. */
static bool copies_come_first(const struct recording *recording)
{
	return sampler_stack_rung(recording->sampler) >= STACK_RUNG_DUMP;
}

static int finish(struct recording *recording, struct err *err)
{
	struct record_end end = { .status = recording->result->status };

	waiting_stop(recording->waiting);
	sampler_disable(recording->sampler);
	record_facts_end(recording->facts);
	drain(recording, UINT64_MAX);
	attribution_finish(recording->attribution, recording->profile->run.end_ns);
	waiting_close(recording->waiting);
	machine_finish(recording->machine);
	jit_finish(recording->jit, clock_ns());
	end.usage = recording->result->ended ? &recording->usage : NULL;
	end.ring_lost = attribution_counts(recording->attribution)->ring_lost;
	end.idle_stream_weight_ns = attribution_counts(recording->attribution)->idle_stream_weight;
	record_facts_settle(recording->facts, &end);
	flush(recording);
	if (recording->store_failed)
		return err_set(err, -EIO, "%s", recording->store_err.text);
	return 0;
}

static int publish(struct recording *recording, struct err *err)
{
	struct record_result *result = recording->result;
	int rc = record_output_publish(&recording->output, err);

	result->kept = !recording->output.temporary;
	snprintf(result->path, sizeof(result->path), "%s", recording->output.path);
	snprintf(result->note, sizeof(result->note), "%s", recording->output.note);
	return rc;
}

static void release(struct recording *recording)
{
	launch_abandon(&recording->launch);
	attribution_free(recording->attribution);
	stacks_free(recording->stacks);
	waiting_free(recording->waiting);
	resolver_free(recording->resolver);
	kernel_symbols_free(recording->kernel);
	machine_free(recording->machine);
	image_files_free(recording->files);
	hot_code_free(recording->hot);
	jit_free(recording->jit);
	exec_watch_free(recording->exec_watch);
	module_watch_free(recording->module_watch);
	record_output_done(&recording->output);
	sampler_free(recording->sampler);
	record_facts_free(recording->facts);
	profile_free(recording->profile);
	if (recording->signal_fd >= 0) {
		close(recording->signal_fd);
		sigprocmask(SIG_SETMASK, &recording->old_mask, NULL);
	}
}

/* Threads on many CPUs and kept files take many descriptors. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int set_up(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;
	int rc = perf_limits_check_rate(options->rate_hz, err);

	if (rc == 0) {
		rc = prepare_command(recording, err);
		recording->result->launch_failed = rc < 0;
	}
	if (rc < 0)
		return rc;
	raise_file_limit();
	rc = take_signals(recording, err);
	if (rc == 0 && options->off_cpu)
		recording->waiting = waiting_new();
	if (rc == 0)
		rc = record_sampler_open(options, recording->launch.pid,
					 waiting_source(recording->waiting), &recording->sampler,
					 err);
	if (rc == 0)
		rc = record_output_open(&recording->output, options->output, recording->profile,
					err);
	if (rc < 0)
		return rc;
	build_model(recording);
	recording->facts = record_facts_new(recording->profile, recording->sampler, options);
	rc = build_waiting(recording, err);
	if (rc < 0)
		return rc;
	return options->system_map || options->vmlinux ? load_kernel(recording, err) : 0;
}

/* A recording with a time limit leaves the command alone and waits for its end. */
static void wait_for_command(struct recording *recording)
{
	struct pollfd fd = { .fd = recording->signal_fd, .events = POLLIN };

	while (recording->result->launched && !recording->result->ended &&
	       recording->signals < SIGNALS_TO_STOP) {
		poll(&fd, 1, -1);
		read_signals(recording);
		reap(recording);
	}
}

int record_run(const struct record_options *options, struct record_result *ret_result,
	       struct err *err)
{
	struct recording recording = {
		.options = options, .result = ret_result, .signal_fd = -1, .profile = profile_new()
	};
	int rc;

	keep_memory_small();
	*ret_result = (struct record_result){ 0 };
	recording.launch = (struct launch){ .pid = -1, .gate = -1, .outcome = -1 };
	rc = set_up(&recording, err);
	if (rc == 0 && copies_come_first(&recording))
		rc = load_kernel(&recording, err);
	if (rc == 0)
		rc = go(&recording, err);
	if (rc == 0)
		rc = load_kernel(&recording, err);
	if (rc < 0) {
		record_output_discard(&recording.output);
	} else {
		go_first();
		run_loop(&recording);
		rc = finish(&recording, err);
		if (rc == 0)
			rc = publish(&recording, err);
		else if (recording.stored)
			publish(&recording, NULL); /* as far as it got */
		wait_for_command(&recording);
	}
	release(&recording);
	return rc;
}
