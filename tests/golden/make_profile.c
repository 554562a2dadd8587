/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_profile NAME FILE: writes the profile called NAME into a new FILE, the same one each time.
 * Without arguments it lists the names. They are the input of the golden tests.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/store.h"

enum { START_S = 1000 };

struct maker {
	struct profile *profile;
	struct store_writer *writer;
	uint64_t time_ns;
	uint32_t added; /* samples, gives each its CPU */
};

static str_id text(struct maker *maker, const char *string)
{
	return strpool_intern(&maker->profile->strings, string);
}

static uint8_t add_event(struct maker *maker, const char *name, const char *unit,
			 enum clock_kind clock)
{
	uint8_t event = (uint8_t)maker->profile->event_count++;

	maker->profile->events[event] = (struct event){
		.name = text(maker, name), .unit = text(maker, unit), .clock = clock, .rate_hz = 997
	};
	return event;
}

/* Two CPUs for 5 s; 997 Hz of cpu-clock. */
static void begin_run(struct maker *maker)
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
	run->max_rss_kb = 9216;
	run->ring_kb = 512;
	run->ring_high_water_permille = 84;
	run->ring_mean_permille = 21;
	maker->time_ns = run->start_ns;
	add_event(maker, "cpu-clock", "ns", CLOCK_TIMER);
}

static uint32_t add_process(struct maker *maker, const char *program, int32_t pid, bool in_command)
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

static uint32_t add_task(struct maker *maker, uint32_t process, const char *comm)
{
	struct task task = { .process = process,
			     .tid = maker->profile->processes.items[process].pid,
			     .comm = text(maker, comm) };

	return profile_task(maker->profile, &task);
}

static uint32_t add_program(struct maker *maker, const char *program, int32_t pid, bool in_command)
{
	return add_task(maker, add_process(maker, program, pid, in_command), program);
}

static uint32_t add_image(struct maker *maker, enum image_kind kind, const char *path)
{
	struct image image = { .kind = kind, .state = IMAGE_STATE_READ, .path = text(maker, path) };

	return profile_image(maker->profile, &image);
}

/* A stack of one frame, @distance bytes into a function. */
static uint32_t add_address(struct maker *maker, const struct symbol *symbol, uint64_t distance)
{
	struct frame frame = { .image = symbol->image,
			       .offset = symbol->start + distance,
			       .address = symbol->start + distance,
			       .address_known = true,
			       .kind = FRAME_EXACT,
			       .symbol = profile_symbol(maker->profile, symbol) };

	return profile_stack(maker->profile, 0, profile_frame(maker->profile, &frame));
}

static uint32_t add_place(struct maker *maker, uint32_t image, const char *name, uint64_t start,
			  enum symbol_kind kind)
{
	struct symbol symbol = {
		.image = image, .name = text(maker, name), .start = start, .size = 64, .kind = kind
	};

	return add_address(maker, &symbol, 4);
}

/* @count samples, spread over the run, of 1 ms (or 1 million) each with 20 % of jitter. */
static void add_hits(struct maker *maker, uint32_t task, uint32_t stack, enum mode mode,
		     enum context context, uint8_t event, int count)
{
	struct event *row = &maker->profile->events[event];

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

		store_add(maker->writer, &sample);
		row->samples++;
		row->weight += sample.weight;
		row->user_samples += mode == MODE_USER;
		row->kernel_samples += mode == MODE_KERNEL;
		maker->time_ns += NS_PER_MS;
		maker->added++;
	}
}

