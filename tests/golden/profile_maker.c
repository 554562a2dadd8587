/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile_maker.h"

#include <string.h>

str_id text(struct maker *maker, const char *string)
{
	return strpool_intern(&maker->profile->strings, string);
}

uint8_t add_event(struct maker *maker, const char *name, const char *unit, enum clock_kind clock)
{
	uint8_t event = (uint8_t)maker->profile->event_count++;

	maker->profile->events[event] = (struct event){
		.name = text(maker, name), .unit = text(maker, unit), .clock = clock, .rate_hz = 997
	};
	return event;
}

void begin_run(struct maker *maker)
{
	struct run_facts *run = &maker->profile->run;

	profile_set_text(&run->prospect_version, "0.1.0");
	profile_set_text(&run->hostname, "isv205.example");
	profile_set_text(&run->kernel_release, "6.1.0-56-amd64");
	profile_set_text(&run->machine, "x86_64");
	profile_set_text(&run->command, "./netperf4.sh");
	profile_set_text(&run->scope, "machine");
	profile_set_text(&run->rung, "machine");
	run->cpus = 2;
	run->start_ns = START_S * NS_PER_S;
	run->end_ns = (START_S + 5) * NS_PER_S;
	run->start_realtime_ns = 1795226400 * NS_PER_S;
	run->command_pid = 1000;
	run->prospect_pid = 999;
	run->idle_ns = 6100 * NS_PER_MS;
	run->iowait_ns = 40 * NS_PER_MS;
	run->stat_busy_ns = 3780 * NS_PER_MS;
	run->stat_shortfall_ns = 80 * NS_PER_MS;
	run->self_cpu_ns = 31 * NS_PER_MS;
	run->recording_cpu_ns = 20 * NS_PER_MS;
	run->max_rss_kb = 9216;
	run->ring_kb = 512;
	run->ring_high_water_permille = 84;
	run->ring_mean_permille = 21;
	maker->time_ns = run->start_ns;
	add_event(maker, "cpu-clock", "ns", CLOCK_TIMER);
}

uint32_t add_process(struct maker *maker, const char *program, int32_t pid, bool in_command)
{
	struct process process = { .pid = pid,
				   .start_ns = (START_S - 1) * NS_PER_S,
				   .uid = in_command ? 1000 : 0,
				   .program = text(maker, program),
				   .instance = 1,
				   .in_command = in_command };

	for (size_t i = 1; i < maker->profile->processes.count; i++)
		process.instance += maker->profile->processes.items[i].program == process.program;
	return profile_add_process(maker->profile, &process);
}

uint32_t add_task(struct maker *maker, uint32_t process, const char *comm)
{
	struct task task = { .process = process,
			     .tid = maker->profile->processes.items[process].pid,
			     .comm = text(maker, comm) };

	return profile_task(maker->profile, &task);
}

uint32_t add_program(struct maker *maker, const char *program, int32_t pid, bool in_command)
{
	return add_task(maker, add_process(maker, program, pid, in_command), program);
}

uint32_t add_image(struct maker *maker, enum image_kind kind, const char *path)
{
	struct image image = { .kind = kind, .state = IMAGE_STATE_READ, .path = text(maker, path) };

	return profile_image(maker->profile, &image);
}

uint32_t add_address(struct maker *maker, const struct symbol *symbol, uint64_t distance)
{
	struct frame frame = { .image = symbol->image,
			       .offset = symbol->start + distance,
			       .address = symbol->start + distance,
			       .address_known = true,
			       .kind = FRAME_EXACT,
			       .symbol = profile_symbol(maker->profile, symbol) };

	return profile_stack(maker->profile, 0, profile_frame(maker->profile, &frame));
}

uint32_t add_place(struct maker *maker, uint32_t image, const char *name, uint64_t start,
		   enum symbol_kind kind)
{
	struct symbol symbol = {
		.image = image, .name = text(maker, name), .start = start, .size = 64, .kind = kind
	};

	return add_address(maker, &symbol, 4);
}

static void add_sample(struct maker *maker, const struct sample *sample)
{
	struct event *row = &maker->profile->events[sample->event];

	store_add(maker->writer, sample);
	row->samples++;
	row->weight += sample->weight;
	row->user_samples += sample->mode == MODE_USER;
	row->kernel_samples += sample->mode == MODE_KERNEL;
	maker->added++;
}

void add_wait(struct maker *maker, uint32_t task, uint32_t stack, uint8_t event, uint64_t length_ns)
{
	maker->time_ns += length_ns;
	add_sample(maker, &(struct sample){ .time_ns = maker->time_ns,
					    .weight = length_ns,
					    .task = task,
					    .stack = stack,
					    .event = event,
					    .mode = MODE_KERNEL,
					    .context = CONTEXT_TASK });
}

void add_hits(struct maker *maker, uint32_t task, uint32_t stack, enum mode mode,
	      enum context context, uint8_t event, int count)
{
	for (int i = 0; i < count; i++) {
		struct sample sample = { .time_ns = maker->time_ns,
					 .weight = NS_PER_MS + (maker->added * 7919 % 401) * 1000 -
						   200000,
					 .task = task,
					 .stack = stack,
					 .cpu = (uint16_t)(maker->added % 2),
					 .event = event,
					 .mode = (uint8_t)mode,
					 .context = (uint8_t)context };

		add_sample(maker, &sample);
		maker->time_ns += NS_PER_MS;
	}
}

uint32_t add_file(struct maker *maker, enum image_kind kind, const char *path, int byte)
{
	struct image image = { .kind = kind,
			       .state = IMAGE_STATE_READ,
			       .path = text(maker, path),
			       .build_id_size = BUILD_ID_MAX };

	memset(image.build_id, byte, sizeof(image.build_id));
	return profile_image(maker->profile, &image);
}

uint32_t add_callee(struct maker *maker, uint32_t parent, uint32_t image, const char *name)
{
	struct symbol symbol = { .image = image,
				 .name = text(maker, name),
				 .start = 64 * (uint64_t)text(maker, name),
				 .size = 64,
				 .kind = SYMBOL_NAMED };
	struct frame frame = { .image = image,
			       .offset = symbol.start + 4,
			       .address = symbol.start + 4,
			       .address_known = true,
			       .kind = FRAME_RETURN,
			       .symbol = profile_symbol(maker->profile, &symbol) };

	return profile_stack(maker->profile, parent, profile_frame(maker->profile, &frame));
}

uint32_t add_cut(struct maker *maker, enum stack_end end)
{
	uint32_t frame = profile_cut(maker->profile, end);
	struct symbol symbol = { .image = maker->profile->frames.items[frame].image,
				 .kind = SYMBOL_NONE };

	symbol.name = maker->profile->images.items[symbol.image].path;
	maker->profile->frames.items[frame].symbol = profile_symbol(maker->profile, &symbol);
	return profile_stack(maker->profile, 0, frame);
}

uint32_t add_chain(struct maker *maker, uint32_t parent, uint32_t image, const char *const *names)
{
	for (; *names; names++)
		parent = add_callee(maker, parent, image, *names);
	return parent;
}
