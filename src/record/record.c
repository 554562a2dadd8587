/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/record.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attribute/attribute.h"
#include "attribute/hot_code.h"
#include "attribute/off_cpu_samples.h"
#include "attribute/process_code.h"
#include "attribute/stacks.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/open_limit.h"
#include "base/xalloc.h"
#include "foreign/foreign.h"
#include "model/who.h"
#include "names/debug_files/debug_files.h"
#include "names/resolver.h"
#include "perf/perf_limits.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"
#include "proc/exec_watch.h"
#include "proc/module_watch.h"
#include "proc/proc_scan.h"
#include "proc/watched_command.h"
#include "proc/who_find.h"
#include "record/command_time.h"
#include "record/record_facts.h"
#include "record/record_input.h"
#include "sampling/off_cpu.h"
#include "sampling/stack_program.h"
#include "store/record_output.h"
#include "store/store.h"

enum {
	DRAIN_MS = 100,
	/* While next to nothing runs, and nothing new: the kernel tells of executed files. A mapping
	 * that is read so late would be gone only if its process is. */
	DRAIN_QUIET_MS = 1000,
	QUIET_SAMPLES = 20, /* a second, at most: no more than otherwise share a period */
	DRAIN_SOON_MS = 10, /* while the kernel side lacks tables */
	/* A record may become visible this long after its time was taken, if a virtual CPU lost its
	 * host CPU in between. Younger records wait for the next drain. */
	SETTLE_MS = 5,
	PROGRESS_MS = 1000,
	NO_DRAIN_MS = 1000,
	FLUSH_AGAIN_MS = 500,
	/* While symbols are read, the next drain waits this many times as long as the last one
	 * took. Otherwise, on a machine that makes samples faster than we get CPU time, each drain
	 * would take longer than the last. Each file has one, so reading would never end. */
	READ_PER_DRAIN = 4,
	MAX_OPEN_IMAGES = 1024,
	LEAST_OPEN_IMAGES = 16, /* with fewer, names are lost */
	NICE = -15,
	LARGE_PIECE = 256 * 1024,
};

/* Everything a recording owns. */
struct recording {
	const struct record_options *options;
	struct record_result *result;
	struct record_output output;
	struct watched_command command;
	struct profile *profile;
	struct sampler *sampler;
	struct foreign *foreign;
	struct readers readers; /* prospect's own, through `foreign` */
	struct image_files *files;
	struct jit *jit;
	struct hot_code *hot;
	struct machine *machine;
	struct kernel_symbols *kernel;
	struct debug_files *debug_files;
	struct resolver *resolver;
	struct exec_watch *exec_watch;
	struct module_watch *module_watch;
	struct frames frames;
	struct process_code *jit_memory;
	struct stacks *stacks;		 /* NULL: not requested */
	struct off_cpu_samples *off_cpu; /* NULL: not requested */
	struct attribution *attribution;
	struct record_facts *facts;
	struct command_time *command_time; /* NULL: no command, no chosen processes */
	struct pids pids;		   /* of what is chosen, and there at the start; */
	struct pids processes, threads;	   /* chosen as a whole, and single threads of others */
	struct record_input input;
	uint64_t drained_ns, drain_took_ns; /* end and duration of the last drain */
	uint64_t no_drain_ns;		    /* reading symbols does not drain before */
	uint64_t taken_ns;		    /* all samples before were attributed */
	uint64_t from_ns, to_ns;	    /* samples of this time are kept; 0: any are */
	uint64_t flush_for_ns;		    /* samples before are awaited in the file; 0: none */
	uint64_t flushed_ns;		    /* taken_ns of the last flush */
	bool begun;			    /* from_ns has come */
	bool rings_hung_up;
	bool drain_soon, quiet;
	bool stop;
	struct err store_err;	   /* of the last failed flush */
	bool store_failed, stored; /* @stored: samples are in the file */
};

/* ---- setting up ---- */

/* Compiling the rows of a large file takes longer than filling a ring. */
static void keep_up(void *context)
{
	const struct recording *recording = context;

	if (recording->sampler)
		sampler_keep_up(recording->sampler);
}

