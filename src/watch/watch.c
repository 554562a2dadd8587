/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/open_limit.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "proc/proc_scan.h"
#include "proc/watched_command.h"
#include "watch/watch_budget.h"

enum {
	/* The limit for attaching plus detaching without --yes. */
	SLOW_S = 15,
	TELL_S = 2, /* announce what takes longer */
	/* Histograms need reading now and then, even without ticks. */
	READ_AT_LEAST_S = 10,
};

#define CHECK_NS (NS_PER_S / WATCH_BUDGET_CHECKS)

/* ---- the differences of an interval ---- */

/* A place's counts at the last call, and its histograms. */
struct before {
	struct probe_counts counts;
	uint64_t *latency, *values; /* sums, then their differences; NULL: none yet */
};

struct deltas {
	size_t latencies, value_buckets; /* of the rows' histograms */
	VEC(struct before) befores;	 /* by place */
	VEC(struct probe_row) rows;
};

/* The difference; *@before keeps the highest value. */
static uint64_t advance(uint64_t *before, uint64_t now)
{
	uint64_t difference = now > *before ? now - *before : 0;

	*before += difference;
	return difference;
}

static void advance_counts(struct probe_counts *before, struct probe_counts *counts)
{
	uint64_t inside = counts->inside, longest_ns = counts->longest_ns;
	uint64_t *sums = (uint64_t *)before, *values = (uint64_t *)counts;

	_Static_assert(sizeof(*before) % sizeof(*sums) == 0, "nothing but numbers");
	for (size_t i = 0; i < sizeof(*before) / sizeof(*sums); i++)
		values[i] = advance(&sums[i], values[i]);
	counts->inside = inside;
	counts->longest_ns = longest_ns;
}

static const uint64_t *advance_histogram(uint64_t **before, const uint64_t *now, size_t count)
{
	if (!now)
		return NULL;
	if (!*before)
		*before = xcalloc(2 * count, sizeof(**before));
	for (size_t i = 0; i < count; i++)
		(*before)[count + i] = advance(&(*before)[i], now[i]);
	return *before + count;
}

static struct before *before_at(struct deltas *deltas, size_t place)
{
	while (deltas->befores.count <= place)
		*vec_push(&deltas->befores) = (struct before){ .latency = NULL };
	return &deltas->befores.items[place];
}

/* The rows of @reading, with the differences to the last call. Borrowed until the next call. A sum
 * that was too high for open calls may fall: then its difference is 0 until it exceeds its highest
 * value. */
static const struct probe_row *take_deltas(struct deltas *deltas,
					   const struct probe_reading *reading)
{
	deltas->rows.count = 0;
	for (size_t i = 0; i < reading->row_count; i++) {
		struct probe_row row = reading->rows[i];
		struct before *before = before_at(deltas, row.place);

		advance_counts(&before->counts, &row.counts);
		row.latency = advance_histogram(&before->latency, row.latency, deltas->latencies);
		row.values = advance_histogram(&before->values, row.values, deltas->value_buckets);
		*vec_push(&deltas->rows) = row;
	}
	return deltas->rows.items;
}

static void deltas_done(struct deltas *deltas)
{
	for (size_t i = 0; i < deltas->befores.count; i++) {
		free(deltas->befores.items[i].latency);
		free(deltas->befores.items[i].values);
	}
	vec_free(&deltas->befores);
	vec_free(&deltas->rows);
}

struct watching {
	const struct watch_options *options;
	struct watched_command command;
	struct probe_options probe_options;
	struct probes *probes;
	struct deltas deltas;
	struct watch_budget budget;
	struct watch_setting setting;
	struct probe_outcome *outcomes;
	VEC(struct probe_row) rows; /* of one tick */
	struct probe_cost cost_before;
	uint64_t began_ns, ticked_ns, last_read_ns;
	enum watch_end end;
};

/* ---- locks ---- */

/*
 * To probe a file, the kernel writes to each process that has mapped it and waits for the lock of
 * its memory. Meanwhile no process on the machine can fork. A process may hold that lock while it
 * waits for a file system. If that never answers, the whole machine hangs and prospect cannot be
 * killed. So such a process must be found before attaching.
 */

struct lock_search {
	const struct probe_options *probes;
	const char *library; /* among targets and places; NULL: none */
	int32_t pid;	     /* whose memory lock is held; 0: none yet */
	const char *file;    /* that the process may have mapped */
	char comm[64];
};

/* The first file of the targets and places for which @fits is true; NULL: none. */
static const char *find_file(const struct probe_options *probes,
			     bool (*fits)(const char *path, const char *wanted), const char *wanted)
{
	for (size_t i = 0; i < probes->target_count; i++) {
		if (probes->targets[i].user && fits(probes->targets[i].path, wanted))
			return probes->targets[i].path;
	}
	for (size_t i = 0; i < probes->place_count; i++) {
		if (fits(probes->places[i].path, wanted))
			return probes->places[i].path;
	}
	return NULL;
}