/* The paper's workload: two clients, an innocent bystander, interrupts of an idle machine. */
static void make_netperf(struct maker *maker)
{
	uint32_t netperf, libc, kernel, driver, spin, first, second, innocent, idle, quiet;
	uint32_t send, receive, sending, interrupt, rx, sendmsg, schedule, loop;

	begin_run(maker);
	netperf = add_image(maker, IMAGE_FILE, "/usr/local/netperf/netperf");
	libc = add_image(maker, IMAGE_FILE, "/lib/libc-2.2.4.so");
	spin = add_image(maker, IMAGE_FILE, "/usr/bin/cpuspin");
	kernel = add_image(maker, IMAGE_KERNEL, "[kernel]");
	driver = add_image(maker, IMAGE_MODULE, "[eepro100]");
	first = add_program(maker, "netperf", 1001, true);
	second = add_program(maker, "netperf", 1002, true);
	innocent = add_program(maker, "cpuspin", 700, false);
	idle = add_program(maker, "[idle]", 0, false);
	quiet = add_program(maker, "sleep", 1003, true);
	send = add_place(maker, netperf, "send_tcp_rr", 0x1400, SYMBOL_NAMED);
	receive = add_place(maker, libc, "recv->recvfrom", 0x8000, SYMBOL_BRACKET);
	sending = add_place(maker, libc, "send->sendmsg", 0x9000, SYMBOL_BRACKET);
	loop = add_place(maker, spin, "loop", 0x1130, SYMBOL_NAMED);
	interrupt = add_place(maker, driver, "speedo_interrupt", 0x100, SYMBOL_NAMED);
	rx = add_place(maker, driver, "speedo_rx", 0x900, SYMBOL_NAMED);
	sendmsg = add_place(maker, kernel, "tcp_sendmsg", 0x81000, SYMBOL_NAMED);
	schedule = add_place(maker, kernel, "schedule", 0x42000, SYMBOL_NAMED);
	add_hits(maker, first, send, MODE_USER, CONTEXT_TASK, 0, 82);
	add_hits(maker, first, receive, MODE_USER, CONTEXT_TASK, 0, 33);
	add_hits(maker, first, sending, MODE_USER, CONTEXT_TASK, 0, 29);
	add_hits(maker, first, sendmsg, MODE_KERNEL, CONTEXT_TASK, 0, 1037);
	add_hits(maker, first, interrupt, MODE_KERNEL, CONTEXT_HARDIRQ, 0, 282);
	add_hits(maker, second, send, MODE_USER, CONTEXT_TASK, 0, 75);
	add_hits(maker, second, sendmsg, MODE_KERNEL, CONTEXT_TASK, 0, 904);
	add_hits(maker, second, schedule, MODE_KERNEL, CONTEXT_TASK, 0, 101);
	add_hits(maker, second, rx, MODE_KERNEL, CONTEXT_SOFTIRQ, 0, 110);
	add_hits(maker, innocent, loop, MODE_USER, CONTEXT_TASK, 0, 730);
	add_hits(maker, innocent, interrupt, MODE_KERNEL, CONTEXT_HARDIRQ, 0, 142);
	add_hits(maker, innocent, rx, MODE_KERNEL, CONTEXT_SOFTIRQ, 0, 79);
	add_hits(maker, idle, interrupt, MODE_KERNEL, CONTEXT_HARDIRQ, 0, 60);
	(void)quiet;
}

/* 40 short compilations, one of which does most. */
static void make_build(struct maker *maker)
{
	uint32_t cc1, kernel, parse, fault;

	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "make -j2");
	maker->profile->run.command_status = 2 << 8;
	cc1 = add_image(maker, IMAGE_FILE, "/usr/libexec/gcc/x86_64-linux-gnu/12/cc1");
	kernel = add_image(maker, IMAGE_KERNEL, "[kernel]");
	fault = add_place(maker, kernel, "clear_page_erms", 0x5000, SYMBOL_NAMED);
	parse = add_place(maker, cc1, "_Z12parse_numberRSsi", 0x7000, SYMBOL_NAMED);
	for (int i = 0; i < 40; i++) {
		uint32_t task = add_program(maker, "cc1", 2000 + i, true);
		uint32_t own =
			add_place(maker, cc1, "ggc_alloc", 0x9000 + 64 * (uint64_t)i, SYMBOL_NAMED);

		add_hits(maker, task, parse, MODE_USER, CONTEXT_TASK, 0, i == 7 ? 800 : 20);
		add_hits(maker, task, own, MODE_USER, CONTEXT_TASK, 0, 10);
		add_hits(maker, task, fault, MODE_KERNEL, CONTEXT_TASK, 0, 5);
	}
	maker->profile->run.idle_ns = 7200 * NS_PER_MS;
}