static void build_stacks(struct recording *recording)
{
	struct stacks_parts parts;

	if (sampler_stack_rung(recording->sampler) == STACK_RUNG_NONE)
		return;
	recording->jit_memory = process_code_new(recording->foreign);
	parts = (struct stacks_parts){ .frames = &recording->frames,
				       .machine = recording->machine,
				       .files = recording->files,
				       .tables = sampler_stack_tables(recording->sampler),
				       .max_depth = recording->options->max_depth
							    ? recording->options->max_depth
							    : SAMPLER_MAX_DEPTH,
				       .observer = recording->options->observer,
				       .pause = { keep_up, recording },
				       .jit_memory = recording->jit_memory };
	recording->stacks = stacks_new(&parts);
}

static struct who_tasks chosen_tasks(const struct recording *recording)
{
	const pid_t *command = &recording->command.launch.pid;

	if (*command > 0)
		return (struct who_tasks){ .processes = command, .process_count = 1 };
	return (struct who_tasks){ .processes = recording->processes.items,
				   .process_count = recording->processes.count,
				   .threads = recording->threads.items,
				   .thread_count = recording->threads.count };
}

/* Descriptors for BPF programs and maps, the profile and /proc: all but the images. */
static size_t own_files(const struct record_options *options)
{
	enum { RECORDER = 56, WAITS = 32, EACH_CPU = 6 };
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN);

	return RECORDER + (options->off_cpu ? WAITS : 0) + cpus * (EACH_CPU + options->event_count);
}

static void build_model(struct recording *recording)
{
	size_t images = open_limit_rest(own_files(recording->options));
	struct attribution_parts parts;

	recording->files = image_files_new(recording->profile,
					   images < MAX_OPEN_IMAGES ? images : MAX_OPEN_IMAGES);
	image_files_set_readers(recording->files, &recording->readers);
	recording->jit = jit_new(recording->profile);
	jit_set_foreign(recording->jit, recording->foreign);
	recording->hot = hot_code_new(recording->profile, recording->files, recording->jit);
	recording->machine = machine_new(recording->profile, image_files_link, recording->files);
	recording->frames = (struct frames){ .profile = recording->profile, .jit = recording->jit };
	build_stacks(recording);
	parts = (struct attribution_parts){ .frames = &recording->frames,
					    .stacks = recording->stacks,
					    .off_cpu = recording->off_cpu,
					    .profile = recording->profile,
					    .machine = recording->machine,
					    .files = recording->files,
					    .jit = recording->jit,
					    .hot = recording->hot,
					    .writer = recording->output.writer };
	recording->input = (struct record_input){ .options = recording->options,
						  .pids = &recording->pids,
						  .chosen = chosen_tasks(recording),
						  .sampler = recording->sampler,
						  .profile = recording->profile,
						  .machine = recording->machine,
						  .foreign = recording->foreign,
						  .command = recording->command.launch.pid };
	parts.source = record_input_source(&recording->input);
	if (record_input_selects(&recording->input))
		parts.only = recording->options->who;
	parts.from_ns = recording->from_ns;
	parts.to_ns = recording->to_ns;
	parts.foreign_pid_namespace = !proc_scan_sees_all_pids();
	recording->attribution = attribution_new(&parts);
	recording->input.attribution = recording->attribution;
	/* Used where permitted; without them files and modules are found less reliably. */
	(void)exec_watch_new(&recording->exec_watch, NULL);
	(void)module_watch_new(&recording->module_watch);
}

static int build_off_cpu(struct recording *recording, struct err *err)
{
	/* Of others, only processes that start later can be chosen: all are followed. */
	bool selects = record_input_selects(&recording->input);
	_cleanup_free_ struct off_cpu_output *outputs =
		xcalloc(sampler_cpus(recording->sampler), sizeof(*outputs));
	struct stack_program_maps maps;
	struct off_cpu_samples_parts parts = { .profile = recording->profile,
					       .machine = recording->machine,
					       .outputs = outputs,
					       .output_count = sampler_wait_outputs(
						       recording->sampler, outputs),
					       .frames = &recording->frames,
					       .stacks = recording->stacks,
					       .writer = recording->output.writer,
					       .only_chosen = recording->pids.count > 0,
					       .only = selects ? recording->options->who : NULL };

	if (sampler_stack_maps(recording->sampler, &maps))
		parts.maps = &maps;
	if (!selects)
		parts.chosen = chosen_tasks(recording);
	return recording->off_cpu ? off_cpu_samples_prepare(recording->off_cpu, &parts, err) : 0;
}