/* Not only processes that execute it may have mapped it. A path in map_files may be any file. */
static bool is_library(const char *path, const char *wanted)
{
	(void)wanted;
	return strstr(file_base(path), ".so") || strstr(path, "/map_files/");
}

static bool is_program(const char *path, const char *wanted)
{
	return strcmp(file_base(path), file_base(wanted)) == 0;
}

/* The arguments are in the process's memory, so reading them needs its lock. */
static bool is_locked(struct foreign *foreign, int32_t pid)
{
	struct buf text = { 0 };
	int rc = door_read_proc(foreign, pid, "cmdline", 1, &text);

	buf_done(&text);
	return rc == -ETIMEDOUT;
}

static void look_at_process(void *context, const struct proc_info *info)
{
	struct lock_search *search = context;
	const char *file = search->library;

	if (search->pid || info->kernel_thread)
		return;
	if (!file && *info->executable)
		file = find_file(search->probes, is_program, info->executable);
	if (!file || !is_locked(search->probes->foreign, info->pid))
		return;
	search->pid = info->pid;
	search->file = file;
	memcpy(search->comm, info->comm, sizeof(search->comm));
}

/* -EBUSY with the process: its memory lock is held, and it may have mapped a file of the targets or
 * places. For a program, these are the processes whose program has the same name; for a library,
 * all processes. */
static int check_locks(const struct probe_options *probes, struct err *err)
{
	struct lock_search search = { .probes = probes,
				      .library = find_file(probes, is_library, NULL) };
	const struct proc_visitor visitor = { .process = look_at_process,
					      .context = &search,
					      .foreign = probes->foreign };

	if (probes->foreign)
		(void)proc_scan_all(&visitor, NULL);
	if (!search.pid)
		return 0;
	return err_set(err, -EBUSY,
		       "process %" PRId32
		       " (%s) holds its memory lock while it waits for a file system that does not "
		       "answer, and a probe of %s would hang the machine: end that process first, "
		       "or watch other files",
		       search.pid, search.comm, search.file);
}

/* ---- attaching ---- */

static bool give_up(void *context)
{
	struct watching *watching = context;

	watched_command_read(&watching->command);
	return watching->command.outcome.stop_signal != 0;
}

static void tell_progress(void *context, const char *act, size_t done, size_t count)
{
	const struct watch_options *options = ((const struct watching *)context)->options;

	if (options->progress)
		options->progress(options->tell_context, act, done, count);
}

static void tell_slow(const struct watching *watching, double attach_s, double detach_s)
{
	const struct watch_options *options = watching->options;

	if (attach_s + detach_s > TELL_S && options->tell)
		options->tell(options->tell_context, attach_s, detach_s);
}

/* A kernel without multi links takes long for each function. */
static int check_slow(struct watching *watching, struct err *err)
{
	struct probe_forecast forecast = probes_forecast(watching->probes, false);
	double attach_s = (double)forecast.attach_ns / NS_PER_S;
	double detach_s = (double)forecast.detach_ns / NS_PER_S;

	if (attach_s + detach_s > SLOW_S && !watching->options->even_slow)
		return err_set(
			err, -EBUSY,
			"this kernel attaches probes one at a time: about %.0f s for %zu functions "
			"and %.0f s to detach them; watch fewer functions, or use --yes",
			attach_s, watching->probe_options.target_count, detach_s);
	tell_slow(watching, attach_s, detach_s);
	return 0;
}

static void describe(struct watching *watching, uint64_t attach_ns)
{
	const struct probe_options *options = &watching->probe_options;
	struct watch_setting *setting = &watching->setting;

	watching->outcomes = xcalloc(options->target_count, sizeof(*watching->outcomes));
	*setting = (struct watch_setting){
		.targets = options->targets,
		.outcomes = watching->outcomes,
		.target_count = options->target_count,
		.key = options->key,
		.errors_told = options->error_if != NULL,
		.latency = probes_latency_scale(watching->probes),
		.values = probes_value_scale(watching->probes),
		.attach_ns = attach_ns,
		.interval_ns = (uint64_t)(watching->options->interval_s * NS_PER_S),
	};
	for (size_t i = 0; i < options->target_count; i++) {
		watching->outcomes[i] = *probes_outcome(watching->probes, i);
		setting->attached += watching->outcomes[i].mechanism != PROBE_NONE;
	}
}

static int cannot_show(int rc, struct err *err)
{
	return err_set(err, rc, "cannot write the counts: %s", strerror(-rc));
}