/* Everything that can be lost was, a PMU beside the clock, and /proc/stat falls short. */
static void make_losses(struct maker *maker)
{
	struct loss *loss;
	uint8_t cycles;

	make_netperf(maker);
	cycles = add_event(maker, "cycles", "count", CLOCK_PMU_NMI);
	add_hits(maker, 1, 1, MODE_USER, CONTEXT_TASK, cycles, 90);
	add_hits(maker, 1, 5, MODE_KERNEL, CONTEXT_HARDIRQ, cycles, 10);
	loss = maker->profile->events[0].loss;
	for (uint64_t i = 0; i < LOSS_COUNT; i++)
		loss[i].count = 11 + i;
	loss[LOSS_THROTTLED] = (struct loss){ .weight = 30 * NS_PER_MS };
	loss[LOSS_MISSED_TICKS] = (struct loss){ 1500, 1500 * NS_PER_MS };
	maker->profile->events[cycles].loss[LOSS_RING_FULL].count = 3;
	maker->profile->run.stat_shortfall_ns = 1700 * NS_PER_MS;
	maker->profile->run.idle_ns = 4500 * NS_PER_MS;
	maker->profile->run.interrupt_known = 1;
	maker->profile->run.interrupt_ns = 62 * NS_PER_MS;
}

/* Names that want to command the terminal, break the line, or are no text at all. */
static void make_hostile(struct maker *maker)
{
	uint32_t image, task, place;

	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "sh -c 'printf \033[2J'");
	image = add_image(maker, IMAGE_FILE, "/tmp/\033]0;owned\a/a,\"b\"");
	task = add_program(maker, "evil\n[root]", 66, true);
	place = add_place(maker, image, "\xff\xfe<script>alert('\xe2\x80\xae')</script>", 0x10,
			  SYMBOL_NAMED);
	add_hits(maker, task, place, MODE_USER, CONTEXT_TASK, 0, 60);
	task = add_program(maker, "caf\xc3\xa9", 67, true);
	place = add_place(maker, image, "std::map<int, long>::find(int) const", 0x90, SYMBOL_NAMED);
	add_hits(maker, task, place, MODE_USER, CONTEXT_TASK, 0, 40);
}

/* A plain user's run, killed in the middle. */
static void make_partial(struct maker *maker)
{
	struct run_facts *run = &maker->profile->run;
	uint32_t image, task;

	begin_run(maker);
	profile_set_text(&run->scope, "command");
	profile_set_text(&run->rung, "own-user");
	profile_set_text(&run->not_visible,
			 "the kernel: kernel.perf_event_paranoid is 2; sudo sysctl "
			 "kernel.perf_event_paranoid=1 shows it\n"
			 "other processes: needs root, or CAP_PERFMON");
	run->end_ns = run->idle_ns = run->iowait_ns = run->stat_shortfall_ns = run->max_rss_kb = 0;
	image = add_image(maker, IMAGE_FILE, "/usr/bin/cpuspin");
	task = add_program(maker, "cpuspin", 70, true);
	add_hits(maker, task, add_place(maker, image, "loop", 0x1130, SYMBOL_NAMED), MODE_USER,
		 CONTEXT_TASK, 0, 75);
	add_hits(maker, task, add_place(maker, image, "[unknown]", 0, SYMBOL_NONE), MODE_USER,
		 CONTEXT_TASK, 0, 25);
}

/* A run in which nothing was hit. */
static void make_empty(struct maker *maker)
{
	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "true");
	maker->profile->run.idle_ns = 9990 * NS_PER_MS;
	add_program(maker, "true", 90, true);
}

/* An image in the folder the report is made in, with a build id of twenty bytes like @byte. */
static uint32_t add_file(struct maker *maker, enum image_kind kind, const char *path, int byte)
{
	struct image image = { .kind = kind,
			       .state = IMAGE_STATE_READ,
			       .path = text(maker, path),
			       .build_id_size = BUILD_ID_MAX };

	memset(image.build_id, byte, sizeof(image.build_id));
	return profile_image(maker->profile, &image);
}

