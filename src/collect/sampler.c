/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "collect/cpu_list.h"
#include "collect/off_cpu.h"
#include "collect/perf_limits.h"
#include "collect/period.h"
#include "collect/record_queue.h"
#include "collect/ring.h"

/* Of events that programs write to: a call chain would be taken at each write. */
#define OUTPUT_SAMPLE_TYPE ((PERF_RECORD_SAMPLE_TYPE & ~PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_RAW)

enum {
	MAX_RING_BYTES = 512 * 1024,
	MIN_RING_BYTES = 16 * 1024,
	/* A restart of a CPU's timer loses nothing (period.h); that of a thread's timer loses half
	 * a period on average, so it is done more seldom. */
	TICKS_BETWEEN_DRAWS = 16,
	THREAD_TICKS_BETWEEN_DRAWS = 256,
};

struct perf_fd {
	int fd;
	uint64_t id;
	uint32_t cpu; /* index into sampler.cpus */
	enum stream stream;
	size_t event; /* STREAM_EVENT: index into sampler.events */
	pid_t tid;    /* -1: the CPU, whoever runs */
};

struct sampler_cpu {
	int number;
	struct ring ring;
	int ring_fd; /* the event that owns the ring: borrowed from fds */
	struct period_history clock, idle;
};

struct sampler {
	enum rung rung;
	uint64_t clock_period_ns, idle_period_ns; /* means */
	double rate_hz;
	VEC(struct perf_fd) fds;
	VEC(int) poll_fds;
	struct hashidx ids; /* event id -> index into fds */
	struct sampler_cpu *cpus;
	size_t cpu_count;
	size_t ring_bytes;
	struct event_spec events[SAMPLER_MAX_EVENTS];
	bool has_event[SAMPLER_MAX_EVENTS];
	size_t event_count;
	bool events_optional;
	bool format_lost;
	uint64_t jitter_state, last_jitter_ns;
	struct record_queue *queue;
	struct perf_format output_format; /* of events that programs write to */
	enum sampler_waits waits;
	double fill_sum, fill_max;
	uint64_t fill_count;
	struct err missing;
};

static const struct {
	const char *name, *text;
} rungs[RUNG_COUNT] = {
#define ROW(id, name, text) [RUNG_##id] = { name, text },
	RUNGS(ROW)
#undef ROW
};

const char *rung_name(enum rung rung)
{
	return rungs[rung].name;
}

const char *rung_text(enum rung rung)
{
	return rungs[rung].text;
}

static const struct {
	const char *name, *text;
} stack_rungs[STACK_RUNG_COUNT] = {
#define ROW(id, name, text) [STACK_RUNG_##id] = { name, text },
	STACK_RUNGS(ROW)
#undef ROW
};

const char *stack_rung_name(enum stack_rung rung)
{
	return stack_rungs[rung].name;
}

const char *stack_rung_text(enum stack_rung rung)
{
	return stack_rungs[rung].text;
}

/* ---- what each stream asks of the kernel ---- */

static struct perf_event_attr base_attr(const struct sampler *sampler)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.disabled = 1,
		.sample_type = PERF_RECORD_SAMPLE_TYPE,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.exclude_callchain_user = 1,
		.exclude_kernel = sampler->rung == RUNG_OWN_USER,
		.exclude_hv = sampler->rung == RUNG_OWN_USER,
		.inherit = sampler->rung != RUNG_MACHINE,
		.read_format = sampler->format_lost ? PERF_FORMAT_LOST : 0,
	};
}

static void timer_attr(struct perf_event_attr *attr, uint64_t period_ns)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->sample_period = period_ns;
}

static void track_attr(struct perf_event_attr *attr, bool build_id)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->build_id = build_id;
	/* Names, forks and symbols once, not twice. */
	attr->comm = attr->comm_exec = attr->task = attr->ksymbol = !build_id;
}

/* Programs write to it: what they pass is the sample's raw part. */
static void output_attr(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_BPF_OUTPUT;
	attr->sample_type = OUTPUT_SAMPLE_TYPE;
	attr->sample_period = 1;
	attr->inherit = 0;
}