static int attach(struct watching *watching, struct err *err)
{
	uint64_t began_ns;
	int rc = probes_new(&watching->probe_options, &watching->probes, err);

	if (rc == 0)
		rc = check_slow(watching, err);
	if (rc == 0)
		rc = check_locks(&watching->probe_options, err);
	began_ns = clock_ns();
	if (rc == 0)
		rc = probes_attach(watching->probes, err);
	if (rc < 0)
		return rc;
	describe(watching, clock_ns() - began_ns);
	watching->deltas.latencies = watching->setting.latency.count;
	watching->deltas.value_buckets = watching->setting.values.count;
	rc = watching->options->view.begin(watching->options->view.context, &watching->setting);
	return rc < 0 ? cannot_show(rc, err) : 0;
}

/* ---- ticks ---- */

/* Leaves out rows of targets that could not be attached. */
static void choose_rows(struct watching *watching, const struct probe_row *rows, size_t count,
			struct watch_tick *tick)
{
	watching->rows.count = 0;
	for (size_t i = 0; i < count; i++) {
		if (watching->outcomes[rows[i].target].mechanism != PROBE_NONE)
			*vec_push(&watching->rows) = rows[i];
	}
	tick->rows = watching->rows.items;
	tick->row_count = watching->rows.count;
}

static struct probe_cost cost_since(const struct probe_cost *now, const struct probe_cost *before)
{
	return (struct probe_cost){
		.hits = now->hits - before->hits,
		.program_ns = now->program_ns - before->program_ns,
		.trap_ns = now->trap_ns - before->trap_ns,
		.missed = now->missed - before->missed,
		.keys_lost = now->keys_lost - before->keys_lost,
		.threads_lost = now->threads_lost - before->threads_lost,
		.sites_lost = now->sites_lost - before->sites_lost,
		.sites = now->sites,
	};
}

static int tick(struct watching *watching, const struct probe_reading *reading)
{
	struct watch_tick tick = { .from_ns = watching->ticked_ns,
				   .to_ns = reading->time_ns,
				   .began_ns = watching->began_ns,
				   .cost = cost_since(&reading->cost, &watching->cost_before),
				   .end = watching->end };

	choose_rows(watching, take_deltas(&watching->deltas, reading), reading->row_count, &tick);
	watching->ticked_ns = reading->time_ns;
	watching->cost_before = reading->cost;
	return watching->options->view.tick(watching->options->view.context, &tick);
}

static bool are_gone(const struct probe_filter *filter)
{
	for (size_t i = 0; i < filter->pid_count; i++) {
		if (kill(filter->pids[i], 0) == 0 || errno != ESRCH)
			return false;
	}
	return filter->pid_count > 0;
}

static uint64_t cost_ns(const struct watching *watching)
{
	struct probe_cost cost = probes_cost(watching->probes);

	return cost.program_ns + cost.trap_ns;
}

static enum watch_end find_end(struct watching *watching, uint64_t end_ns, bool check_cost)
{
	const struct watched_command *command = &watching->command;
	uint64_t now_ns;

	watched_command_read(&watching->command);
	if (command->outcome.ended)
		return WATCH_COMMAND;
	if (command->stop)
		return WATCH_STOPPED;
	now_ns = clock_ns();
	if (now_ns >= end_ns)
		return WATCH_DURATION;
	if (check_cost && watch_budget_passed(&watching->budget, now_ns, cost_ns(watching)))
		return WATCH_BUDGET;
	if (!watching->options->argv && are_gone(&watching->probe_options.filter))
		return WATCH_GONE;
	return WATCH_GOES_ON;
}

