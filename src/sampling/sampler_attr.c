/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <time.h>

#include "sampling/sampler_parts.h"

/* Stack copies arrive fast, and stop only when user space provides tables. So a few of them wake
 * it. */
enum { WAKE_UP_BYTES = 128 * 1024 };

static uint32_t wake_up_bytes(const struct sampler *sampler)
{
	size_t part = sampler->ring_bytes / 4;

	return part < WAKE_UP_BYTES ? (uint32_t)part : WAKE_UP_BYTES;
}

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
		.watermark = 1,
		.wakeup_watermark = wake_up_bytes(sampler),
		.read_format = sampler->format_lost ? PERF_FORMAT_LOST : 0,
	};
}

/* The program takes the samples of all named events except tracepoints, which need another program
 * type. */
bool sampler_attr_by_program(const struct sampler *sampler, struct sampler_wanted wanted)
{
	return sampler->stacks == STACK_RUNG_INTERRUPT &&
	       (wanted.stream == STREAM_CLOCK ||
		(wanted.stream == STREAM_EVENT &&
		 sampler->events[wanted.event].type != PERF_TYPE_TRACEPOINT));
}

bool sampler_attr_silent(const struct sampler *sampler, struct sampler_wanted wanted)
{
	const struct event_spec *event = &sampler->events[wanted.event];

	return wanted.stream == STREAM_EVENT && event->period && !event->hardware;
}

/* Requests what the kernel must provide for the user part. */
static void stack_attr(struct perf_event_attr *attr, const struct sampler *sampler,
		       struct sampler_wanted wanted)
{
	if (sampler_attr_by_program(sampler, wanted)) {
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN; /* the program takes it */
	} else if (sampler->stacks == STACK_RUNG_FRAME_POINTERS) {
		attr->exclude_callchain_user = 0;
	} else if (sampler->stacks >= STACK_RUNG_DUMP) {
		attr->sample_type = sampler->dump_format.sample_type;
		attr->sample_regs_user = sampler->dump_format.regs_user;
		attr->sample_stack_user = sampler->dump_bytes;
	}
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
	/* names, forks and symbols: only once */
	attr->comm = attr->comm_exec = attr->task = attr->ksymbol = !build_id;
}

/* The event that programs write to: what they pass becomes the sample's raw part. */
static void output_attr(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_BPF_OUTPUT;
	attr->sample_type = SAMPLER_OUTPUT_TYPE;
	attr->sample_period = 1;
	attr->inherit = 0;
}

/* Records every time a thread leaves its CPU or comes back. */
static void switch_attr(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->context_switch = 1;
}

static void event_attr(struct perf_event_attr *attr, const struct event_spec *event, double rate_hz)
{
	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = event->config1;
	attr->config2 = event->config2;
	attr->exclude_user = event->exclude_user;
	attr->exclude_kernel |= event->exclude_kernel;
	if (event->period) {
		attr->sample_period = event->period;
	} else {
		attr->freq = 1;
		attr->sample_freq =
			(uint64_t)((event->rate_hz > 0 ? event->rate_hz : rate_hz) + 0.5);
	}
}

struct perf_event_attr sampler_attr(const struct sampler *sampler, struct sampler_wanted wanted)
{
	struct perf_event_attr attr = base_attr(sampler);

	switch (wanted.stream) {
	case STREAM_CLOCK:
		timer_attr(&attr, sampler->clock_period_ns);
		attr.exclude_idle = 1;
		stack_attr(&attr, sampler, wanted);
		break;
	case STREAM_IDLE:
		timer_attr(&attr, sampler->idle_period_ns);
		break;
	case STREAM_EVENT:
		event_attr(&attr, &sampler->events[wanted.event], sampler->rate_hz);
		stack_attr(&attr, sampler, wanted);
		if (sampler_attr_silent(sampler, wanted))
			attr.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
		break;
	case STREAM_OUTPUT:
		output_attr(&attr);
		break;
	case STREAM_WAITS:
		if (sampler->waits == SAMPLER_WAITS_OUTPUT)
			output_attr(&attr);
		else
			switch_attr(&attr);
		break;
	default:
		track_attr(&attr, wanted.stream == STREAM_TRACK_ID);
		break;
	}
	return attr;
}

bool sampler_attr_optional(const struct sampler *sampler, struct sampler_wanted wanted)
{
	return wanted.stream == STREAM_TRACK_ID || wanted.stream == STREAM_WAITS ||
	       (wanted.stream == STREAM_EVENT && sampler->events_optional);
}

/* The idle stream is meaningful for the whole machine only. */
size_t sampler_attr_width(const struct sampler *sampler, enum stream stream, pid_t tid)
{
	if (stream == STREAM_IDLE)
		return sampler->rung == RUNG_MACHINE;
	if (stream == STREAM_TRACK_ID)
		return sampler->build_ids;
	if (stream == STREAM_OUTPUT)
		return sampler->stacks == STACK_RUNG_INTERRUPT && tid == -1;
	if (stream == STREAM_WAITS && sampler->waits == SAMPLER_WAITS_OWN)
		return tid != -1;
	if (stream == STREAM_WAITS && sampler->waits == SAMPLER_WAITS_SWITCHES)
		return tid != -1 || sampler->rung == RUNG_MACHINE;
	if (stream == STREAM_WAITS)
		return sampler->waits == SAMPLER_WAITS_OUTPUT && tid == -1;
	return stream == STREAM_EVENT ? sampler->event_count : 1;
}
