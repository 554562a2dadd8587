/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/open_limit.h"
#include "base/xalloc.h"
#include "perf/cpu_list.h"
#include "perf/perf_limits.h"
#include "sampling/sampler_parts.h"

enum {
	MAX_RING_BYTES = 512 * 1024,
	/* For stack copies: one drain's worth from a program that just started. */
	DUMP_RING_BYTES = 2 * 1024 * 1024,
	FEW_CPUS = 8, /* with more CPUs, half as much per CPU */
	TRACKING_RING_BYTES = 256 * 1024,
	MIN_RING_BYTES = 16 * 1024,
	OTHER_FILES = 64, /* other files that a recording opens */
};

static int open_event(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

DEFINE_EQUAL(id_equal, struct sampler, fds.items, uint64_t, a->id == *b)

const struct perf_fd *sampler_open_find(const struct sampler *sampler, uint64_t id)
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

/* Maps the ring of its first event, which owns it. If the mlock limit is exceeded, tries smaller
 * rings. */
static int map_ring(struct sampler *sampler, struct sampler_ring *ring, int fd, struct err *err)
{
	int rc;

	while ((rc = ring_map(&ring->ring, fd, sampler->ring_bytes)) == -EPERM &&
	       sampler->ring_bytes > MIN_RING_BYTES)
		sampler->ring_bytes /= 2;
	if (rc < 0)
		return err_set(
			err, rc,
			"cannot map a ring buffer of %zu KiB: %s; raise kernel.perf_event_mlock_kb "
			"or ulimit -l",
			sampler->ring_bytes / 1024, strerror(-rc));
	ring->fd = fd;
	*vec_push(&sampler->poll_fds) = fd;
	return 0;
}

static int share_ring(const struct sampler_ring *ring, int fd, struct err *err)
{
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0)
		return err_set(err, -errno, "cannot share a ring buffer: %s", strerror(errno));
	return 0;
}

/* Users who may not see the whole machine may lock little memory; they get a single ring. */
static bool is_tracking(const struct sampler *sampler, enum stream stream)
{
	return sampler->rung == RUNG_MACHINE &&
	       (stream == STREAM_TRACK || stream == STREAM_TRACK_ID);
}

static int attach_ring(struct sampler *sampler, struct sampler_cpu *cpu, enum stream stream, int fd,
		       struct err *err)
{
	size_t bytes = sampler->ring_bytes < TRACKING_RING_BYTES ? sampler->ring_bytes
								 : TRACKING_RING_BYTES;

	if (!cpu->samples.ring.page)
		return map_ring(sampler, &cpu->samples, fd, err);
	if (!is_tracking(sampler, stream))
		return share_ring(&cpu->samples, fd, err);
	if (cpu->tracking.ring.page)
		return share_ring(&cpu->tracking, fd, err);
	if (ring_map(&cpu->tracking.ring, fd, bytes) < 0)
		return share_ring(&cpu->samples, fd, err);
	cpu->tracking.fd = fd;
	*vec_push(&sampler->poll_fds) = fd;
	return 0;
}

static int explain_open(const struct sampler *sampler, struct sampler_wanted wanted, int rc,
			struct err *err)
{
	const char *name = sampler->events[wanted.event].name;

	if (wanted.stream != STREAM_EVENT || rc == -EACCES || rc == -EPERM || rc == -ESRCH)
		return perf_limits_explain(rc, sampler->rung == RUNG_MACHINE, err);
	if (rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV)
		return err_set(err, rc, "%s: this machine cannot sample it%s", name,
			       sampler->events[wanted.event].hardware
				       ? " (no performance counters; a virtual machine?)"
				       : "");
	return err_set(err, rc, "cannot sample %s: %s", name, strerror(-rc));
}

/* An event that is sampled by count starts with a different count on each CPU, so that no program
 * runs in step with all of them. */
static struct perf_event_attr drawn_attr(struct sampler *sampler, struct sampler_wanted wanted)
{
	struct perf_event_attr attr = sampler_attr(sampler, wanted);

	if (wanted.stream == STREAM_EVENT &&
	    sampler->events[wanted.event].period >= SAMPLER_LEAST_JITTERED)
		attr.sample_period = period_draw(&sampler->jitter_state, attr.sample_period);
	return attr;
}

