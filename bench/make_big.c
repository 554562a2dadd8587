/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_big FILE [SAMPLES [STACKS]]: writes a profile of a large machine into a new FILE, the same
 * one each time: 8 processors at 997 Hz, 50 programs in 400 processes and 1,000 threads, 10 million
 * samples and 500,000 distinct stacks unless said otherwise. It is the input of views.sh.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hashidx.h"
#include "store/store.h"

enum {
	START_S = 50000,
	CPUS = 8,
	PROGRAMS = 50,
	PROCESSES = 8,	 /* of each program */
	THREADS = 20,	 /* of each program */
	FUNCTIONS = 400, /* of each program */
	SHARED_FUNCTIONS = 2000,
	KERNEL_FUNCTIONS = 3000,
	PLACES = 3,    /* calls in each function */
	CALLEES = 6,   /* of a place */
	FORK_FROM = 8, /* frames that are common to most stacks of a program */
	DEEPEST = 40,
	PER_FLUSH = 1000000,
};

struct big {
	struct profile *profile;
	struct store_writer *writer;
	uint32_t *frames; /* those of programs, then the shared, then the kernel's */
	uint32_t *stacks; /* leaves; those of a program stand together */
	uint32_t tasks[PROGRAMS][THREADS];
	size_t stack_count;
	uint64_t random;
};

static uint32_t draw(struct big *big, uint32_t below)
{
	big->random = hash_u64(big->random + 0x9e3779b97f4a7c15ULL);
	return (uint32_t)((big->random >> 32) * below >> 32);
}

/* Low numbers far more often than high ones, as hot functions are. */
static uint32_t draw_skewed(struct big *big, uint32_t below)
{
	double unit = draw(big, 1 << 30) / (double)(1 << 30);

	return (uint32_t)(unit * unit * unit * below);
}

static str_id text(struct big *big, const char *string)
{
	return strpool_intern(&big->profile->strings, string);
}

static str_id numbered(struct big *big, const char *before, int number, const char *after)
{
	char name[96];

	snprintf(name, sizeof(name), "%s%d%s", before, number, after);
	return text(big, name);
}

static void begin_run(struct big *big, uint64_t samples)
{
	struct run_facts *run = &big->profile->run;

	profile_set_text(&run->hostname, "big.example");
	profile_set_text(&run->command, "make_big");
	profile_set_text(&run->scope, "machine");
	profile_set_text(&run->rung, "machine");
	profile_set_text(&run->stacks, "full");
	run->cpus = CPUS;
	run->start_ns = START_S * NS_PER_S;
	run->end_ns = run->start_ns + samples / CPUS * NS_PER_MS;
	run->start_realtime_ns = 1795226400 * NS_PER_S;
	big->profile->event_count = 1;
	big->profile->events[0] = (struct event){ .name = text(big, "cpu-clock"),
						  .unit = text(big, "ns"),
						  .clock = CLOCK_TIMER,
						  .rate_hz = 997 };
}

/* The frames of @count functions of an image, PLACES of each, at @frames. */
static void make_functions(struct big *big, enum image_kind kind, str_id path, const char *names,
			   const char *after, int count, uint32_t *frames)
{
	struct image image = { .kind = kind, .state = IMAGE_STATE_READ, .path = path };
	uint32_t id = profile_image(big->profile, &image);

	for (int i = 0; i < count * PLACES; i++) {
		struct symbol symbol = { .image = id,
					 .name = numbered(big, names, i / PLACES, after),
					 .start = 0x1000 + 256 * (uint64_t)(i / PLACES),
					 .size = 200,
					 .kind = SYMBOL_NAMED };
		struct frame frame = { .image = id,
				       .offset = symbol.start + 17 * (uint64_t)(i % PLACES),
				       .address_known = true,
				       .kind = FRAME_RETURN,
				       .symbol = profile_symbol(big->profile, &symbol) };

		frame.address = frame.offset;
		frames[i] = profile_frame(big->profile, &frame);
	}
}

static uint32_t *frames_of(const struct big *big, int program)
{
	return big->frames + program * FUNCTIONS * PLACES;
}

static void make_code(struct big *big)
{
	char names[64];

	big->frames = calloc(PROGRAMS * FUNCTIONS * PLACES + SHARED_FUNCTIONS * PLACES +
				     KERNEL_FUNCTIONS * PLACES,
			     sizeof(*big->frames));
	for (int i = 0; i < PROGRAMS; i++) {
		snprintf(names, sizeof(names), "_ZN%dprogram%d8functionILi", i > 9 ? 9 : 8, i);
		make_functions(big, IMAGE_FILE, numbered(big, "/usr/bin/program", i, ""), names,
			       "EEEvv", FUNCTIONS, frames_of(big, i));
	}
	make_functions(big, IMAGE_FILE, text(big, "/usr/lib/libshared.so.1"), "shared_function_",
		       "", SHARED_FUNCTIONS, frames_of(big, PROGRAMS));
	make_functions(big, IMAGE_KERNEL, text(big, "[kernel]"), "kernel_function_", "",
		       KERNEL_FUNCTIONS, frames_of(big, PROGRAMS) + SHARED_FUNCTIONS * PLACES);
}