/* ---- orders, and when it begins ---- */

static void take_order(struct recording *recording, const struct record_order *order)
{
	switch (order->kind) {
	case RECORD_MARK:
		profile_add_mark(recording->profile, order->time_ns, order->text);
		break;
	case RECORD_FLUSH:
		if (order->time_ns > recording->flush_for_ns)
			recording->flush_for_ns = order->time_ns;
		break;
	case RECORD_BEGIN:
		if (!recording->begun)
			recording->from_ns = order->time_ns;
		break;
	case RECORD_END:
		if (order->time_ns > recording->taken_ns)
			recording->to_ns = order->time_ns;
		break;
	}
	attribution_set_times(recording->attribution, recording->from_ns, recording->to_ns);
	off_cpu_samples_set_times(recording->off_cpu, recording->from_ns, recording->to_ns);
}

static void take_orders(struct recording *recording)
{
	const struct record_orders *orders = recording->options->orders;
	struct record_order order;

	while (orders && orders->next(orders->context, &order))
		take_order(recording, &order);
}

/* If its time is still to come, what is written before says so. */
static void begin_facts(struct recording *recording)
{
	take_orders(recording);
	record_facts_begin(recording->facts,
			   recording->from_ns > clock_ns() ? recording->from_ns : 0);
}

/* What is counted over the run is counted from recording->from_ns on, once that has come. Returns when
 * to call it again. */
static uint64_t begin_run(struct recording *recording, uint64_t now)
{
	if (recording->begun)
		return UINT64_MAX;
	if (now < recording->from_ns)
		return recording->from_ns;
	if (recording->profile->run.start_ns <= recording->from_ns)
		record_facts_begin(recording->facts, recording->from_ns);
	recording->begun = true;
	return UINT64_MAX;
}

/* ---- while it runs ---- */

static void offer_file(void *context, int fd)
{
	image_files_offer(context, fd);
}

static void take_record(void *context, const struct perf_record *record)
{
	struct recording *recording = context;

	command_time_take(recording->command_time, record);
	attribution_take(recording->attribution, record);
}

static void drain_now(struct recording *recording)
{
	sampler_drain(recording->sampler, clock_ns(), take_record, recording);
}

/* Attributes samples in a removed module before its symbols are forgotten. If others were added
 * meanwhile, the order is not known: addresses they share get no names. */
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
	uint64_t begin_ns = clock_ns(),
		 samples = attribution_counts(recording->attribution).samples;
	int executed = -1;

	if (recording->exec_watch)
		executed = exec_watch_drain(recording->exec_watch, offer_file, recording->files);
	follow_modules(recording);
	jit_follow(recording->jit, clock_ns());
	sampler_drain(recording->sampler, cutoff_ns, take_record, recording);
	recording->taken_ns = cutoff_ns;
	if (!recording->off_cpu && command_time_gives_up(recording->command_time))
		sampler_stop_waits(recording->sampler);
	if (recording->stacks)
		recording->drain_soon = stacks_settle(recording->stacks);
	samples = attribution_counts(recording->attribution).samples - samples;
	recording->quiet = recording->options->rests && !recording->off_cpu && executed == 0 &&
			   samples * NS_PER_S <= QUIET_SAMPLES * (begin_ns - recording->drained_ns);
	recording->drained_ns = clock_ns();
	recording->drain_took_ns = recording->drained_ns - begin_ns;
}

/* Reading the symbols of a large file takes longer than filling a ring. */
static void drain_between(void *context)
{
	struct recording *recording = context;
	uint64_t now = clock_ns();

	if (now < recording->no_drain_ns ||
	    now - recording->drained_ns < READ_PER_DRAIN * recording->drain_took_ns)
		sampler_keep_up(recording->sampler);
	else
		drain(recording, now - SETTLE_MS * NS_PER_MS);
}

/* When what is awaited in the file can be flushed: those who ask all the time must not make the
 * recorder write all the time. */