static void event_attr(struct perf_event_attr *attr, const struct event_spec *event, double rate_hz)
{
	attr->type = event->type;
	attr->config = event->config;
	attr->exclude_user = event->exclude_user;
	attr->exclude_kernel |= event->exclude_kernel;
	if (event->period) {
		attr->sample_period = event->period;
	} else {
		attr->freq = 1;
		attr->sample_freq = (uint64_t)(rate_hz + 0.5);
	}
}

/* What is opened on each CPU, or for each thread on each CPU: a stream, or one of the named events.
 */
struct wanted {
	enum stream stream;
	size_t event;
};

static struct perf_event_attr wanted_attr(const struct sampler *sampler, struct wanted wanted)
{
	struct perf_event_attr attr = base_attr(sampler);

	switch (wanted.stream) {
	case STREAM_CLOCK:
		timer_attr(&attr, sampler->clock_period_ns);
		attr.exclude_idle = 1;
		break;
	case STREAM_IDLE:
		timer_attr(&attr, sampler->idle_period_ns);
		break;
	case STREAM_EVENT:
		event_attr(&attr, &sampler->events[wanted.event], sampler->rate_hz);
		break;
	case STREAM_WAITS:
		output_attr(&attr);
		break;
	default:
		track_attr(&attr, wanted.stream == STREAM_TRACK_ID);
		attr.context_switch =
			wanted.stream == STREAM_TRACK && sampler->waits == SAMPLER_WAITS_SWITCHES;
		break;
	}
	return attr;
}

/* What a recording can do without. */
static bool is_optional(const struct sampler *sampler, struct wanted wanted)
{
	return wanted.stream == STREAM_TRACK_ID || wanted.stream == STREAM_WAITS ||
	       (wanted.stream == STREAM_EVENT && sampler->events_optional);
}

/* How many events a stream has on each CPU. The idle stream makes sense on the whole machine only.
 */
static size_t stream_width(const struct sampler *sampler, enum stream stream, pid_t tid)
{
	if (stream == STREAM_IDLE)
		return sampler->rung == RUNG_MACHINE;
	if (stream == STREAM_OUTPUT)
		return 0;
	if (stream == STREAM_WAITS)
		return sampler->waits == SAMPLER_WAITS_OUTPUT && tid == -1;
	return stream == STREAM_EVENT ? sampler->event_count : 1;
}

/* ---- opening ---- */

static int open_event(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static bool id_equal(const void *owner, uint32_t index, const void *key)
{
	return ((const struct sampler *)owner)->fds.items[index].id == *(const uint64_t *)key;
}

static const struct perf_fd *find_id(const struct sampler *sampler, uint64_t id)
{
	uint32_t index;

	if (!hashidx_find(&sampler->ids, hash_u64(id), id_equal, sampler, &id, &index))
		return NULL;
	return &sampler->fds.items[index];
}

static size_t power_of_two(size_t bytes)
{
	size_t power = MIN_RING_BYTES;

	while (power < bytes)
		power *= 2;
	return power;
}

/* The first event of a CPU gets the ring; when the mlock limit is in the way, a smaller one. */
static int map_ring(struct sampler *sampler, struct sampler_cpu *cpu, int fd, struct err *err)
{
	int rc;

	while ((rc = ring_map(&cpu->ring, fd, sampler->ring_bytes)) == -EPERM &&
	       sampler->ring_bytes > MIN_RING_BYTES)
		sampler->ring_bytes /= 2;
	if (rc < 0)
		return err_set(
			err, rc,
			"cannot map a ring buffer of %zu KiB: %s; raise kernel.perf_event_mlock_kb "
			"or ulimit -l",
			sampler->ring_bytes / 1024, strerror(-rc));
	cpu->ring_fd = fd;
	*vec_push(&sampler->poll_fds) = fd;
	return 0;
}

static int attach_ring(struct sampler *sampler, struct sampler_cpu *cpu, int fd, struct err *err)
{
	if (!cpu->ring.page)
		return map_ring(sampler, cpu, fd, err);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->ring_fd) < 0)
		return err_set(err, -errno, "cannot share a ring buffer: %s", strerror(errno));
	return 0;
}

static int explain_open(const struct sampler *sampler, struct wanted wanted, int rc,
			struct err *err)
{
	const char *name = sampler->events[wanted.event].name;

