/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile made by hand, so that the truth is known. Every hit weighs 1 ms unless said otherwise.
 */
#ifndef UNIT_AGGREGATE_FIXTURE_H
#define UNIT_AGGREGATE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aggregate/labels.h"
#include "aggregate/tables/tally.h"
#include "base/clock.h"

struct fixture {
	struct profile *profile;
	struct labels labels;
	struct tally totals;
};

static inline str_id fixture_text(struct fixture *fixture, const char *text)
{
	return strpool_intern(&fixture->profile->strings, text);
}

static inline uint8_t fixture_event(struct fixture *fixture, const char *name, const char *unit)
{
	uint8_t event = (uint8_t)fixture->profile->event_count++;

	fixture->profile->events[event] = (struct event){ .name = fixture_text(fixture, name),
							  .unit = fixture_text(fixture, unit),
							  .clock = CLOCK_TIMER,
							  .rate_hz = 1000 };
	return event;
}

/* A profile of the whole machine: 2 CPUs for 10 s, one event, cpu-clock. */
static inline void fixture_init(struct fixture *fixture)
{
	struct run_facts *run;

	*fixture = (struct fixture){ .profile = profile_new() };
	run = &fixture->profile->run;
	profile_set_text(&run->scope, "machine");
	run->cpus = 2;
	run->start_ns = 100 * NS_PER_S;
	run->end_ns = 110 * NS_PER_S;
	fixture_event(fixture, "cpu-clock", "ns");
}

/* To be called when the profile has all its rows. */
static inline const struct labels *fixture_labels(struct fixture *fixture)
{
	labels_done(&fixture->labels);
	labels_init(&fixture->labels, fixture->profile);
	return &fixture->labels;
}

static inline void fixture_done(struct fixture *fixture)
{
	labels_done(&fixture->labels);
	tally_done(&fixture->totals);
	profile_free(fixture->profile);
}

static inline uint32_t fixture_process(struct fixture *fixture, const char *program, int32_t pid)
{
	struct process process = { .pid = pid,
				   .program = fixture_text(fixture, program),
				   .instance = 1,
				   .uid = (uint32_t)pid / 1000 };

	for (size_t i = 1; i < fixture->profile->processes.count; i++)
		process.instance += fixture->profile->processes.items[i].program == process.program;
	return profile_add_process(fixture->profile, &process);
}

static inline uint32_t fixture_task(struct fixture *fixture, uint32_t process, const char *comm)
{
	struct task task = { .process = process,
			     .tid = fixture->profile->processes.items[process].pid,
			     .comm = fixture_text(fixture, comm) };

	return profile_task(fixture->profile, &task);
}

/* A stack of one frame in a function at 0x1000 bytes from the image's other ones; @symbol NULL: not
 * resolved. */
static inline uint32_t fixture_stack(struct fixture *fixture, const char *path, const char *symbol,
				     uint64_t start, enum symbol_kind kind)
{
	struct profile *profile = fixture->profile;
	struct image image = { .kind = *path == '[' ? IMAGE_KERNEL : IMAGE_FILE,
			       .path = fixture_text(fixture, path) };
	struct frame frame = { .image = profile_image(profile, &image),
			       .offset = start + 4,
			       .address = start + 4,
			       .address_known = true };
	struct symbol row = { .image = frame.image, .start = start, .size = 16, .kind = kind };

	if (symbol) {
		row.name = fixture_text(fixture, symbol);
		frame.symbol = profile_symbol(profile, &row);
	}
	return profile_stack(profile, 0, profile_frame(profile, &frame));
}

/* The caller @parent (0: none) calls @symbol of @path, @distance bytes into it. */
static inline uint32_t fixture_callee(struct fixture *fixture, uint32_t parent, const char *path,
				      const char *name, uint64_t distance)
{
	struct profile *profile = fixture->profile;
	struct image image = { .kind = *path == '[' ? IMAGE_KERNEL : IMAGE_FILE,
			       .path = fixture_text(fixture, path) };
	struct symbol symbol = { .image = profile_image(profile, &image),
				 .name = fixture_text(fixture, name),
				 .start = 16 * (uint64_t)fixture_text(fixture, name),
				 .size = 16,
				 .kind = SYMBOL_NAMED };
	struct frame frame = { .image = symbol.image,
			       .offset = symbol.start + distance,
			       .address = symbol.start + distance,
			       .address_known = true,
			       .kind = FRAME_RETURN,
			       .symbol = profile_symbol(profile, &symbol) };

	return profile_stack(profile, parent, profile_frame(profile, &frame));
}

/* The functions of one file that call each other, "main parse lex", below @parent. */
static inline uint32_t fixture_chain(struct fixture *fixture, uint32_t parent, const char *path,
				     const char *names)
{
	char *copy = strdup(names), *rest = copy, *name;

	while ((name = strsep(&rest, " ")))
		parent = fixture_callee(fixture, parent, path, name, 4);
	free(copy);
	return parent;
}

/* The root of stacks that are cut, named as resolving names it. */
static inline uint32_t fixture_cut(struct fixture *fixture, enum stack_end end)
{
	struct profile *profile = fixture->profile;
	uint32_t frame = profile_cut(profile, end);
	struct symbol symbol = { .image = profile->frames.items[frame].image, .kind = SYMBOL_NONE };

	symbol.name = profile->images.items[symbol.image].path;
	profile->frames.items[frame].symbol = profile_symbol(profile, &symbol);
	return profile_stack(profile, 0, frame);
}

static inline struct total fixture_total(uint32_t task, uint32_t stack, enum mode mode,
					 enum context context, uint64_t samples)
{
	return (struct total){ .task = task,
			       .stack = stack,
			       .mode = (uint8_t)mode,
			       .context = (uint8_t)context,
			       .samples = samples,
			       .weight = samples * NS_PER_MS,
			       .weight_squared = (double)samples * NS_PER_MS * NS_PER_MS };
}

static inline void fixture_add(struct fixture *fixture, const struct total *total)
{
	struct event *event = &fixture->profile->events[total->event];

	tally_add_all(&fixture->totals, &(const struct total *){ total }, 1);
	event->samples += total->samples;
	event->weight += total->weight;
	if (total->mode == MODE_KERNEL)
		event->kernel_samples += total->samples;
	else
		event->user_samples += total->samples;
}

static inline void fixture_hit(struct fixture *fixture, uint32_t task, uint32_t stack,
			       enum mode mode, enum context context, uint64_t samples)
{
	struct total total = fixture_total(task, stack, mode, context, samples);

	fixture_add(fixture, &total);
}

#endif