static uint64_t flush_due(const struct recording *recording)
{
	uint64_t again_ns = recording->flushed_ns + FLUSH_AGAIN_MS * NS_PER_MS;

	if (!recording->flush_for_ns)
		return UINT64_MAX;
	return SETTLE_MS * NS_PER_MS +
	       (recording->flush_for_ns > again_ns ? recording->flush_for_ns : again_ns);
}

static void tell_flushed(struct recording *recording)
{
	const struct record_orders *orders = recording->options->orders;
	const struct record_flushed flushed = {
		.until_ns = recording->taken_ns,
		.marks = recording->profile->marks.count,
		.reason = recording->store_failed ? recording->store_err.text : NULL,
	};

	if (orders)
		orders->flushed(orders->context, &flushed);
	recording->flushed_ns = recording->taken_ns;
	if (recording->flush_for_ns <= recording->taken_ns)
		recording->flush_for_ns = 0;
}

/* While files are read, drains bring more code. Most of its files are known by then, so that it gets
 * names before the next drain. */
static void find_names(struct recording *recording)
{
	uint64_t drained_ns = recording->drained_ns;

	resolver_run(recording->resolver);
	if (recording->drained_ns == drained_ns)
		return;
	recording->no_drain_ns = clock_ns() + NO_DRAIN_MS * NS_PER_MS;
	resolver_run(recording->resolver);
	recording->no_drain_ns = 0;
}

static void flush(struct recording *recording)
{
	int rc;

	if (!recording->module_watch)
		kernel_symbols_modules_changed(recording->kernel);
	find_names(recording);
	hot_code_keep_jit(recording->hot);
	if (recording->profile->run.end_ns) {
		hot_code_keep_all(recording->hot, recording->kernel);
		hot_code_tell_dropped_lines(recording->profile, recording->jit);
	}
	jit_rest(recording->jit);
	if (!recording->profile->run.end_ns)
		record_facts_add_time(recording->facts);
	recording->profile->run.flushes++;
	rc = record_output_flush(&recording->output, &recording->store_err);
	recording->store_failed = rc < 0;
	if (rc == 0)
		machine_forget(recording->machine);
	tell_flushed(recording);
	recording->stored |= rc == 0 && attribution_counts(recording->attribution).samples > 0;
}

/* Sleeps until a drain is due, a ring fills, a module comes or goes, or a signal or an order
 * arrives; after a quiet drain also until a file is executed. */
static void wait_for_work(struct recording *recording, uint64_t until_ns)
{
	enum { FIXED_FDS = 4 };
	const int *ring_fds;
	size_t rings = sampler_poll_fds(recording->sampler, &ring_fds);
	_cleanup_free_ struct pollfd *fds = xcalloc(FIXED_FDS + rings, sizeof(*fds));
	uint64_t now = clock_ns();
	uint64_t left_ns = until_ns > now ? until_ns - now : 0;
	struct timespec timeout = { (time_t)(left_ns / NS_PER_S), (long)(left_ns % NS_PER_S) };

	fds[0] = (struct pollfd){ .fd = recording->command.signal_fd, .events = POLLIN };
	fds[1] = fds[2] = fds[3] = (struct pollfd){ .fd = -1, .events = POLLIN };
	if (recording->module_watch)
		fds[1].fd = module_watch_fd(recording->module_watch);
	if (recording->options->orders)
		fds[2].fd = recording->options->orders->fd;
	if (recording->quiet)
		fds[3].fd = exec_watch_fd(recording->exec_watch);
	/* After a thread ends, its ring hangs up, and poll would return at once forever. From then
	 * on only the timeout wakes us. */
	for (size_t i = 0; i < rings && !recording->rings_hung_up; i++)
		fds[FIXED_FDS + i] = (struct pollfd){ .fd = ring_fds[i], .events = POLLIN };
	ppoll(fds, recording->rings_hung_up ? FIXED_FDS : FIXED_FDS + rings, &timeout, NULL);
	for (size_t i = 0; i < rings; i++)
		recording->rings_hung_up |= (fds[FIXED_FDS + i].revents & (POLLHUP | POLLERR)) != 0;
	watched_command_read(&recording->command);
	recording->stop |= recording->command.stop;
}