	if (wanted.stream != STREAM_EVENT || rc == -EACCES || rc == -EPERM || rc == -ESRCH)
		return perf_limits_explain(rc, err);
	if (rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV)
		return err_set(err, rc, "%s: this machine cannot sample it%s", name,
			       sampler->events[wanted.event].hardware
				       ? " (no performance counters; a virtual machine?)"
				       : "");
	return err_set(err, rc, "%s: cannot be sampled: %s", name, strerror(-rc));
}

/* Opens one event for one CPU and thread. 1: the kernel cannot, and it can be done without. */
static int open_wanted(struct sampler *sampler, struct wanted wanted, size_t cpu_index, pid_t tid,
		       struct err *err)
{
	struct sampler_cpu *cpu = &sampler->cpus[cpu_index];
	struct perf_event_attr attr = wanted_attr(sampler, wanted);
	_cleanup_close_ int fd = open_event(&attr, tid, cpu->number);
	struct perf_fd *slot;
	int rc;

	if (fd < 0 && is_optional(sampler, wanted))
		return 1;
	if (fd < 0)
		return explain_open(sampler, wanted, fd, err);
	rc = attach_ring(sampler, cpu, fd, err);
	if (rc < 0)
		return rc;
	slot = vec_push(&sampler->fds);
	*slot = (struct perf_fd){ .cpu = (uint32_t)cpu_index,
				  .stream = wanted.stream,
				  .event = wanted.event,
				  .tid = tid };
	if (ioctl(fd, PERF_EVENT_IOC_ID, &slot->id) < 0)
		slot->id = 0;
	hashidx_add(&sampler->ids, hash_u64(slot->id), (uint32_t)(sampler->fds.count - 1));
	slot->fd = steal_fd(fd);
	if (wanted.stream == STREAM_EVENT)
		sampler->has_event[wanted.event] = true;
	return 0;
}