/* Instructions of code.elf, which code.sh makes, and addresses that have none. */
static void make_code(struct maker *maker)
{
	struct symbol work = { .size = 0x12, .start = 0x401000, .kind = SYMBOL_NAMED };
	struct symbol gap = { .size = 0x20, .start = 0x401012, .kind = SYMBOL_BRACKET };
	struct symbol kernel = { .size = 64, .start = 0x81000, .kind = SYMBOL_NAMED };
	struct symbol gone = { .size = 64, .start = 0x1000, .kind = SYMBOL_NAMED };
	struct symbol none = { .kind = SYMBOL_NONE };
	static const uint8_t starts[] = { 0, 1, 4, 9, 0xd, 0x10, 0x11 };
	uint32_t task;

	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "./code.elf");
	task = add_program(maker, "code.elf", 1001, true);
	work.image = gap.image = add_file(maker, IMAGE_FILE, "/proc/self/cwd/code.elf", 0x11);
	kernel.image = add_file(maker, IMAGE_KERNEL, "[kernel]", 0x22);
	gone.image = add_file(maker, IMAGE_FILE, "/proc/self/cwd/gone.elf", 0x33);
	none.image = add_image(maker, IMAGE_BUCKET, "[unmapped]");
	work.name = text(maker, "work");
	gap.name = text(maker, "work->");
	kernel.name = text(maker, "tcp_sendmsg");
	gone.name = text(maker, "vanish");
	none.name = text(maker, "[unmapped]");
	for (int i = 6; i >= 0; i--)
		add_hits(maker, task, add_address(maker, &work, starts[i]), MODE_USER, CONTEXT_TASK,
			 0, 10 + 7 * i);
	add_hits(maker, task, add_address(maker, &work, 6), MODE_USER, CONTEXT_TASK, 0, 5);
	add_hits(maker, task, add_address(maker, &gap, 3), MODE_USER, CONTEXT_TASK, 0, 4);
	add_hits(maker, task, add_address(maker, &gap, 0x3000), MODE_USER, CONTEXT_TASK, 0, 3);
	add_hits(maker, task, add_address(maker, &gone, 8), MODE_USER, CONTEXT_TASK, 0, 20);
	add_hits(maker, task, add_address(maker, &none, 0x7f0012345678), MODE_USER, CONTEXT_TASK, 0,
		 2);
	add_hits(maker, task, add_address(maker, &kernel, 4), MODE_KERNEL, CONTEXT_TASK, 0, 30);
}

/* The same, of two events: each has hits where the other has none, and there is one of nothing. */
static void make_code_events(struct maker *maker)
{
	uint8_t cycles;

	make_code(maker);
	cycles = add_event(maker, "cycles", "count", CLOCK_PMU_NMI);
	add_event(maker, "context-switches@1", "count", CLOCK_SOFTWARE);
	for (uint32_t place = 2; place < 6; place++)
		add_hits(maker, 1, place, MODE_USER, CONTEXT_TASK, cycles, 50 * place);
	add_hits(maker, 1, 11, MODE_USER, CONTEXT_TASK, cycles, 5);
}

/* The caller @parent (0: none) calls the function of this name; each name has its own place. */
static uint32_t add_callee(struct maker *maker, uint32_t parent, uint32_t image, const char *name)
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

/* The root of stacks that are cut for this reason. */
static uint32_t add_cut(struct maker *maker, enum stack_end end)
{
	uint32_t frame = profile_cut(maker->profile, end);
	struct symbol symbol = { .image = maker->profile->frames.items[frame].image,
				 .kind = SYMBOL_NONE };

	symbol.name = maker->profile->images.items[symbol.image].path;
	maker->profile->frames.items[frame].symbol = profile_symbol(maker->profile, &symbol);
	return profile_stack(maker->profile, 0, frame);
}