static void report_progress(struct recording *recording, uint64_t *next_ns)
{
	const struct attribution_counts counts = attribution_counts(recording->attribution);
	uint64_t start = recording->profile->run.start_ns, now = clock_ns();

	if (!recording->options->progress || now < *next_ns)
		return;
	*next_ns = now + PROGRESS_MS * NS_PER_MS;
	recording->options->progress(recording->options->progress_context,
				     now > start ? (double)(now - start) / NS_PER_S : 0,
				     counts.samples, counts.ring_lost);
}

static uint64_t end_of_loop(const struct recording *recording, uint64_t start)
{
	double duration_s = recording->options->duration_s;
	uint64_t end = recording->to_ns ? recording->to_ns : UINT64_MAX;
	uint64_t duration_ns = (uint64_t)(duration_s * NS_PER_S);

	return duration_s > 0 && start + duration_ns < end ? start + duration_ns : end;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t until_next_drain(const struct recording *recording)
{
	if (recording->drain_soon)
		return DRAIN_SOON_MS;
	return recording->quiet ? DRAIN_QUIET_MS : DRAIN_MS;
}

static void run_loop(struct recording *recording)
{
	const struct stack_observer *observer = recording->options->observer;
	uint64_t flush_ns = (uint64_t)recording->options->flush_cs * (NS_PER_S / 100);
	uint64_t start = recording->profile->run.start_ns;
	uint64_t begin = UINT64_MAX; /* when to call begin_run */
	uint64_t next_flush = start + flush_ns, next_progress = 0;

	take_orders(recording);
	begin = begin_run(recording, clock_ns());
	/* The first drain comes at once: files mapped now may be gone soon. */
	for (uint64_t wait_ms = 0; !recording->stop; wait_ms = until_next_drain(recording)) {
		uint64_t now = clock_ns();
		uint64_t next_drain = now + wait_ms * NS_PER_MS;

		wait_for_work(recording,
			      least(least(next_drain, begin),
				    least(flush_due(recording), end_of_loop(recording, start))));
		now = clock_ns();
		take_orders(recording);
		begin = begin_run(recording, now);
		if (now >= end_of_loop(recording, start))
			recording->stop = true;
		if (recording->stop)
			command_time_end(recording->command_time);
		drain(recording, now - SETTLE_MS * NS_PER_MS);
		record_input_rescan(&recording->input, now);
		record_input_refresh(&recording->input);
		recording->stop |= record_input_gone(&recording->input) ||
				   (observer && observer->has_enough(observer->context));
		sampler_jitter(recording->sampler);
		if (now >= next_flush || now >= flush_due(recording)) {
			flush(recording);
			next_flush = now + flush_ns;
		}
		report_progress(recording, &next_progress);
	}
}

/* ---- start and end ---- */

static void begin_command_time(struct recording *recording)
{
	const struct who_tasks tasks = chosen_tasks(recording);

	if (recording->command.launch.pid > 0)
		command_time_await(recording->command_time, &tasks);
	else
		command_time_begin(recording->command_time, &tasks);
}

static int go(struct recording *recording, struct err *err)
{
	int rc;

	/* Tracking starts before the scan, so births and exits meanwhile are recorded. Sampling
	 * starts after it, so no sample has an unknown thread. */
	sampler_track(recording->sampler);
	rc = record_input_fill(&recording->input, err);
	if (rc < 0)
		return rc;
	off_cpu_samples_open(recording->off_cpu, recording->from_ns);
	off_cpu_samples_set_times(recording->off_cpu, recording->from_ns, recording->to_ns);
	begin_facts(recording);
	sampler_enable(recording->sampler);
	begin_command_time(recording);
	if (recording->command.launch.pid > 0) {
		machine_await_command(recording->machine, recording->command.launch.pid);
		recording->profile->run.command_pid = (uint64_t)recording->command.launch.pid;
		rc = watched_command_go(&recording->command, err);
	}
	return rc;
}

/* Takes about 40 ms, so it runs after the command has started. With -K or -L it runs before, to
 * report a file that does not fit. */
static int load_kernel(struct recording *recording, struct err *err)
{
	const struct kernel_symbols_options options = {
		.system_map = recording->options->system_map,
		.vmlinux = recording->options->vmlinux,
	};
	const struct debug_options debug_options = {
		.folders = recording->options->debug_folders,
		.folder_count = recording->options->debug_folder_count,
		.foreign = recording->foreign,
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
	recording->debug_files = debug_files_new(&debug_options);
	recording->resolver =
		resolver_new(&(struct symbol_parts){ .profile = recording->profile,
						     .files = recording->files,
						     .debug_files = recording->debug_files,
						     .kernel = recording->kernel,
						     .jit = recording->jit,
						     .pause = { drain_between, recording } });
	return 0;
}

/* Processes whose mappings, announcements or code could not be read in time. */
static uint64_t late_processes(const struct recording *recording)
{
	return recording->input.late + jit_far(recording->jit) +
	       process_code_late(recording->jit_memory);
}

static int finish(struct recording *recording, struct err *err)
{
	struct record_end end = { .status = recording->command.outcome.status };
	struct sampler_losses losses;

	command_time_end(recording->command_time);
	off_cpu_samples_stop(recording->off_cpu);
	sampler_disable(recording->sampler);
	record_facts_end(recording->facts);
	if (recording->to_ns)
		recording->profile->run.end_ns =
			least(recording->profile->run.end_ns, recording->to_ns);
	drain(recording, UINT64_MAX);
	record_input_refresh(&recording->input);
	attribution_finish(recording->attribution, recording->profile->run.end_ns);
	if (recording->off_cpu)
		off_cpu_samples_close(recording->off_cpu,
				      sampler_losses(recording->sampler).streams[STREAM_WAITS]);
	losses = sampler_losses(recording->sampler);
	machine_finish(recording->machine);
	jit_finish(recording->jit, clock_ns());
	end.usage = recording->command.outcome.ended ? &recording->command.usage : NULL;
	end.ring_lost = attribution_counts(recording->attribution).ring_lost;
	end.idle_stream_weight_ns = attribution_counts(recording->attribution).idle_stream_weight;
	command_time_settle(recording->command_time, end.usage,
			    losses.known ? losses.streams[STREAM_WAITS] : end.ring_lost,
			    record_input_chose_later(&recording->input));
	record_facts_settle(recording->facts, &end);
	record_facts_settle_late(recording->facts, late_processes(recording));
	flush(recording);
	/* The facts should include the last flush. If storing them again fails, they lack it. */
	record_facts_settle_self(recording->facts);
	record_facts_settle_late(recording->facts, late_processes(recording));
	if (!recording->store_failed)
		(void)record_output_flush(&recording->output, NULL);
	if (recording->store_failed)
		return err_set(err, -EIO, "%s", recording->store_err.text);
	return 0;
}

static int publish(struct recording *recording, struct err *err)
{
	struct record_result *result = recording->result;
	int rc = record_output_publish(&recording->output, err);

	if (rc == -ENOENT)
		return rc;
	result->kept = !recording->output.temporary;
	snprintf(result->path, sizeof(result->path), "%s", recording->output.path);
	snprintf(result->note, sizeof(result->note), "%s", recording->output.note);
	return rc;
}

static void release(struct recording *recording)
{
	attribution_free(recording->attribution);
	stacks_free(recording->stacks);
	process_code_free(recording->jit_memory);
	off_cpu_samples_free(recording->off_cpu);
	resolver_free(recording->resolver);
	debug_files_free(recording->debug_files);
	kernel_symbols_free(recording->kernel);
	machine_free(recording->machine);
	image_files_free(recording->files);
	foreign_free(recording->foreign);
	hot_code_free(recording->hot);
	jit_free(recording->jit);
	exec_watch_free(recording->exec_watch);
	module_watch_free(recording->module_watch);
	record_output_done(&recording->output);
	sampler_free(recording->sampler);
	record_facts_free(recording->facts);
	command_time_free(recording->command_time);
	profile_free(recording->profile);
	watched_command_done(&recording->command);
	vec_free(&recording->pids);
	vec_free(&recording->processes);
	vec_free(&recording->threads);
}

static enum sampler_waits waits_source(const struct recording *recording)
{
	return command_time_source(recording->command_time,
				   off_cpu_samples_source(recording->off_cpu));
}

static int set_up(struct recording *recording, struct err *err)
{
	const struct record_options *options = recording->options;
	struct who_tasks tasks;
	int rc = perf_limits_check_rate(options->rate_hz, err);

	recording->foreign = foreign_new((struct pause){ keep_up, recording });
	recording->readers.foreign = recording->foreign;
	recording->command.foreign = recording->foreign;
	if (rc == 0)
		rc = open_limit_check(own_files(options) + LEAST_OPEN_IMAGES, "recording", err);
	if (rc == 0 && options->who)
		rc = who_find(options->who, recording->foreign, &recording->pids, err);
	if (rc == 0 && options->who)
		who_divide(options->who, &recording->pids, &recording->processes,
			   &recording->threads);
	if (rc == 0)
		rc = watched_command_prepare(&recording->command, options->argv, options->as_user,
					     err);
	if (rc < 0)
		return rc;
	open_limit_raise();
	signal(SIGXFSZ, SIG_IGN); /* a file size limit becomes an error of the flush */
	rc = watched_command_take_signals(&recording->command, err);
	if (rc == 0 && options->off_cpu)
		recording->off_cpu = off_cpu_samples_new();
	/* Without BPF it would count the time before, too. */
	if (rc == 0 && options->from_ns &&
	    off_cpu_samples_source(recording->off_cpu) == SAMPLER_WAITS_SWITCHES)
		rc = err_set(err, -ENOTSUP, "off-CPU time of a history needs BPF: run as root");
	if (rc == 0 && (options->argv || options->who))
		recording->command_time = command_time_new(recording->profile);
	tasks = chosen_tasks(recording);
	if (rc == 0)
		rc = record_input_open(options, &tasks, &recording->pids, waits_source(recording),
				       &recording->sampler, err);
	if (rc == 0)
		rc = record_output_open(&recording->output, options->output, recording->profile,
					err);
	if (rc < 0)
		return rc;
	store_note_origin(recording->output.writer);
	build_model(recording);
	recording->facts = record_facts_new(recording->profile, recording->sampler, options);
	/* If prospect is killed during the scan, the file says what it is. A failure is not final
	 * yet: everything is kept for the next flush. */
	begin_facts(recording);
	(void)record_output_flush(&recording->output, NULL);
	rc = build_off_cpu(recording, err);
	if (rc < 0)
		return rc;
	return options->system_map || options->vmlinux ? load_kernel(recording, err) : 0;
}

int record_run(const struct record_options *options, struct record_result *ret_result,
	       struct err *err)
{
	struct recording recording = { .options = options,
				       .result = ret_result,
				       .command = WATCHED_COMMAND_NONE,
				       .from_ns = options->from_ns,
				       .to_ns = options->to_ns,
				       .profile = profile_new() };
	int rc;

	/* Returns memory to the kernel at once after a burst. By default malloc(3) raises these
	 * limits with each large piece that is freed, and keeps the memory. */
	mallopt(M_MMAP_THRESHOLD, LARGE_PIECE);
	mallopt(M_TRIM_THRESHOLD, 2 * LARGE_PIECE);
	*ret_result = (struct record_result){ 0 };
	rc = set_up(&recording, err);
	/* Until the kernel side has tables, stacks come as copies and fill the rings fast, and
	 * nothing may delay draining. */
	if (rc == 0 && sampler_stack_rung(recording.sampler) >= STACK_RUNG_DUMP)
		rc = load_kernel(&recording, err);
	if (rc == 0)
		rc = go(&recording, err);
	if (rc == 0)
		rc = load_kernel(&recording, err);
	if (rc < 0) {
		record_output_discard(&recording.output);
	} else {
		/* Busy machines need prompt draining most: the kernel should not let prospect wait
		 * for the profiled threads. The command was started before and does not inherit
		 * this. Without the permission the priority stays as it is. */
		(void)setpriority(PRIO_PROCESS, 0, NICE);
		run_loop(&recording);
		rc = finish(&recording, err);
		if (rc == 0)
			rc = publish(&recording, err);
		else if (recording.stored)
			publish(&recording, NULL); /* what was stored so far */
		else if (recording.output.in_state_folder)
			record_output_discard(&recording.output);
		watched_command_wait(&recording.command);
	}
	ret_result->outcome = recording.command.outcome;
	release(&recording);
	return rc;
}
