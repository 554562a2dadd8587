/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_profile NAME FILE: writes the profile called NAME into a new FILE, the same one each time.
 * Without arguments it lists the names. They are the input of the golden tests.
 */
#include <stdio.h>
#include <string.h>

#include "profile_maker.h"
#include "stack_profiles.h"

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
	maker->profile->processes.items[1].exe = maker->profile->images.items[netperf].path;
	maker->profile->processes.items[2].exe = maker->profile->images.items[netperf].path;
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

/* The same with times: ten of the samples that did not fit into a ring were lost in the second second. */
static void make_losses_at_times(struct maker *maker)
{
	struct profile *profile = maker->profile;
	uint64_t start_ns;

	make_losses(maker);
	start_ns = profile->run.start_ns;
	profile->events[0].loss[LOSS_RING_FULL].weight = 11 * NS_PER_MS;
	profile->run.end_ns = start_ns + 5 * NS_PER_S;
	for (uint64_t second = 0; second < 5; second++)
		profile_add_cpu_time(
			profile, &(struct cpu_time){ .from_ns = start_ns + second * NS_PER_S,
						     .to_ns = start_ns + (second + 1) * NS_PER_S,
						     .capacity_ns = 2 * NS_PER_S,
						     .idle_ns = 900 * NS_PER_MS,
						     .lost_ns = second == 1   ? 10 * NS_PER_MS
								: second == 3 ? NS_PER_MS
									      : 0 });
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

/* A command that slept and read, and whose threads contended for a lock. */
static void make_waits(struct maker *maker)
{
	struct run_facts *run = &maker->profile->run;

	make_build(maker);
	run->command_begin_ns = run->start_ns;
	run->command_end_ns = run->start_ns + 4800 * NS_PER_MS;
	run->command_user_ns = 2100 * NS_PER_MS;
	run->command_system_ns = 190 * NS_PER_MS;
	run->waited_known = 2;
	run->waited_sleep_ns = 310 * NS_PER_MS;
	run->waited_disk_ns = 1250 * NS_PER_MS;
	run->lock_wait_ns = 700 * NS_PER_MS;
}

/* Code whose functions have no names: JIT code, a stripped program, Python before it told; and losses. */
static void make_unnamed(struct maker *maker)
{
	uint32_t jit, stripped, python, node, server, script;
	struct profile *profile = maker->profile;

	begin_run(maker);
	profile_set_text(&profile->run.command, "./serve.sh");
	jit = add_image(maker, IMAGE_ANON, "[anon]");
	stripped = add_image(maker, IMAGE_FILE, "/usr/sbin/serve-of-no-package");
	python = add_image(maker, IMAGE_FILE, "/usr/bin/python3.11");
	profile->images.items[stripped].state = IMAGE_STATE_STRIPPED;
	node = add_program(maker, "node", 1001, true);
	server = add_program(maker, "serve", 1002, true);
	script = add_program(maker, "page.py", 1003, true);
	profile->processes.items[1].exe = text(maker, "/usr/bin/node");
	profile->processes.items[2].exe = profile->images.items[stripped].path;
	profile->processes.items[3].exe = profile->images.items[python].path;
	add_hits(maker, node, add_place(maker, jit, "[anon]", 0x10000, SYMBOL_NONE), MODE_USER,
		 CONTEXT_TASK, 0, 300);
	add_hits(maker, node, add_place(maker, jit, "[anon]", 0x20000, SYMBOL_NONE), MODE_USER,
		 CONTEXT_TASK, 0, 200);
	add_hits(maker, server, add_place(maker, stripped, "send->recv", 0x8000, SYMBOL_BRACKET),
		 MODE_USER, CONTEXT_TASK, 0, 250);
	add_hits(maker, script,
		 add_place(maker, python, "_PyEval_EvalFrameDefault", 0x4000, SYMBOL_NAMED),
		 MODE_USER, CONTEXT_TASK, 0, 250);
	profile->events[0].loss[LOSS_RING_FULL].count = 300;
	profile->run.idle_ns = 8600 * NS_PER_MS;
}

/* A run in which nothing was hit. */
static void make_empty(struct maker *maker)
{
	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "true");
	maker->profile->run.idle_ns = 9990 * NS_PER_MS;
	add_program(maker, "true", 90, true);
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
	work.image = gap.image = add_file(maker, IMAGE_FILE, "/code.elf", 0x11);
	kernel.image = add_file(maker, IMAGE_KERNEL, "[kernel]", 0x22);
	gone.image = add_file(maker, IMAGE_FILE, "/gone.elf", 0x33);
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

/* Set in another order than they are; the first lies before the recording, which its recorder did not get. */
static void make_marks(struct maker *maker)
{
	static const struct {
		int ms;
		const char *text;
	} marks[] = {
		{ 4200, "after \033[31mdeploy" },
		{ -300, "before the first segment" },
		{ 100, "start" },
		{ 1500, "one" },
		{ 2500, "a mark that is a whole sentence, and says why it was set" },
		{ 3500, "two" },
		{ 4100, "before-deploy" },
	};

	make_netperf(maker);
	maker->profile->run.start_realtime_ns = 1795960800 * NS_PER_S;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		*vec_push(&maker->profile->marks) = (struct mark){
			.time_ns = maker->profile->run.start_ns +
				   (uint64_t)((int64_t)marks[i].ms * (int64_t)NS_PER_MS),
			.text = text(maker, marks[i].text),
		};
}

struct place_hits {
	const char *name;
	uint64_t start;
	int count;
};

static void hit_places(struct maker *maker, uint32_t task, uint32_t image,
		       const struct place_hits *hits)
{
	for (; hits->name; hits++)
		add_hits(maker, task,
			 add_place(maker, image, hits->name, hits->start, SYMBOL_BRACKET),
			 MODE_USER, CONTEXT_TASK, 0, hits->count);
}

/* Functions without names, before and after a rebuild of one of two files. */
static void make_places(struct maker *maker, int build, const struct place_hits *server,
			const struct place_hits *library)
{
	uint32_t task, image;

	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "./server");
	task = add_program(maker, "server", 1001, true);
	image = add_file(maker, IMAGE_FILE, "/server", build);
	hit_places(maker, task, image, server);
	image = add_file(maker, IMAGE_FILE, "/libjson.so.2", 0x77);
	hit_places(maker, task, image, library);
}