/* A chain of callees in one image; the names end with NULL. */
static uint32_t add_chain(struct maker *maker, uint32_t parent, uint32_t image,
			  const char *const *names)
{
	for (; *names; names++)
		parent = add_callee(maker, parent, image, *names);
	return parent;
}

#define CHAIN(parent, image, ...) \
	add_chain(maker, parent, image, (const char *const[]){ __VA_ARGS__, NULL })

/* What a worker does: recursion, system calls, interrupts; and stacks that were cut. */
static void add_worker(struct maker *maker, uint32_t task, uint32_t kernel)
{
	uint32_t worker = add_image(maker, IMAGE_FILE, "/usr/bin/worker");
	uint32_t libc = add_image(maker, IMAGE_FILE, "/usr/lib/libc.so.6");
	uint32_t jit = add_image(maker, IMAGE_ANON, "[anon]");
	uint32_t start = CHAIN(0, worker, "_start");
	uint32_t main = CHAIN(CHAIN(start, libc, "__libc_start_main"), worker, "main");
	uint32_t parse = CHAIN(main, worker, "parse");
	uint32_t again = CHAIN(parse, worker, "parse", "parse");
	uint32_t emit = CHAIN(CHAIN(main, worker, "emit"), libc, "write");
	uint32_t pool = CHAIN(CHAIN(0, libc, "clone3", "start_thread"), worker, "pool_run");
	uint32_t none = add_cut(maker, STACK_NO_ROWS);

	add_hits(maker, task, main, MODE_USER, CONTEXT_TASK, 0, 20);
	add_hits(maker, task, parse, MODE_USER, CONTEXT_TASK, 0, 100);
	add_hits(maker, task, CHAIN(parse, worker, "lex"), MODE_USER, CONTEXT_TASK, 0, 200);
	add_hits(maker, task, again, MODE_USER, CONTEXT_TASK, 0, 150);
	add_hits(maker, task, CHAIN(again, worker, "lex"), MODE_USER, CONTEXT_TASK, 0, 50);
	add_hits(maker, task, CHAIN(again, kernel, "asm_sysvec", "handle_irq"), MODE_KERNEL,
		 CONTEXT_HARDIRQ, 0, 10);
	add_hits(maker, task, CHAIN(emit, kernel, "entry_SYSCALL_64", "ksys_write", "vfs_write"),
		 MODE_KERNEL, CONTEXT_TASK, 0, 220);
	add_hits(maker, task, CHAIN(pool, worker, "_ZN3vecI3[u8; 4]\\E\npush"), MODE_USER,
		 CONTEXT_TASK, 0, 30);
	add_hits(maker, task, CHAIN(pool, worker, "crunch"), MODE_USER, CONTEXT_TASK, 0, 170);
	add_hits(maker, task, CHAIN(CHAIN(none, jit, "[anon]"), worker, "crunch"), MODE_USER,
		 CONTEXT_TASK, 0, 30);
	add_hits(maker, task, CHAIN(add_cut(maker, STACK_IN_EXEC), kernel, "load_elf_binary"),
		 MODE_KERNEL, CONTEXT_TASK, 0, 5);
	add_hits(maker, task, add_cut(maker, STACK_LOST), MODE_USER, CONTEXT_TASK, 0, 2);
}

/* Whole stacks of two processes and a kernel thread. */
static void make_stacks(struct maker *maker)
{
	uint32_t kernel, thread;

	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "./worker");
	profile_set_text(&maker->profile->run.stacks, "full");
	kernel = add_image(maker, IMAGE_KERNEL, "[kernel]");
	add_worker(maker, add_program(maker, "worker", 1001, true), kernel);
	add_worker(maker, add_program(maker, "worker", 1002, true), kernel);
	thread = add_program(maker, "kworker", 30, false);
	maker->profile->processes.items[maker->profile->processes.count - 1].kernel_thread = true;
	add_hits(maker, thread,
		 CHAIN(0, kernel, "ret_from_fork", "kthread", "worker_thread", "flush"),
		 MODE_KERNEL, CONTEXT_TASK, 0, 60);
}