/* The frame that @choice calls: each calls a few, most of them one in particular. */
static uint32_t callee(const struct big *big, int program, uint32_t caller, uint32_t choice)
{
	uint64_t hash = hash_combine(caller, choice);
	bool shared = hash % 4 == 0;
	size_t count = (shared ? SHARED_FUNCTIONS : FUNCTIONS) * PLACES;

	return frames_of(big, shared ? PROGRAMS : program)[(hash >> 8) % count];
}

/* One more stack of @program: as one of those before for most of its way. May be an old one. */
static uint32_t make_stack(struct big *big, int program, uint32_t before)
{
	const struct stack_node *nodes = big->profile->stacks.items;
	uint32_t up = draw(big, 6), further = 1 + draw(big, 6), stack = before;
	uint32_t frame;

	if (nodes[stack].depth > DEEPEST)
		up = DEEPEST - FORK_FROM;
	for (; up && nodes[stack].depth > FORK_FROM; up--)
		stack = nodes[stack].parent;
	frame = nodes[stack].frame;
	for (uint32_t i = 0; i < further; i++) {
		frame = callee(big, program, frame, draw_skewed(big, CALLEES));
		stack = profile_stack(big->profile, stack, frame);
	}
	return stack;
}

static void make_stacks(struct big *big)
{
	size_t each = big->stack_count / PROGRAMS;

	big->stacks = calloc(big->stack_count, sizeof(*big->stacks));
	for (size_t i = 0; i < each * PROGRAMS; i++) {
		size_t first = i / each * each;
		uint32_t before =
			i > first ? big->stacks[first + draw(big, (uint32_t)(i - first))] : 0;

		big->stacks[i] = make_stack(big, (int)(i / each), before);
	}
}

static void make_tasks(struct big *big, int program)
{
	uint32_t processes[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		struct process process = { .pid = 1000 + program * PROCESSES + i,
					   .start_ns = (START_S - 1) * NS_PER_S,
					   .uid = (uint32_t)program,
					   .program = numbered(big, "program", program, ""),
					   .cgroup = numbered(big, "/system.slice/program", program,
							      ""),
					   .instance = (uint32_t)i + 1 };

		processes[i] = profile_add_process(big->profile, &process);
	}
	for (int i = 0; i < THREADS; i++) {
		struct task task = { .process = processes[i % PROCESSES],
				     .tid = 10000 + program * THREADS + i,
				     .comm = numbered(big, "worker", i, "") };

		big->tasks[program][i] = profile_task(big->profile, &task);
	}
}

/* A stack mostly belongs to one thread. */
static struct sample make_sample(struct big *big, uint64_t number)
{
	size_t each = big->stack_count / PROGRAMS;
	uint32_t program = draw_skewed(big, PROGRAMS), stack = draw_skewed(big, (uint32_t)each);
	uint32_t thread = draw(big, 10) ? stack % THREADS : draw(big, THREADS);

	return (struct sample){
		.time_ns = START_S * NS_PER_S + number / CPUS * NS_PER_MS + draw(big, 900000),
		.weight = NS_PER_MS + (number / 160 * 7919 % 401) * 1000 - 200000,
		.task = big->tasks[program][thread],
		.stack = big->stacks[program * each + stack],
		.cpu = (uint16_t)(number % CPUS),
		.mode = stack % 5 ? MODE_USER : MODE_KERNEL,
	};
}

static int write_samples(struct big *big, uint64_t count, struct err *err)
{
	struct event *event = &big->profile->events[0];
	uint64_t end_ns = big->profile->run.end_ns;
	int rc = 0;

	big->profile->run.end_ns = 0;
	for (uint64_t i = 0; rc == 0 && i < count; i++) {
		struct sample sample = make_sample(big, i);

		store_add(big->writer, &sample);
		event->samples++;
		event->weight += sample.weight;
		*(sample.mode == MODE_USER ? &event->user_samples : &event->kernel_samples) += 1;
		if (i % PER_FLUSH == PER_FLUSH - 1)
			rc = store_flush(big->writer, err);
	}
	big->profile->run.end_ns = end_ns;
	return rc < 0 ? rc : store_flush(big->writer, err);
}

static int make(struct big *big, const char *path, uint64_t samples, struct err *err)
{
	int rc = store_create(path, big->profile, &big->writer, err);

	if (rc < 0)
		return rc;
	begin_run(big, samples);
	make_code(big);
	for (int i = 0; i < PROGRAMS; i++)
		make_tasks(big, i);
	make_stacks(big);
	return write_samples(big, samples, err);
}

int main(int argc, char **argv)
{
	uint64_t samples = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
	struct big big = { .profile = profile_new(),
			   .stack_count = argc > 3 ? strtoull(argv[3], NULL, 10) : 580000 };
	struct err err = { "" };
	int rc = 2;

	if (argc < 2 || samples < CPUS || big.stack_count < PROGRAMS)
		fputs("usage: make_big FILE [SAMPLES [STACKS]]\n", stderr);
	else if (make(&big, argv[1], samples, &err) < 0)
		fprintf(stderr, "make_big: %s\n", err.text);
	else
		rc = 0;
	store_writer_free(big.writer);
	profile_free(big.profile);
	free(big.frames);
	free(big.stacks);
	return rc;
}
