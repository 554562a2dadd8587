/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "sampling/sampler_parts.h"

static void add_losses(struct sampler_losses *losses, const struct perf_fd *event, uint64_t count)
{
	losses->streams[event->stream] += count;
	if (event->stream == STREAM_EVENT)
		losses->events[event->event] += count;
}

struct program_losses {
	const struct sampler *sampler;
	struct sampler_losses *losses;
	uint64_t of_known;
};

static void add_program_loss(void *context, uint64_t id, uint64_t count)
{
	struct program_losses *program = context;
	const struct perf_fd *event = sampler_open_find(program->sampler, id);

	if (!event)
		return;
	add_losses(program->losses, event, count);
	program->of_known += count;
}

/* Adds the stack program's losses. Those that it could not assign to an event count as the clock's.
 */
static void add_program_losses(struct sampler_losses *losses, const struct sampler *sampler)
{
	struct program_losses program = { sampler, losses, 0 };
	uint64_t all = stack_program_counter(sampler->program, STACK_COUNTER_LOST);

	stack_program_losses(sampler->program, add_program_loss, &program);
	if (all > program.of_known)
		losses->streams[STREAM_CLOCK] += all - program.of_known;
}

static uint64_t kernels_loss(const struct perf_fd *event)
{
	uint64_t values[2] = { 0 }; /* the count, then the losses */

	return read(event->fd, values, sizeof(values)) == sizeof(values) ? values[1] : 0;
}

static void add_kernels_losses(struct sampler_losses *losses, const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->fds.count; i++)
		add_losses(losses, &sampler->fds.items[i], kernels_loss(&sampler->fds.items[i]));
}

/* Asking the kernel costs a system call, so ask only about samples that the kernel takes. */
static uint64_t lost_by(const struct sampler *sampler, const struct perf_fd *event)
{
	if (event->by_program && sampler->program)
		return stack_program_lost(sampler->program, event->id);
	return sampler->format_lost ? kernels_loss(event) : 0;
}

static uint64_t period_now(const struct sampler *sampler, uint32_t cpu)
{
	const struct period_history *history = &sampler->cpus[cpu].clock;

	return history->phases[history->newest].period_ns;
}

void sampler_losses_note(const struct sampler *sampler, struct perf_fd *event)
{
	uint64_t lost = lost_by(sampler, event);

	event->noted_lost_ns += (lost - event->noted_lost) * period_now(sampler, event->cpu);
	event->noted_lost = lost;
}

/* The weight of the clock's @lost samples, each event's at its own periods. Few losses have no
 * known event; these get the current period. */
static uint64_t clock_weight(const struct sampler *sampler, uint64_t lost)
{
	uint64_t weight_ns = 0, known = 0;

	for (size_t i = 0; i < sampler->fds.count; i++) {
		struct perf_fd event = sampler->fds.items[i];

		if (event.stream != STREAM_CLOCK)
			continue;
		sampler_losses_note(sampler, &event);
		weight_ns += event.noted_lost_ns;
		known += event.noted_lost;
	}
	if (lost > known)
		weight_ns += (lost - known) * period_now(sampler, 0);
	return weight_ns;
}

struct sampler_losses sampler_losses(const struct sampler *sampler)
{
	struct sampler_losses losses = { .known = sampler->format_lost };

	if (losses.known)
		add_kernels_losses(&losses, sampler);
	if (sampler->program)
		add_program_losses(&losses, sampler);
	losses.clock_weight_ns = clock_weight(sampler, losses.streams[STREAM_CLOCK]);
	return losses;
}