/* Recursion of 1,000 frames that does something else at every level. */
static void make_deep(struct maker *maker)
{
	uint32_t image, task, at;

	begin_run(maker);
	profile_set_text(&maker->profile->run.stacks, "full");
	image = add_image(maker, IMAGE_FILE, "/usr/bin/recurse");
	task = add_program(maker, "recurse", 1001, true);
	at = CHAIN(0, image, "_start", "main");
	for (int depth = 0; depth < 1000; depth++) {
		at = CHAIN(at, image, "descend");
		add_hits(maker, task, CHAIN(at, image, "visit"), MODE_USER, CONTEXT_TASK, 0, 2);
	}
	add_hits(maker, task, at, MODE_USER, CONTEXT_TASK, 0, 1000);
}

/* Names that want to leave the page, the string or the line they are in. */
static void make_names(struct maker *maker)
{
	static const char *const names[] = {
		"</script><script>globalThis.hacked = 1</script>",
		"<!--<script>",
		"__proto__",
		"constructor",
		"quote\"apostrophe'backslash\\",
		"&lt;b&gt;",
		"two\nlines",
		"\xe2\x80\xa8separator",
		"\xe2\x80\xaeleft",
		"bad\xff",
		"caf\xc3\xa9 \xe6\xbc\xa2\xe5\xad\x97",
	};
	uint32_t image, task, stack = 0;

	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "</title><script>alert(1)</script>");
	profile_set_text(&maker->profile->run.stacks, "full");
	image = add_image(maker, IMAGE_FILE, "/tmp/<img src=x onerror=alert(1)>\"'");
	task = add_program(maker, "</script>", 1001, true);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		stack = CHAIN(stack, image, names[i]);
		add_hits(maker, task, stack, MODE_USER, CONTEXT_TASK, 0, 5);
	}
}

/* More than 100,000 frames in stacks of up to 60, for measuring. */
static void make_wide(struct maker *maker)
{
	uint32_t image, task, stack, random = 1;

	begin_run(maker);
	profile_set_text(&maker->profile->run.stacks, "full");
	image = add_image(maker, IMAGE_FILE, "/usr/lib/libLLVM-14.so.1");
	task = add_program(maker, "clang", 1001, true);
	for (int i = 0; i < 9000; i++) {
		stack = CHAIN(0, image, "_start", "main");
		for (int depth = 0; depth < 60; depth++) {
			char name[64];

			random = random * 1664525 + 1013904223;
			if (depth > 20 && random >> 28 == 0)
				break;
			/* The first frames of stacks are much the same. */
			snprintf(name, sizeof(name), "llvm_function_%u",
				 depth < 8 ? 0 : (random >> 16) % (uint32_t)(4 + depth * 12));
			stack = CHAIN(stack, image, name);
		}
		add_hits(maker, task, stack, MODE_USER, CONTEXT_TASK, 0, 1);
	}
}

/* The frame of a place in a function that add_callee made. */
static uint32_t add_frame(struct maker *maker, uint32_t image, const char *name, uint64_t distance,
			  enum symbol_kind kind)
{
	struct symbol symbol = { .image = image,
				 .name = text(maker, name),
				 .start = 64 * (uint64_t)text(maker, name),
				 .size = 64,
				 .kind = kind };
	struct frame frame = { .image = image,
			       .offset = symbol.start + distance,
			       .address = symbol.start + distance,
			       .address_known = true,
			       .kind = FRAME_EXACT,
			       .symbol = profile_symbol(maker->profile, &symbol) };

	return profile_frame(maker->profile, &frame);
}

static void add_branch(struct maker *maker, uint32_t from, uint32_t to, uint64_t count)
{
	struct branch branch = {
		.event = 1, .from = from, .to = to, .count = count, .cycles = 20 * count
	};

	branches_add(&maker->profile->branches, &branch);
}

