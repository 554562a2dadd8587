/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "collect/sampler_parts.h"

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

/* What the stack program could not send; what it could not count by event is taken for the clock's.
 */
static void add_program_losses(struct sampler_losses *losses, const struct sampler *sampler)
{
	struct program_losses program = { sampler, losses, 0 };
	uint64_t all = stack_program_counter(sampler->program, STACK_COUNTER_LOST);

	stack_program_losses(sampler->program, add_program_loss, &program);
	if (all > program.of_known)
		losses->streams[STREAM_CLOCK] += all - program.of_known;
}

static void add_kernels_losses(struct sampler_losses *losses, const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->fds.count; i++) {
		const struct perf_fd *event = &sampler->fds.items[i];
		uint64_t values[2] = { 0 }; /* the count, then what was lost */

		if (read(event->fd, values, sizeof(values)) == sizeof(values))
			add_losses(losses, event, values[1]);
	}
}

/* What the clock lost since it was looked for, at the period that was set all the while. */
static uint64_t weight_since(const struct sampler *sampler, uint64_t clock_lost)
{
	const struct period_history *history = &sampler->cpus[0].clock;

	return (clock_lost - sampler->noted_lost) * history->phases[history->newest].period_ns;
}

struct sampler_losses sampler_losses(const struct sampler *sampler)
{
	struct sampler_losses losses = { .known = sampler->format_lost };

	if (losses.known)
		add_kernels_losses(&losses, sampler);
	if (sampler->program)
		add_program_losses(&losses, sampler);
	losses.clock_weight_ns =
		sampler->noted_lost_ns + weight_since(sampler, losses.streams[STREAM_CLOCK]);
	return losses;
}

void sampler_losses_note(struct sampler *sampler)
{
	struct sampler_losses losses;

	/* Asking the kernel costs a call for each event: only where there is something to be told.
	 */
	if (sampler->program && stack_program_counter(sampler->program, STACK_COUNTER_LOST) ==
					sampler->noted_by_program)
		return;
	losses = sampler_losses(sampler);
	if (sampler->program)
		sampler->noted_by_program =
			stack_program_counter(sampler->program, STACK_COUNTER_LOST);
	sampler->noted_lost_ns = losses.clock_weight_ns;
	sampler->noted_lost = losses.streams[STREAM_CLOCK];
}