static void wait_until(const struct watching *watching, uint64_t until_ns)
{
	struct pollfd fds[] = {
		{ .fd = watching->command.signal_fd, .events = POLLIN },
		{ .fd = probes_event_fd(watching->probes), .events = POLLIN },
	};
	uint64_t now_ns = clock_ns();
	uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec timeout = { (time_t)(left_ns / NS_PER_S), (long)(left_ns % NS_PER_S) };

	ppoll(fds, sizeof(fds) / sizeof(*fds), &timeout, NULL);
	if (fds[1].revents)
		probes_serve(watching->probes);
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Reads; also shows the rows if @due. */
static int look(struct watching *watching, bool due)
{
	struct probe_reading reading;

	probes_read(watching->probes, &reading);
	watching->last_read_ns = reading.time_ns;
	return due ? tick(watching, &reading) : 0;
}

/* The next times to act. */
struct schedule {
	uint64_t end_ns, tick_ns, check_ns;
};

static struct schedule first_schedule(const struct watching *watching)
{
	double duration_s = watching->options->duration_s;
	uint64_t interval_ns = watching->setting.interval_ns, began_ns = watching->began_ns;

	return (struct schedule){
		.end_ns =
			duration_s > 0 ? began_ns + (uint64_t)(duration_s * NS_PER_S) : UINT64_MAX,
		.tick_ns = interval_ns ? began_ns + interval_ns : UINT64_MAX,
		.check_ns = began_ns + CHECK_NS,
	};
}

/* The last interval is shorter; finish() shows it. Ticks that are too late are skipped. */
static int loop(struct watching *watching)
{
	struct schedule next = first_schedule(watching);
	int rc = 0;

	while (rc == 0) {
		uint64_t now_ns;

		wait_until(watching, earliest(next.end_ns, earliest(next.check_ns, next.tick_ns)));
		now_ns = clock_ns();
		watching->end = find_end(watching, next.end_ns, now_ns >= next.check_ns);
		if (watching->end != WATCH_GOES_ON)
			return 0;
		if (now_ns >= next.check_ns)
			next.check_ns = now_ns + CHECK_NS;
		if (now_ns >= next.tick_ns) {
			rc = look(watching, true);
			next.tick_ns +=
				watching->setting.interval_ns *
				(1 + (now_ns - next.tick_ns) / watching->setting.interval_ns);
		} else if (now_ns - watching->last_read_ns > READ_AT_LEAST_S * NS_PER_S) {
			rc = look(watching, false);
		}
	}
	return rc;
}

/* ---- the end ---- */

static int finish(struct watching *watching)
{
	const struct watch_options *options = watching->options;
	struct probe_reading reading;
	struct watch_totals totals = { .detach_ns = 0 };
	uint64_t closed_ns = probes_close(watching->probes);
	int rc = 0;

	totals.detach_ns = clock_ns() - closed_ns;
	probes_read(watching->probes, &reading);
	if (watching->setting.interval_ns && watching->end != WATCH_NOT_SHOWN)
		rc = tick(watching, &reading);
	totals.all = (struct watch_tick){ .from_ns = watching->began_ns,
					  .to_ns = reading.time_ns,
					  .began_ns = watching->began_ns,
					  .cost = reading.cost,
					  .end = watching->end };
	choose_rows(watching, reading.rows, reading.row_count, &totals.all);
	return rc < 0 || watching->end == WATCH_NOT_SHOWN
		       ? rc
		       : options->view.end(options->view.context, &totals);
}

static int run(struct watching *watching, struct err *err)
{
	int rc = attach(watching, err), shown;

	if (rc < 0)
		return rc;
	watching->began_ns = probes_open(watching->probes);
	watching->ticked_ns = watching->last_read_ns = watching->began_ns;
	watch_budget_begin(&watching->budget, watching->options->budget, watching->began_ns);
	if (watching->options->argv)
		rc = watched_command_go(&watching->command, err);
	if (rc < 0)
		return rc;
	shown = loop(watching);
	if (shown < 0)
		watching->end = WATCH_NOT_SHOWN;
	rc = finish(watching);
	if (shown == 0)
		shown = rc;
	watched_command_wait(&watching->command);
	return shown < 0 ? cannot_show(shown, err) : 0;
}

static int prepare(struct watching *watching, struct err *err)
{
	enum { PROGRAMS = 56, EACH_CPU = 2 }; /* descriptors of BPF programs and their maps */
	const struct watch_options *options = watching->options;
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	int rc = open_limit_check(PROGRAMS + cpus * EACH_CPU, "watching", err);

	if (rc == 0 && options->argv) {
		rc = watched_command_prepare(&watching->command, options->argv, options->as_user,
					     err);
		watching->probe_options.filter.pids = &watching->command.launch.pid;
		watching->probe_options.filter.pid_count = 1;
		watching->probe_options.filter.follow = true;
	}
	return rc < 0 ? rc : watched_command_take_signals(&watching->command, err);
}

static void release(struct watching *watching)
{
	probes_free(watching->probes);
	deltas_done(&watching->deltas);
	vec_free(&watching->rows);
	free(watching->outcomes);
	watched_command_done(&watching->command);
}

int watch_run(const struct watch_options *options, struct watch_result *ret_result, struct err *err)
{
	struct watching watching = { .options = options,
				     .command = WATCHED_COMMAND_NONE,
				     .probe_options = options->probes };
	int rc;

	*ret_result = (struct watch_result){ .end = WATCH_GOES_ON };
	watching.probe_options.give_up = give_up;
	watching.probe_options.tell = tell_progress;
	watching.probe_options.context = &watching;
	watching.command.foreign = options->probes.foreign;
	rc = prepare(&watching, err);
	if (rc == 0)
		rc = run(&watching, err);
	ret_result->end = watching.end;
	ret_result->outcome = watching.command.outcome;
	release(&watching);
	return rc;
}
