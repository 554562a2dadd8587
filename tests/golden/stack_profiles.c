/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_profiles.h"

#include <stdio.h>

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

void make_stacks(struct maker *maker)
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

void make_deep(struct maker *maker)
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

void make_names(struct maker *maker)
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

/* Every reason why a thread did not run, and of these threads every end of a stack. */
static void add_waits(struct maker *maker, uint32_t task, uint32_t kernel, uint8_t event)
{
	for (int wait = 0; wait < WAIT_COUNT; wait++) {
		enum stack_end end = (enum stack_end)(wait % STACK_END_COUNT);
		uint32_t root = end == STACK_COMPLETE ? 0 : add_cut(maker, end);
		char name[64];
		uint32_t image;

		snprintf(name, sizeof(name), "[%s]", wait_name((enum wait)wait));
		image = add_image(maker, IMAGE_WAIT, name);
		add_hits(maker, task, CHAIN(CHAIN(root, kernel, "schedule"), image, name),
			 MODE_KERNEL, CONTEXT_TASK, event, 5 + wait);
	}
}

/* Every other kind of image in one stack; a function has the same name in each. */
static uint32_t add_kinds(struct maker *maker)
{
	uint32_t stack = add_cut(maker, STACK_NO_ROWS);

	for (int kind = 0; kind < IMAGE_KIND_COUNT; kind++) {
		char name[64];

		if (kind == IMAGE_CUT || kind == IMAGE_WAIT)
			continue;
		snprintf(name, sizeof(name), "[%s]", image_kind_name((enum image_kind)kind));
		stack = CHAIN(stack, add_image(maker, (enum image_kind)kind, name), name, "memcpy");
	}
	return stack;
}

void make_kinds(struct maker *maker)
{
	uint32_t kernel, task, stack;

	begin_run(maker);
	profile_set_text(&maker->profile->run.command, "./everything");
	profile_set_text(&maker->profile->run.stacks, "full");
	kernel = add_image(maker, IMAGE_KERNEL, "[kernel]");
	task = add_program(maker, "everything", 1001, true);
	stack = add_kinds(maker);
	for (int clock = 0; clock < CLOCK_KIND_COUNT; clock++) {
		const char *name = clock_kind_name((enum clock_kind)clock);
		bool of_threads = clock == CLOCK_SCHEDULER || clock == CLOCK_EXACT;
		uint8_t event =
			add_event(maker, name, of_threads ? "ns" : "count", (enum clock_kind)clock);

		add_hits(maker, task, stack, MODE_USER, CONTEXT_TASK, event, 20);
		add_waits(maker, task, kernel, event);
		if (clock == CLOCK_SCHEDULER)
			add_wait(maker, add_program(maker, "sleeper", 1002, true),
				 CHAIN(0, kernel, "wait_for_long"), event, NS_PER_S);
	}
	add_hits(maker, task, stack, MODE_USER, CONTEXT_TASK, 0, 20);
	add_waits(maker, task, kernel, 0);
}

void make_wide(struct maker *maker)
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

	profile_add_branch(maker->profile, &branch);
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

void make_calls(struct maker *maker)
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

void make_before(struct maker *maker)
{
	make_version(maker, false);
}

void make_after(struct maker *maker)
{
	make_version(maker, true);
}

void make_cycles(struct maker *maker)
{
	make_version(maker, true);
	maker->profile->events[0].name = text(maker, "cycles");
	maker->profile->events[0].unit = text(maker, "count");
}