/* Opens one event for one CPU and thread. 1: the kernel cannot, and the event is optional. */
static int open_wanted(struct sampler *sampler, struct sampler_wanted wanted, size_t cpu_index,
		       pid_t tid, struct err *err)
{
	struct sampler_cpu *cpu = &sampler->cpus[cpu_index];
	struct perf_event_attr attr = drawn_attr(sampler, wanted);
	_cleanup_close_ int fd = open_event(&attr, tid, cpu->number);
	struct perf_fd *slot;
	int rc;

	if (fd < 0 && sampler_attr_optional(sampler, wanted))
		return 1;
	if (fd < 0 && wanted.stream == STREAM_OUTPUT)
		sampler->stacks_refused = true;
	if (fd < 0)
		return explain_open(sampler, wanted, fd, err);
	rc = attach_ring(sampler, cpu, wanted.stream, fd, err);
	if (rc < 0)
		return rc;
	slot = vec_push(&sampler->fds);
	*slot = (struct perf_fd){ .cpu = (uint32_t)cpu_index,
				  .stream = wanted.stream,
				  .event = wanted.event,
				  .tid = tid,
				  .by_program = sampler_attr_by_program(sampler, wanted),
				  .dumps = attr.sample_type & PERF_SAMPLE_STACK_USER,
				  .silent = sampler_attr_silent(sampler, wanted),
				  .period = attr.sample_period,
				  .period_before = attr.sample_period,
				  .since_draw = 2 };
	if (ioctl(fd, PERF_EVENT_IOC_ID, &slot->id) < 0)
		slot->id = 0;
	hashidx_add(&sampler->ids, hash_u64(slot->id), (uint32_t)(sampler->fds.count - 1));
	slot->fd = steal_fd(fd);
	if (wanted.stream == STREAM_EVENT)
		sampler->has_event[wanted.event] = true;
	return sampler_stacks_opened(sampler, slot, err);
}

/* A process may map on one CPU what it runs on another. */
static bool is_of_every_cpu(enum stream stream)
{
	return stream == STREAM_TRACK || stream == STREAM_TRACK_ID || stream == STREAM_WAITS;
}

/* Opens a stream of one thread (or with tid -1, of any thread) on one CPU. */
static int open_stream(struct sampler *sampler, enum stream stream, size_t cpu_index, pid_t tid,
		       struct err *err)
{
	bool opens = sampler->cpus[cpu_index].sampled || is_of_every_cpu(stream);
	int rc = 0;

	for (size_t i = 0; opens && rc >= 0 && i < sampler_attr_width(sampler, stream, tid); i++)
		rc = open_wanted(sampler, (struct sampler_wanted){ stream, i }, cpu_index, tid,
				 err);
	return rc < 0 ? rc : 0;
}

static int open_all(struct sampler *sampler, size_t cpu_index, pid_t tid, struct err *err)
{
	int rc = 0;

	for (enum stream stream = 0; rc == 0 && stream < STREAM_COUNT; stream++)
		rc = open_stream(sampler, stream, cpu_index, tid, err);
	return rc;
}

static int open_mappings(struct sampler *sampler, size_t cpu_index, pid_t tid, struct err *err)
{
	int rc = open_stream(sampler, STREAM_TRACK, cpu_index, tid, err);

	return rc < 0 ? rc : open_stream(sampler, STREAM_TRACK_ID, cpu_index, tid, err);
}

/* Opens the events that belong to the CPU even if only some threads are sampled. */
static int open_cpu_wide(struct sampler *sampler, size_t cpu_index, struct err *err)
{
	int rc = open_stream(sampler, STREAM_OUTPUT, cpu_index, -1, err);

	return rc < 0 ? rc : open_stream(sampler, STREAM_WAITS, cpu_index, -1, err);
}

/* A thread that has ended meanwhile is no error if others remain. */
static int open_threads(struct sampler *sampler, const struct sampler_options *options,
			size_t cpu_index, struct err *err)
{
	for (size_t i = 0; i < options->tid_count; i++) {
		int rc = open_all(sampler, cpu_index, options->tids[i], err);

		if (rc < 0 && (rc != -ESRCH || options->tid_count == 1))
			return rc;
	}
	for (size_t i = 0; i < options->other_count; i++) {
		int rc = open_mappings(sampler, cpu_index, options->other_tids[i], err);

		if (rc < 0 && rc != -ESRCH)
			return rc;
	}
	return open_cpu_wide(sampler, cpu_index, err);
}

/* All threads, and the switches of the chosen ones. */
static int open_machine(struct sampler *sampler, const struct sampler_options *options,
			size_t cpu_index, struct err *err)
{
	const struct sampler_wanted switches = { STREAM_WAITS, 0 };
	int rc = open_all(sampler, cpu_index, -1, err);

	for (size_t i = 0; i < options->tid_count && rc >= 0; i++) {
		if (sampler->waits == SAMPLER_WAITS_OWN)
			rc = open_wanted(sampler, switches, cpu_index, options->tids[i], err);
	}
	return rc < 0 ? rc : 0;
}