/* Everything one thread (or, with tid -1, whoever runs) has on one CPU. */
static int open_all(struct sampler *sampler, size_t cpu_index, pid_t tid, struct err *err)
{
	for (enum stream stream = 0; stream < STREAM_COUNT; stream++) {
		for (size_t i = 0; i < stream_width(sampler, stream, tid); i++) {
			int rc = open_wanted(sampler, (struct wanted){ stream, i }, cpu_index, tid,
					     err);

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* The events that are the CPU's also where only some threads are sampled. */
static int open_cpu_wide(struct sampler *sampler, size_t cpu_index, struct err *err)
{
	int rc = 0;

	if (stream_width(sampler, STREAM_WAITS, -1))
		rc = open_wanted(sampler, (struct wanted){ STREAM_WAITS, 0 }, cpu_index, -1, err);
	return rc < 0 ? rc : 0;
}

/* A thread that has left meanwhile is no error while others remain. */
static int open_threads(struct sampler *sampler, const struct sampler_options *options,
			size_t cpu_index, struct err *err)
{
	for (size_t i = 0; i < options->tid_count; i++) {
		int rc = open_all(sampler, cpu_index, options->tids[i], err);

		if (rc < 0 && (rc != -ESRCH || options->tid_count == 1))
			return rc;
	}
	return open_cpu_wide(sampler, cpu_index, err);
}

static void close_all(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->cpu_count; i++)
		ring_unmap(&sampler->cpus[i].ring);
	for (size_t i = 0; i < sampler->fds.count; i++)
		close(sampler->fds.items[i].fd);
	sampler->fds.count = sampler->poll_fds.count = 0;
	hashidx_done(&sampler->ids);
	memset(sampler->has_event, 0, sizeof(sampler->has_event));
}

static int open_rung(struct sampler *sampler, const struct sampler_options *options, enum rung rung,
		     struct err *err)
{
	sampler->rung = rung;
	for (size_t i = 0; i < sampler->cpu_count; i++) {
		int rc = rung == RUNG_MACHINE ? open_all(sampler, i, -1, err)
					      : open_threads(sampler, options, i, err);

		if (rc < 0) {
			close_all(sampler);
			return rc;
		}
	}
	return sampler->fds.count ? 0 : perf_limits_explain(-ESRCH, err);
}

static bool is_permission(int rc)
{
	return rc == -EACCES || rc == -EPERM;
}

/* Says what the rung taken leaves out, and the one command that would give it. */
static void explain_missing(struct sampler *sampler)
{
	long long paranoid = (long long)perf_limits_paranoid();

	if (sampler->rung == RUNG_OWN_KERNEL)
		err_set(&sampler->missing, 0,
			"other processes (kernel.perf_event_paranoid is %lld); run with sudo, or "
			"once: "
			"sudo sysctl -w kernel.perf_event_paranoid=0",
			paranoid);
	else if (sampler->rung == RUNG_OWN_USER)
		err_set(&sampler->missing, 0,
			"other processes and the kernel (kernel.perf_event_paranoid is %lld); run "
			"with "
			"sudo, or once: sudo sysctl -w kernel.perf_event_paranoid=0",
			paranoid);
}

/* Steps down the ladder until something opens. */
static int open_ladder(struct sampler *sampler, const struct sampler_options *options,
		       struct err *err)
{
	enum rung rung = options->whole_machine ? RUNG_MACHINE : RUNG_OWN_KERNEL;
	int rc = -EACCES;

	for (; rung < RUNG_COUNT; rung++) {
		rc = open_rung(sampler, options, rung, err);
		if (!is_permission(rc) || options->machine_only)
			break;
	}
	if (rc == 0 && options->whole_machine)
		explain_missing(sampler);
	else if (rc == 0 && rung == RUNG_OWN_USER)
		err_set(&sampler->missing, 0,
			"the kernel (kernel.perf_event_paranoid is %lld); run with sudo, or once: "
			"sudo "
			"sysctl -w kernel.perf_event_paranoid=1",
			(long long)perf_limits_paranoid());
	return rc;
}

/* Linux 6.0 counts what each event lost; older kernels refuse the flag. */
static bool kernel_counts_lost(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = 1,
					.exclude_hv = 1,
					.disabled = 1,
					.read_format = PERF_FORMAT_LOST };
	_cleanup_close_ int fd = open_event(&attr, 0, -1);

	return fd >= 0;
}

static int find_cpus(struct sampler *sampler, struct err *err)
{
	int *numbers;
	int rc = cpu_list_online(&numbers, &sampler->cpu_count, err);

	if (rc < 0)
		return rc;
	sampler->cpus = xcalloc(sampler->cpu_count, sizeof(*sampler->cpus));
	for (size_t i = 0; i < sampler->cpu_count; i++)
		sampler->cpus[i].number = numbers[i];
	free(numbers);
	return 0;
}

static const struct perf_format *format_of(void *context, uint64_t id)
{
	const struct sampler *sampler = context;
	const struct perf_fd *event = find_id(sampler, id);
	bool written = event && (event->stream == STREAM_OUTPUT || event->stream == STREAM_WAITS);

	return written ? &sampler->output_format : NULL;
}

int sampler_open(const struct sampler_options *options, struct sampler **ret_sampler,
		 struct err *err)
{
	struct sampler *sampler = xcalloc(1, sizeof(*sampler));
	double idle_hz = options->rate_hz < SAMPLER_IDLE_HZ ? options->rate_hz : SAMPLER_IDLE_HZ;
	struct perf_format format = perf_record_live_format();
	int rc;

	sampler->rate_hz = options->rate_hz;
	sampler->events_optional = options->events_optional;
	for (; sampler->event_count < options->event_count &&
	       sampler->event_count < SAMPLER_MAX_EVENTS;
	     sampler->event_count++)
		sampler->events[sampler->event_count] = options->events[sampler->event_count];
	sampler->clock_period_ns = (uint64_t)(NS_PER_S / options->rate_hz);
	sampler->idle_period_ns = (uint64_t)(NS_PER_S / idle_hz);
	sampler->jitter_state = options->seed;
	sampler->waits = options->waits;
	sampler->format_lost = kernel_counts_lost();
	sampler->ring_bytes =
		power_of_two(options->ring_bytes ? options->ring_bytes : MAX_RING_BYTES);
	rc = find_cpus(sampler, err);
	if (rc == 0)
		rc = open_ladder(sampler, options, err);
	if (rc < 0) {
		sampler_free(sampler);
		return rc;
	}
	sampler->queue = record_queue_new(sampler->cpu_count, &format);
	sampler->output_format = format;
	sampler->output_format.sample_type = OUTPUT_SAMPLE_TYPE;
	record_queue_set_formats(sampler->queue, format_of, sampler);
	*ret_sampler = sampler;
	return 0;
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	close_all(sampler);
	vec_free(&sampler->fds);
	vec_free(&sampler->poll_fds);
	record_queue_free(sampler->queue);
	free(sampler->cpus);
	free(sampler);
}

/* ---- running ---- */

static struct period_history *history_of(struct sampler *sampler, const struct perf_fd *event)
{
	struct sampler_cpu *cpu = &sampler->cpus[event->cpu];

	return event->stream == STREAM_IDLE ? &cpu->idle : &cpu->clock;
}

static bool is_timer(const struct perf_fd *event)
{
	return event->stream == STREAM_CLOCK || event->stream == STREAM_IDLE;
}

static uint64_t mean_period(const struct sampler *sampler, const struct perf_fd *event)
{
	return event->stream == STREAM_IDLE ? sampler->idle_period_ns : sampler->clock_period_ns;
}

void sampler_track(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->fds.count; i++) {
		if (sampler->fds.items[i].stream >= STREAM_TRACK)
			ioctl(sampler->fds.items[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	}
}

/* Trackers first: a sample must not come before the records that explain it. */
void sampler_enable(struct sampler *sampler)
{
	sampler_track(sampler);
	for (size_t i = 0; i < sampler->fds.count; i++) {
		struct perf_fd *event = &sampler->fds.items[i];

		if (event->stream >= STREAM_TRACK)
			continue;
		ioctl(event->fd, PERF_EVENT_IOC_ENABLE, 0);
		if (is_timer(event))
			period_start(history_of(sampler, event), clock_ns(),
				     mean_period(sampler, event));
	}
	sampler->last_jitter_ns = 0;
	sampler_jitter(sampler);
}

void sampler_disable(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->fds.count; i++)
		ioctl(sampler->fds.items[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Threads of -p share their CPU's history: they get the same period, noted once. */
static void set_period(struct sampler *sampler, const struct perf_fd *event, uint64_t period_ns)
{
	struct period_history *history = history_of(sampler, event);
	uint64_t before = clock_ns();

	if (ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &period_ns) == 0 &&
	    history->phases[history->newest].period_ns != period_ns)
		period_change(history, (before + clock_ns()) / 2, period_ns);
}

void sampler_jitter(struct sampler *sampler)
{
	uint64_t now = clock_ns();
	uint64_t ticks =
		sampler->rung == RUNG_MACHINE ? TICKS_BETWEEN_DRAWS : THREAD_TICKS_BETWEEN_DRAWS;
	uint64_t clock_period, idle_period;

	if (now - sampler->last_jitter_ns < ticks * sampler->clock_period_ns)
		return;
	sampler->last_jitter_ns = now;
	clock_period = period_draw(&sampler->jitter_state, sampler->clock_period_ns);
	idle_period = period_draw(&sampler->jitter_state, sampler->idle_period_ns);
	for (size_t i = 0; i < sampler->fds.count; i++) {
		const struct perf_fd *event = &sampler->fds.items[i];

		if (is_timer(event))
			set_period(sampler, event,
				   event->stream == STREAM_IDLE ? idle_period : clock_period);
	}
}

struct ring_context {
	struct sampler *sampler;
	size_t ring;
};

static void queue_record(void *context, const void *bytes, size_t size)
{
	const struct ring_context *to = context;

	record_queue_add(to->sampler->queue, to->ring, bytes, size);
}

static void note_fill(struct sampler *sampler, size_t waiting)
{
	double fill = (double)waiting / (double)sampler->ring_bytes;

	sampler->fill_sum += fill;
	sampler->fill_count++;
	if (fill > sampler->fill_max)
		sampler->fill_max = fill;
}

void sampler_drain(struct sampler *sampler, uint64_t cutoff_ns,
		   void (*take)(void *context, const struct perf_record *record), void *context)
{
	for (size_t i = 0; i < sampler->cpu_count; i++) {
		struct ring_context to = { sampler, i };

		note_fill(sampler, ring_read(&sampler->cpus[i].ring, queue_record, &to));
	}
	record_queue_release(sampler->queue, cutoff_ns, take, context);
}

/* ---- questions ---- */

size_t sampler_poll_fds(const struct sampler *sampler, const int **ret_fds)
{
	*ret_fds = sampler->poll_fds.items;
	return sampler->poll_fds.count;
}

size_t sampler_wait_outputs(const struct sampler *sampler, struct off_cpu_output *outputs)
{
	size_t count = 0;

	for (size_t i = 0; i < sampler->fds.count && count < sampler->cpu_count; i++) {
		const struct perf_fd *event = &sampler->fds.items[i];

		if (event->stream == STREAM_WAITS)
			outputs[count++] =
				(struct off_cpu_output){ sampler->cpus[event->cpu].number,
							 event->fd };
	}
	return count;
}

struct sampler_source sampler_source(const struct sampler *sampler, uint64_t id)
{
	const struct perf_fd *event = find_id(sampler, id);

	if (!event)
		return (struct sampler_source){ STREAM_COUNT, 0 };
	return (struct sampler_source){ event->stream, event->event };
}

uint64_t sampler_weight(const struct sampler *sampler, const struct perf_record *record)
{
	const struct perf_fd *event = find_id(sampler, record->id);
	const struct period_history *history;

	if (!event || !is_timer(event))
		return record->sample.period;
	history = event->stream == STREAM_IDLE ? &sampler->cpus[event->cpu].idle
					       : &sampler->cpus[event->cpu].clock;
	if (event->tid == -1)
		return period_weight(history, record->time_ns);
	/* A thread's timer stops with its thread: no time is owed to its first tick. An inherited
	 * copy keeps the period it was born with, and there the record tells it; only the original
	 * follows ours. */
	return event->tid == record->tid ? period_at(history, record->time_ns)
					 : record->sample.period;
}

enum rung sampler_rung(const struct sampler *sampler)
{
	return sampler->rung;
}

double sampler_rate(const struct sampler *sampler)
{
	return sampler->rate_hz;
}

uint64_t sampler_idle_period_ns(const struct sampler *sampler)
{
	return sampler->idle_period_ns;
}

size_t sampler_cpus(const struct sampler *sampler)
{
	return sampler->cpu_count;
}

const struct event_spec *sampler_event(const struct sampler *sampler, size_t event)
{
	return sampler->has_event[event] ? &sampler->events[event] : NULL;
}

size_t sampler_event_count(const struct sampler *sampler)
{
	return sampler->event_count;
}

const char *sampler_missing(const struct sampler *sampler)
{
	return sampler->missing.text;
}

enum clock_kind sampler_pmu_clock(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return CLOCK_PMU_NMI;
#else
	return CLOCK_PMU_IRQ;
#endif
}

struct sampler_losses sampler_losses(const struct sampler *sampler)
{
	struct sampler_losses losses = { .known = sampler->format_lost };

	for (size_t i = 0; losses.known && i < sampler->fds.count; i++) {
		const struct perf_fd *event = &sampler->fds.items[i];
		uint64_t values[2] = { 0 }; /* the count, then what was lost */

		if (read(event->fd, values, sizeof(values)) != sizeof(values))
			continue;
		losses.streams[event->stream] += values[1];
		if (event->stream == STREAM_EVENT)
			losses.events[event->event] += values[1];
	}
	return losses;
}

struct sampler_ring_use sampler_ring_use(const struct sampler *sampler)
{
	return (struct sampler_ring_use){
		.bytes = sampler->ring_bytes,
		.high_water = sampler->fill_max,
		.mean = sampler->fill_count ? sampler->fill_sum / (double)sampler->fill_count : 0,
	};
}

struct record_queue_counts sampler_queue_counts(const struct sampler *sampler)
{
	return record_queue_counts(sampler->queue);
}

/* ---- stacks ---- */

enum stack_rung sampler_stack_rung(const struct sampler *sampler)
{
	(void)sampler;
	return STACK_RUNG_NONE;
}

const char *sampler_stacks_missing(const struct sampler *sampler)
{
	(void)sampler;
	return "";
}

struct stack_tables *sampler_stack_tables(const struct sampler *sampler)
{
	(void)sampler;
	return NULL;
}

struct sampler_stack_counts sampler_stack_counts(const struct sampler *sampler)
{
	(void)sampler;
	return (struct sampler_stack_counts){ { 0 } };
}
