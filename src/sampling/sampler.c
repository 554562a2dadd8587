/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/sampler.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "perf/record_queue.h"
#include "sampling/off_cpu.h"
#include "sampling/sampler_parts.h"

enum {
	TICKS_BETWEEN_DRAWS = 16, /* restarting a CPU's timer loses no time (period.h) */
	/* Least time between two collections while records are processed. */
	KEEP_UP_NS = 5 * 1000 * 1000,
	/* Above this many bytes in the queue the rings are not emptied. They may then overflow,
	 * which is counted. */
	MAX_WAITING_BYTES = 16 << 20,
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

const char *stack_rung_text(enum stack_rung rung)
{
	static const char *const texts[] = {
#define ROW(id, text) text,
		STACK_RUNGS(ROW)
#undef ROW
	};

	return texts[rung];
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

/* Copies may fill half of each ring; the other half is for samples. */
static void allow_copies(struct sampler *sampler)
{
	if (sampler->program)
		stack_program_allow_copies(sampler->program, sampler->ring_bytes / 2);
}

/* Tracking first: a sample must not precede the records that explain it. */
void sampler_enable(struct sampler *sampler)
{
	allow_copies(sampler);
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

void sampler_stop_waits(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->fds.count; i++) {
		if (sampler->fds.items[i].stream == STREAM_WAITS)
			ioctl(sampler->fds.items[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	}
}

/* Threads of -p share their CPU's history: their periods are equal and noted once. */
static void set_period(struct sampler *sampler, struct perf_fd *event, uint64_t period_ns)
{
	struct period_history *history = history_of(sampler, event);
	uint64_t before;

	/* Directly before the change: a signal may stop us after any call, and samples lost until
	 * then were lost at the old period. */
	if (event->stream == STREAM_CLOCK)
		sampler_losses_note(sampler, event);
	before = clock_ns();
	if (ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &period_ns) == 0 &&
	    history->phases[history->newest].period_ns != period_ns)
		period_change(history, (before + clock_ns()) / 2, period_ns);
}

static void set_count(struct perf_fd *event, uint64_t count)
{
	uint64_t before = clock_ns();

	if (ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &count) < 0)
		return;
	event->drawn_ns = (before + clock_ns()) / 2;
	event->period_before = event->period;
	event->period = count;
	event->since_draw = 0;
}

/* Draws new counts for an event that is sampled by count, once it has given enough samples on each
 * CPU. Inherited events of threads keep their initial count, and samples of software events do not
 * carry theirs; so each software event of a thread keeps its first count. */
static void jitter_counts(struct sampler *sampler, size_t event)
{
	uint64_t mean = sampler->events[event].period, fds = 0;

	if (mean < SAMPLER_LEAST_JITTERED ||
	    (sampler->rung != RUNG_MACHINE && !sampler->events[event].hardware))
		return;
	for (size_t i = 0; i < sampler->fds.count; i++)
		fds += sampler->fds.items[i].stream == STREAM_EVENT &&
		       sampler->fds.items[i].event == event;
	if (sampler->undrawn[event] < SAMPLER_SAMPLES_BETWEEN_DRAWS * fds)
		return;
	sampler->undrawn[event] = 0;
	for (size_t i = 0; i < sampler->fds.count; i++) {
		struct perf_fd *each = &sampler->fds.items[i];

		if (each->stream == STREAM_EVENT && each->event == event)
			set_count(each, period_draw(&sampler->jitter_state, mean));
	}
}

void sampler_jitter(struct sampler *sampler)
{
	uint64_t now = clock_ns();
	uint64_t clock_period, idle_period;

	if (now - sampler->last_jitter_ns < TICKS_BETWEEN_DRAWS * sampler->clock_period_ns)
		return;
	/* Threads get one draw, before any of them starts. Inherited events keep their initial
	 * period, and the kernel lets related threads swap their events at a switch
	 * (perf_event_context_sched_out). With two periods, the period of a sample would be
	 * unknown. */
	if (sampler->rung != RUNG_MACHINE && sampler->last_jitter_ns)
		return;
	sampler->last_jitter_ns = now;
	for (size_t i = 0; i < sampler->event_count; i++)
		jitter_counts(sampler, i);
	clock_period = period_draw_timer(&sampler->jitter_state, sampler->clock_period_ns);
	idle_period = period_draw_timer(&sampler->jitter_state, sampler->idle_period_ns);
	for (size_t i = 0; i < sampler->fds.count; i++) {
		struct perf_fd *event = &sampler->fds.items[i];

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

struct taker {
	struct sampler *sampler;
	void (*take)(void *context, const struct perf_record *record);
	void *context;
};

static void collect(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->cpu_count; i++) {
		struct sampler_cpu *cpu = &sampler->cpus[i];
		struct ring_context samples = { sampler, 2 * i };
		struct ring_context tracking = { sampler, 2 * i + 1 };

		note_fill(sampler, ring_read(&cpu->samples.ring, queue_record, &samples));
		if (cpu->tracking.ring.page)
			ring_read(&cpu->tracking.ring, queue_record, &tracking);
	}
	allow_copies(sampler);
	sampler->collected_ns = clock_ns();
}

void sampler_keep_up(struct sampler *sampler)
{
	if (record_queue_waiting(sampler->queue) < MAX_WAITING_BYTES &&
	    clock_ns() - sampler->collected_ns >= KEEP_UP_NS)
		collect(sampler);
}

/*
 * The weight of a sample of a software event: the count that was set at its time.
 * PERF_EVENT_IOC_PERIOD makes the kernel forget the events counted so far and turn the next event
 * into a sample (__perf_event_period of linux:kernel/events/core.c). That sample stands for the
 * events since the one before, half of the old count on average. The sample after it still waits
 * for the old count (perf_swevent_set_period).
 */
static uint64_t software_weight(struct perf_fd *event, uint64_t time_ns)
{
	if (time_ns < event->drawn_ns)
		return event->period_before;
	switch (event->since_draw++) {
	case 0:
		return (event->period_before + 1) / 2;
	case 1:
		return event->period_before;
	default:
		return event->period;
	}
}

static struct perf_fd *fd_of(struct sampler *sampler, uint64_t id)
{
	const struct perf_fd *found = sampler_open_find(sampler, id);

	return found ? &sampler->fds.items[found - sampler->fds.items] : NULL;
}

static void count_sample(struct sampler *sampler, struct perf_record *record)
{
	struct perf_fd *event = fd_of(sampler, record->id);

	if (!event || event->stream != STREAM_EVENT)
		return;
	sampler->undrawn[event->event]++;
	if (event->silent)
		record->sample.period = software_weight(event, record->time_ns);
}

/* The kernel writes fork and exit records for every event that follows mappings, requested or not
 * (perf_event_task_match of linux:kernel/events/core.c). The stream track has each of them once. */
static bool is_told_twice(const struct sampler *sampler, const struct perf_record *record)
{
	return (record->type == PERF_RECORD_FORK || record->type == PERF_RECORD_EXIT) &&
	       sampler_source(sampler, record->id).stream == STREAM_TRACK_ID;
}

static void hand_out(void *context, const struct perf_record *record)
{
	const struct taker *taker = context;
	struct perf_record converted = *record;

	sampler_keep_up(taker->sampler);
	if (is_told_twice(taker->sampler, record) ||
	    !sampler_stacks_convert(taker->sampler, &converted))
		return;
	if (converted.type == PERF_RECORD_SAMPLE)
		count_sample(taker->sampler, &converted);
	taker->take(taker->context, &converted);
}

void sampler_drain(struct sampler *sampler, uint64_t cutoff_ns,
		   void (*take)(void *context, const struct perf_record *record), void *context)
{
	struct taker taker = { sampler, take, context };

	collect(sampler);
	record_queue_release(sampler->queue, cutoff_ns, hand_out, &taker);
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

	for (size_t i = 0; i < sampler->fds.count && count < sampler_cpus(sampler); i++) {
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
	const struct perf_fd *event = sampler_open_find(sampler, id);

	if (!event)
		return (struct sampler_source){ STREAM_COUNT, 0 };
	return (struct sampler_source){ event->stream, event->event };
}

uint64_t sampler_weight(const struct sampler *sampler, const struct perf_record *record)
{
	const struct perf_fd *event = sampler_open_find(sampler, record->id);
	const struct period_history *history;

	if (!event || !is_timer(event))
		return record->sample.period;
	history = event->stream == STREAM_IDLE ? &sampler->cpus[event->cpu].idle
					       : &sampler->cpus[event->cpu].clock;
	/* A thread's timer stops with the thread, so its first tick carries no extra time. */
	return event->tid == -1 ? period_weight(history, record->time_ns)
				: period_at(history, record->time_ns);
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

size_t sampler_cpu_numbers(const struct sampler *sampler, const int **ret_numbers)
{
	*ret_numbers = sampler->sampled_cpus.items;
	return sampler->sampled_cpus.count;
}

size_t sampler_cpus(const struct sampler *sampler)
{
	return sampler->sampled_cpus.count;
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