static void close_all(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->cpu_count; i++) {
		ring_unmap(&sampler->cpus[i].samples.ring);
		ring_unmap(&sampler->cpus[i].tracking.ring);
	}
	for (size_t i = 0; i < sampler->fds.count; i++)
		close(sampler->fds.items[i].fd);
	sampler->fds.count = sampler->poll_fds.count = 0;
	hashidx_done(&sampler->ids);
	memset(sampler->has_event, 0, sizeof(sampler->has_event));
}

/* The number of events that all this needs. */
static size_t count_wanted(const struct sampler *sampler, const struct sampler_options *options)
{
	bool machine = sampler->rung == RUNG_MACHINE;
	size_t threads = machine ? 1 : options->tid_count, each = 0;

	for (enum stream stream = 0; stream < STREAM_COUNT; stream++)
		each += sampler_attr_width(sampler, stream, machine ? -1 : options->tids[0]);
	return sampler->cpu_count * (threads * each + (machine ? 0 : 2 + 2 * options->other_count));
}

static int open_rung(struct sampler *sampler, const struct sampler_options *options, enum rung rung,
		     struct err *err)
{
	sampler->rung = rung;
	for (size_t i = 0; i < sampler->cpu_count; i++) {
		int rc = rung == RUNG_MACHINE ? open_machine(sampler, options, i, err)
					      : open_threads(sampler, options, i, err);

		if (rc < 0) {
			close_all(sampler);
			return open_limit_explain(rc, OTHER_FILES + count_wanted(sampler, options),
						  "sampling so many threads and CPUs", err);
		}
	}
	return sampler->fds.count ? 0 : perf_limits_explain(-ESRCH, false, err);
}

static bool is_permission(int rc)
{
	return rc == -EACCES || rc == -EPERM;
}

/* Describes what the chosen rung leaves out, and the one command that would provide it, or the
 * first part of it. For the whole machine that is a capability of one program: below level 1, every
 * program of every user might watch all others. */
static void explain_missing(struct sampler *sampler, const char *others)
{
	if (sampler->rung == RUNG_MACHINE)
		return;
	err_set(&sampler->missing, 0,
		"%s%s (kernel.perf_event_paranoid is %lld); run with sudo, or %s",
		others ? others : "other processes",
		sampler->rung == RUNG_OWN_USER ? " and the kernel" : "",
		(long long)perf_limits_paranoid(),
		sampler->rung == RUNG_OWN_USER
			? "once: sudo sysctl -w kernel.perf_event_paranoid=1"
			: "give prospect CAP_PERFMON: 'prospect check --fix' says how");
}

/* Steps down the ladder of privilege until the events can be opened. */
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
		explain_missing(sampler, options->others);
	else if (rc == 0 && rung == RUNG_OWN_USER)
		err_set(&sampler->missing, 0,
			"the kernel (kernel.perf_event_paranoid is %lld); run with sudo, or once: "
			"sudo "
			"sysctl -w kernel.perf_event_paranoid=1",
			(long long)perf_limits_paranoid());
	return rc;
}

/* Steps down the ladder of stacks as long as the stacks are what fails. */
static int open_with_stacks(struct sampler *sampler, const struct sampler_options *options,
			    struct err *err)
{
	struct err why = { "" };
	int rc;

	do {
		sampler->stacks_refused = false;
		rc = open_ladder(sampler, options, &why);
	} while (rc < 0 && sampler->stacks_refused && sampler_stacks_step_down(sampler, why.text));
	if (rc < 0 && err)
		*err = why;
	return rc;
}

/* Linux 6.0 counts losses per event; older kernels reject the flag. */
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

static int find_cpus(struct sampler *sampler, const struct sampler_options *options,
		     struct err *err)
{
	int *numbers;
	int rc = cpu_list_online(&numbers, &sampler->cpu_count, err);

	if (rc < 0)
		return rc;
	sampler->cpus = xcalloc(sampler->cpu_count, sizeof(*sampler->cpus));
	for (size_t i = 0; i < sampler->cpu_count; i++) {
		bool sampled = !options->cpu_count ||
			       cpu_list_has(options->cpus, options->cpu_count, numbers[i]);

		sampler->cpus[i] = (struct sampler_cpu){ .number = numbers[i], .sampled = sampled };
		if (sampled)
			*vec_push(&sampler->sampled_cpus) = numbers[i];
	}
	free(numbers);
	return 0;
}

static const struct perf_format *format_of(void *context, uint64_t id)
{
	const struct sampler *sampler = context;
	const struct perf_fd *event = sampler_open_find(sampler, id);

	if (!event)
		return NULL;
	if (event->stream == STREAM_OUTPUT || event->stream == STREAM_WAITS)
		return &sampler->output_format;
	if (event->silent)
		return &sampler->silent_formats[event->by_program ? SAMPLER_BARE
						: event->dumps	  ? SAMPLER_DUMP
								  : SAMPLER_CHAIN];
	if (event->by_program)
		return &sampler->bare_format;
	return event->dumps ? &sampler->dump_format : NULL;
}