/* What the processor recorded: calls by way of a PLT, within a circle, and what is no call. */
static void add_branches(struct maker *maker, uint32_t program, uint32_t libc)
{
	uint32_t main = add_frame(maker, program, "main", 8, SYMBOL_NAMED);
	uint32_t even = add_frame(maker, program, "even", 0, SYMBOL_NAMED);
	uint32_t odd = add_frame(maker, program, "odd", 0, SYMBOL_NAMED);
	uint32_t walk = add_frame(maker, program, "walk", 0, SYMBOL_NAMED);
	uint32_t stub = add_frame(maker, program, "cos@plt", 0, SYMBOL_PLT);
	uint32_t cos = add_frame(maker, libc, "cos", 0, SYMBOL_NAMED);

	add_branch(maker, main, even, 70);
	add_branch(maker, add_frame(maker, program, "even", 12, SYMBOL_NAMED), odd, 1500);
	add_branch(maker, add_frame(maker, program, "odd", 20, SYMBOL_NAMED), even, 1430);
	add_branch(maker, main, walk, 3);
	add_branch(maker, add_frame(maker, program, "walk", 16, SYMBOL_NAMED), walk, 250);
	add_branch(maker, add_frame(maker, program, "walk", 24, SYMBOL_NAMED), stub, 120000);
	add_branch(maker, add_frame(maker, program, "cos@plt", 4, SYMBOL_PLT), cos, 120000);
	/* a return, and a loop */
	add_branch(maker, add_frame(maker, libc, "cos", 60, SYMBOL_NAMED),
		   add_frame(maker, program, "walk", 29, SYMBOL_NAMED), 120000);
	add_branch(maker, walk, add_frame(maker, program, "walk", 32, SYMBOL_NAMED), 999);
}

/* Functions that call themselves and each other, with calls that were recorded. */
static void make_calls(struct maker *maker)
{
	uint32_t program, libc, main, walk, task;
	uint8_t cycles;

	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "./calls \"x\" &amp; <y>");
	profile_set_text(&maker->profile->run.stacks, "full");
	cycles = add_event(maker, "cycles", "count", CLOCK_PMU_NMI);
	program = add_image(maker, IMAGE_FILE, "/usr/bin/calls");
	libc = add_image(maker, IMAGE_FILE, "/usr/lib/libm.so.6");
	task = add_program(maker, "calls", 1001, true);
	main = CHAIN(0, program, "_start", "main");
	walk = CHAIN(main, program, "walk", "walk", "walk");
	for (uint8_t event = 0; event <= cycles; event++) {
		add_hits(maker, task, CHAIN(main, program, "even", "odd", "even"), MODE_USER,
			 CONTEXT_TASK, event, 40);
		add_hits(maker, task, CHAIN(main, program, "even", "odd"), MODE_USER, CONTEXT_TASK,
			 event, 25);
		add_hits(maker, task, walk, MODE_USER, CONTEXT_TASK, event, 30);
		add_hits(maker, task, CHAIN(walk, libc, "cos"), MODE_USER, CONTEXT_TASK, event,
			 100);
		add_hits(maker, task, CHAIN(add_cut(maker, STACK_BAD_FRAME), program, "odd"),
			 MODE_USER, CONTEXT_TASK, event, 4);
		add_hits(maker, task, CHAIN(main, program, "say \"\\N\" &lt;\n}"), MODE_USER,
			 CONTEXT_TASK, event, 3);
	}
	add_branches(maker, program, libc);
}

/* 9,000 addresses in 9,000 functions, for measuring. */
static void make_large(struct maker *maker)
{
	uint32_t image, task = 0;

	begin_run(maker);
	image = add_image(maker, IMAGE_FILE, "/usr/lib/libLLVM-14.so.1");
	for (uint32_t i = 0; i < 9000; i++) {
		char name[64];

		if (i % 30 == 0)
			task = add_program(maker, "clang", (int32_t)(10000 + i), true);
		snprintf(name, sizeof(name), "_ZN4llvm8function%uEv", i);
		add_hits(maker, task, add_place(maker, image, name, 64 * (uint64_t)i, SYMBOL_NAMED),
			 MODE_USER, CONTEXT_TASK, 0, (int)(1 + i % 7));
	}
}