static void make_places_before(struct maker *maker)
{
	make_places(maker, 0x55,
		    (const struct place_hits[]){ { "send->recv", 0x8000, 300 },
						 { "send->recv", 0x8400, 100 },
						 { "recv->", 0x9000, 200 },
						 { 0 } },
		    (const struct place_hits[]){
			    { "lex->parse", 0x1000, 120 }, { "lex->parse", 0x1200, 80 }, { 0 } });
}

static void make_places_after(struct maker *maker)
{
	make_places(maker, 0x66,
		    (const struct place_hits[]){
			    { "send->recv", 0x8100, 700 }, { "recv->", 0x9100, 200 }, { 0 } },
		    (const struct place_hits[]){
			    { "lex->parse", 0x1000, 120 }, { "lex->parse", 0x1300, 90 }, { 0 } });
}

/* A kernel module, odd.ko of code.sh: the kernel has put its .text.far before its .text. */
static void make_module(struct maker *maker)
{
	struct symbol rx = { .size = 6, .start = 0x40, .kind = SYMBOL_NAMED };
	struct symbol far_away = { .size = 3, .start = 0, .kind = SYMBOL_NAMED };
	uint32_t task;

	begin_run(maker);
	task = add_program(maker, "worker", 1001, true);
	rx.image = far_away.image = add_file(maker, IMAGE_MODULE, "[odd]", 0x44);
	rx.name = text(maker, "odd_rx");
	far_away.name = text(maker, "odd_far");
	add_hits(maker, task, add_address(maker, &rx, 0), MODE_KERNEL, CONTEXT_TASK, 0, 30);
	add_hits(maker, task, add_address(maker, &rx, 2), MODE_KERNEL, CONTEXT_TASK, 0, 50);
	add_hits(maker, task, add_address(maker, &far_away, 1), MODE_KERNEL, CONTEXT_TASK, 0, 20);
}

/* code, of two events: each has hits where the other has none, and there is one of nothing. */
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

static const struct {
	const char *name;
	void (*make)(struct maker *maker);
	bool unlisted; /* no golden test has it */
} profiles[] = {
	{ "netperf", make_netperf, false },
	{ "build", make_build, false },
	{ "losses", make_losses, false },
	{ "losses-at-times", make_losses_at_times, false },
	{ "hostile", make_hostile, false },
	{ "partial", make_partial, false },
	{ "waits", make_waits, false },
	{ "unnamed", make_unnamed, false },
	{ "empty", make_empty, false },
	{ "large", make_large, false },
	{ "code", make_code, false },
	{ "stacks", make_stacks, false },
	{ "deep", make_deep, false },
	{ "names", make_names, false },
	{ "kinds", make_kinds, true },
	{ "wide", make_wide, true },
	{ "before", make_before, false },
	{ "after", make_after, false },
	{ "cycles", make_cycles, false },
	{ "calls", make_calls, false },
	{ "code-events", make_code_events, false },
	{ "module", make_module, false },
	{ "marks", make_marks, false },
	{ "places-before", make_places_before, false },
	{ "places-after", make_places_after, false },
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