/* True if the event's samples are written where it is counted: software events without program. */
static bool counts_in_place(const struct sampler *sampler, const struct perf_fd *event)
{
	return event->stream == STREAM_EVENT && !event->by_program &&
	       !sampler->events[event->event].hardware;
}

/*
 * The event that wrote a sample. If several software events of one kind see the same page fault or
 * switch, even those of other profilers, the kernel (seen in 6.18) fills in the head of the sample
 * once, for the first event, and the others write that event's id to their rings. So an unknown id
 * means the ring's software event, if there is only one.
 */
static uint64_t writer_of(void *context, size_t ring, uint64_t id)
{
	const struct sampler *sampler = context;
	const struct perf_fd *found = NULL;
	uint32_t index;

	if (hashidx_find(&sampler->ids, hash_u64(id), id_equal, sampler, &id, &index))
		return id;
	for (size_t i = 0; i < sampler->fds.count; i++) {
		const struct perf_fd *event = &sampler->fds.items[i];

		if (event->cpu != ring / 2 || !counts_in_place(sampler, event))
			continue;
		if (found && found->event != event->event)
			return id;
		found = event;
	}
	return found ? found->id : id;
}

static void make_silent_formats(struct sampler *sampler, const struct perf_format *chain)
{
	sampler->silent_formats[SAMPLER_CHAIN] = *chain;
	sampler->silent_formats[SAMPLER_BARE] = sampler->bare_format;
	sampler->silent_formats[SAMPLER_DUMP] = sampler->dump_format;
	for (size_t i = 0; i < SAMPLER_FORMATS; i++)
		sampler->silent_formats[i].sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
}

static size_t wanted_ring_bytes(const struct sampler *sampler,
				const struct sampler_options *options)
{
	if (options->ring_bytes)
		return options->ring_bytes;
	if (sampler->stacks < STACK_RUNG_DUMP)
		return MAX_RING_BYTES;
	return sampler->cpu_count <= FEW_CPUS ? DUMP_RING_BYTES : DUMP_RING_BYTES / 2;
}

static void choose_events(struct sampler *sampler, const struct sampler_options *options)
{
	sampler->events_optional = options->events_optional;
	sampler->build_ids = options->build_ids;
	for (; sampler->event_count < options->event_count &&
	       sampler->event_count < SAMPLER_MAX_EVENTS;
	     sampler->event_count++)
		sampler->events[sampler->event_count] = options->events[sampler->event_count];
}

int sampler_open(const struct sampler_options *options, struct sampler **ret_sampler,
		 struct err *err)
{
	struct sampler *sampler = xcalloc(1, sizeof(*sampler));
	double idle_hz = options->rate_hz < SAMPLER_IDLE_HZ ? options->rate_hz : SAMPLER_IDLE_HZ;
	struct perf_format format = perf_record_live_format();
	int rc;

	sampler->rate_hz = options->rate_hz;
	choose_events(sampler, options);
	sampler->clock_period_ns = (uint64_t)(NS_PER_S / options->rate_hz);
	sampler->idle_period_ns = (uint64_t)(NS_PER_S / idle_hz);
	sampler->jitter_state = options->seed;
	sampler->waits = options->waits;
	sampler->format_lost = kernel_counts_lost();
	rc = find_cpus(sampler, options, err);
	if (rc == 0) {
		sampler_stacks_begin(sampler, options);
		sampler->ring_bytes = power_of_two(wanted_ring_bytes(sampler, options));
		rc = open_with_stacks(sampler, options, err);
	}
	if (rc < 0) {
		sampler_free(sampler);
		return rc;
	}
	sampler->queue = record_queue_new(2 * sampler->cpu_count, &format);
	sampler->output_format = format;
	sampler->output_format.sample_type = SAMPLER_OUTPUT_TYPE;
	sampler->bare_format = format;
	sampler->bare_format.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	make_silent_formats(sampler, &format);
	record_queue_set_events(sampler->queue,
				&(struct record_queue_events){ .context = sampler,
							       .format_of = format_of,
							       .whose = writer_of });
	*ret_sampler = sampler;
	return 0;
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	sampler_stacks_done(sampler);
	close_all(sampler);
	vec_free(&sampler->fds);
	vec_free(&sampler->poll_fds);
	vec_free(&sampler->sampled_cpus);
	record_queue_free(sampler->queue);
	free(sampler->cpus);
	free(sampler);
}