/* A program and, @after, what was built of its next version: parse is slower, its parts and the
 * library are called differently, one function is gone and another new. */
static void make_version(struct maker *maker, bool after)
{
	uint32_t program, library, main, parse, part, lex, copy, once, task;

	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "./parser big.json");
	profile_set_text(&maker->profile->run.stacks, "full");
	program = add_image(maker, IMAGE_FILE, after ? "/tmp/new/parser" : "/tmp/old/parser");
	library = add_image(maker, IMAGE_FILE, after ? "/lib/libjson.so.2" : "/lib/libjson.so.1");
	task = add_program(maker, "parser", 1001, true);
	main = CHAIN(0, program, "_start", "main");
	parse = CHAIN(main, program, "parse");
	part = CHAIN(main, program, after ? "parse.isra.0" : "parse.cold");
	lex = CHAIN(parse, library, "lex");
	copy = CHAIN(main, library, "copy");
	once = CHAIN(main, program, after ? "intern" : "fold");
	for (int round = 0; round < 40; round++) {
		add_hits(maker, task, parse, MODE_USER, CONTEXT_TASK, 0, after ? 30 : 20);
		add_hits(maker, task, part, MODE_USER, CONTEXT_TASK, 0, after ? 6 : 2);
		add_hits(maker, task, lex, MODE_USER, CONTEXT_TASK, 0, 18 + round % 3);
		add_hits(maker, task, copy, MODE_USER, CONTEXT_TASK, 0, 4);
		add_hits(maker, task, once, MODE_USER, CONTEXT_TASK, 0, 3);
		add_hits(maker, task, main, MODE_USER, CONTEXT_TASK, 0, round == 7);
	}
	task = add_program(maker, "other", 700, false);
	add_hits(maker, task, CHAIN(0, program, "spin"), MODE_USER, CONTEXT_TASK, 0,
		 after ? 900 : 300);
}

static void make_before(struct maker *maker)
{
	make_version(maker, false);
}

static void make_after(struct maker *maker)
{
	make_version(maker, true);
}

/* The same of another event. */
static void make_cycles(struct maker *maker)
{
	make_version(maker, true);
	maker->profile->events[0].name = text(maker, "cycles");
	maker->profile->events[0].unit = text(maker, "count");
}

static const struct {
	const char *name;
	void (*make)(struct maker *maker);
	bool unlisted; /* no golden test has it */
} profiles[] = {
	{ "netperf", make_netperf, false },
	{ "build", make_build, false },
	{ "losses", make_losses, false },
	{ "hostile", make_hostile, false },
	{ "partial", make_partial, false },
	{ "empty", make_empty, false },
	{ "large", make_large, false },
	{ "code", make_code, false },
	{ "stacks", make_stacks, false },
	{ "deep", make_deep, false },
	{ "names", make_names, false },
	{ "wide", make_wide, true },
	{ "before", make_before, false },
	{ "after", make_after, false },
	{ "cycles", make_cycles, false },
	{ "calls", make_calls, false },
	{ "code-events", make_code_events, false },
};

enum { PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

static int write_profile(void (*make)(struct maker *maker), const char *path)
{
	struct maker maker = { .profile = profile_new() };
	struct err err = { "" };
	int rc = store_create(path, maker.profile, &maker.writer, &err);

	if (rc == 0) {
		make(&maker);
		rc = store_flush(maker.writer, &err);
	}
	store_writer_free(maker.writer);
	profile_free(maker.profile);
	if (rc < 0)
		fprintf(stderr, "make_profile: %s\n", err.text);
	return rc < 0;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < PROFILES; i++) {
		if (argc == 1 && !profiles[i].unlisted)
			puts(profiles[i].name);
		if (argc == 3 && strcmp(argv[1], profiles[i].name) == 0)
			return write_profile(profiles[i].make, argv[2]);
	}
	if (argc != 1)
		fputs("usage: make_profile [NAME FILE]\n", stderr);
	return argc == 1 ? 0 : 2;
}
