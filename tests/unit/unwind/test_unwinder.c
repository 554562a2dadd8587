/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over the stacks of this program. Oracles: backtrace(3), which is libgcc's unwinder; and for
 * every single instruction of a child that is stepped through, a list of return addresses kept from
 * its calls and returns alone.
 */
#include "unwind/unwinder.h"

#include <alloca.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/vec.h"
#include "elf/elf_file.h"
#include "elf/vdso.h"
#include "unwind/row_table.h"

#if defined(__x86_64__)

enum { MAX_FRAMES = 2048, STACK_COPY = 1 << 20, RBP = 6, RSP = 7 };

#define NO_FRAME_POINTER __attribute__((noinline, noclone, optimize("omit-frame-pointer")))

/* ---- what is mapped ---- */

struct module {
	uint64_t start, end, bias;
	struct row_table *rows;
	uint64_t entry, entry_end;
};

struct modules {
	VEC(struct module) list;
	bool with_entry;
};

static void read_rows(struct module *module, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file *file = NULL;

	assert_true(fd >= 0);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_int_equal(row_table_compile(file, NULL, &module->rows, NULL), 0);
	module->entry = elf_file_entry(file);
	module->entry_end = unwinder_entry_end(row_table_rows(module->rows), module->entry);
	elf_file_free(file);
	close(fd);
}

static void read_vdso_rows(struct module *module)
{
	struct elf_file *file = NULL;
	uint8_t *bytes;
	size_t size;

	assert_int_equal(vdso_copy(&bytes, &size, NULL), 0);
	assert_int_equal(elf_file_open_memory(bytes, size, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_int_equal(row_table_compile(file, NULL, &module->rows, NULL), 0);
	elf_file_free(file);
	free(bytes);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct modules *modules = context;
	bool vdso = info->dlpi_addr == getauxval(AT_SYSINFO_EHDR);

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		struct module *module;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		module = vec_push(&modules->list);
		*module = (struct module){ .bias = info->dlpi_addr };
		module->start = info->dlpi_addr + segment->p_vaddr;
		module->end = module->start + segment->p_memsz;
		if (vdso)
			read_vdso_rows(module);
		else
			read_rows(module, info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
	}
	return 0;
}

static struct unwind_code find_code(void *context, uint64_t address)
{
	const struct modules *modules = context;

	for (size_t i = 0; i < modules->list.count; i++) {
		const struct module *module = &modules->list.items[i];
		uint64_t there = address - module->bias;

		if (address >= module->start && address < module->end)
			return (struct unwind_code){
				.mapped = true,
				.bias = module->bias,
				.table = row_table_rows(module->rows),
				.entry = there >= module->entry && there < module->entry_end,
			};
	}
	return (struct unwind_code){ .mapped = false };
}

static int set_up(void **state)
{
	struct modules *modules = calloc(1, sizeof(*modules));

	dl_iterate_phdr(add_module, modules);
	*state = modules;
	return 0;
}

static int tear_down(void **state)
{
	struct modules *modules = *state;

	for (size_t i = 0; i < modules->list.count; i++)
		row_table_free(modules->list.items[i].rows);
	vec_free(&modules->list);
	free(modules);
	return 0;
}

/* ---- against backtrace(3) ---- */

struct both {
	struct modules *modules;
	size_t count, reference_count;
	enum stack_end end;
	uint64_t addresses[MAX_FRAMES];
	void *reference[MAX_FRAMES];
};

/* The registers here and now; the memory is our own. */
static void __attribute__((noinline, no_sanitize("address"))) look(struct both *both)
{
	struct unwind_registers registers = { .known = 1 << RBP | 1 << RSP };
	struct unwind_input input = { .machine = EM_X86_64,
				      .registers = &registers,
				      .stack_size = STACK_COPY,
				      .stack_cut = true,
				      .find = find_code,
				      .context = both->modules };

	both->reference_count = (size_t)backtrace(both->reference, MAX_FRAMES);
	asm volatile("lea 0(%%rip), %0\n"
		     "mov %%rsp, %1\n"
		     "mov %%rbp, %2\n"
		     : "=r"(registers.pc), "=m"(registers.values[RSP]),
		       "=m"(registers.values[RBP]));
	input.stack_address = registers.values[RSP];
	input.stack = (const void *)registers.values[RSP];
	both->count = unwinder_walk(&input, both->addresses, MAX_FRAMES, &both->end);
}

/* The same frames, but for the innermost: each was at its own place in look(). The sanitizer has a
 * frame of its own before backtrace's. */
static void assert_same(const struct both *both)
{
	size_t more = both->reference_count - both->count;

	assert_int_equal(both->end, STACK_COMPLETE);
	assert_in_range(more, 0, 1);
	for (size_t i = 1; i < both->count; i++)
		assert_int_equal(both->addresses[i] & ~UNWIND_EXACT,
				 (uint64_t)both->reference[more + i]);
}

static uint64_t NO_FRAME_POINTER recurse(struct both *both, int depth, uint64_t value)
{
	if (depth == 0)
		look(both);
	else
		value = recurse(both, depth - 1, value * 3) + value;
	return value + (uint64_t)depth;
}

static void recursion_without_frame_pointers(void **state)
{
	static struct both both;

	both.modules = *state;
	for (int depth = 0; depth <= 1000; depth += 200) {
		recurse(&both, depth, 1);
		assert_true(both.count > (size_t)depth + 2);
		assert_same(&both);
	}
}

/* Has to address its arguments and its variables from different registers. */
static uint64_t NO_FRAME_POINTER realigned(struct both *both, int depth, size_t room)
{
	volatile char aligned[64] __attribute__((aligned(64)));
	volatile char *variable = alloca(room);

	assert_int_equal((uintptr_t)aligned % 64, 0);
	aligned[0] = variable[0] = (char)depth;
	if (depth == 0)
		look(both);
	else
		realigned(both, depth - 1, room + 40);
	return (uint64_t)aligned[0] + (uint64_t)variable[0];
}

static void realigned_stacks(void **state)
{
	static struct both both;

	both.modules = *state;
	realigned(&both, 5, 100);
	assert_true(both.count > 7);
	assert_same(&both);
}

static struct both *interrupted; /* for the handler, which has no argument of its own */

static void handle(int number)
{
	(void)number;
	look(interrupted);
}

static void through_a_signal_handler(void **state)
{
	static struct both both;
	size_t exact = 0;

	both.modules = *state;
	interrupted = &both;
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	assert_same(&both);
	for (size_t i = 1; i < both.count; i++)
		exact += (both.addresses[i] & UNWIND_EXACT) != 0;
	assert_int_equal(exact, 2); /* what was interrupted, and what the handler returns to */
}

static int compare_and_look(const void *a, const void *b)
{
	look(interrupted);
	return *(const int *)a - *(const int *)b;
}

static void through_libc(void **state)
{
	static struct both both;
	int numbers[] = { 2, 1 };

	both.modules = *state;
	interrupted = &both;
	qsort(numbers, 2, sizeof(numbers[0]), compare_and_look);
	assert_same(&both);
}

static void *in_thread(void *context)
{
	recurse(context, 3, 1);
	return NULL;
}

static void from_the_start_of_a_thread(void **state)
{
	static struct both both;
	pthread_t thread;

	both.modules = *state;
	assert_int_equal(pthread_create(&thread, NULL, in_thread, &both), 0);
	pthread_join(thread, NULL);
	assert_same(&both);
}

/* ---- every instruction of a child ---- */

/* How the child's registers are called here. */
static struct unwind_registers registers_of(const struct user_regs_struct *from)
{
	struct unwind_registers registers = { .pc = from->rip, .known = 0xffff };
	const uint64_t values[] = { from->rax, from->rdx, from->rcx, from->rbx,
				    from->rsi, from->rdi, from->rbp, from->rsp,
				    from->r8,  from->r9,  from->r10, from->r11,
				    from->r12, from->r13, from->r14, from->r15 };

	memcpy(registers.values, values, sizeof(values));
	return registers;
}

static size_t read_child(pid_t child, uint64_t address, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)address, size };
	ssize_t got = process_vm_readv(child, &local, 1, &remote, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

struct steps {
	pid_t child;
	struct modules *modules;
	uint64_t returns[MAX_FRAMES]; /* innermost last */
	size_t depth;
	uint64_t steps, deepest, in_vdso;
};

/* A call or a return between two steps, from the stack pointer and the byte that was there. */
static void follow(struct steps *steps, const struct user_regs_struct *before,
		   const struct user_regs_struct *now)
{
	uint8_t code[3] = { 0 };
	uint64_t top;

	read_child(steps->child, before->rip, code, sizeof(code));
	if (now->rsp == before->rsp - 8 && read_child(steps->child, now->rsp, &top, 8) == 8 &&
	    top > before->rip && top - before->rip <= 8 && now->rip != top &&
	    (code[0] == 0xe8 || code[0] == 0xff || code[0] == 0x41 || code[0] == 0xf2 ||
	     code[0] == 0x3e)) {
		assert_true(steps->depth < MAX_FRAMES);
		steps->returns[steps->depth++] = top;
	} else if (code[0] == 0xc3 || code[0] == 0xc2 ||
		   ((code[0] == 0xf3 || code[0] == 0xf2) && code[1] == 0xc3)) {
		assert_true(steps->depth > 0);
		assert_int_equal(now->rip, steps->returns[--steps->depth]);
	}
}

static void check_step(struct steps *steps, const struct user_regs_struct *now)
{
	static uint8_t stack[65536];
	static uint64_t addresses[MAX_FRAMES];
	struct unwind_registers registers = registers_of(now);
	struct unwind_input input = { .machine = EM_X86_64,
				      .registers = &registers,
				      .stack_address = now->rsp,
				      .stack = stack,
				      .find = find_code,
				      .context = steps->modules };
	enum stack_end end;
	size_t count;

	/* A read must end before the stack does, or it fails as a whole. */
	for (size_t size = sizeof(stack); input.stack_size == 0 && size >= 4096; size /= 2)
		input.stack_size = read_child(steps->child, now->rsp, stack, size);
	count = unwinder_walk(&input, addresses, MAX_FRAMES, &end);
	if (count <= steps->depth || addresses[0] != now->rip)
		print_message("at %#llx: %zu frames, %s; %zu calls\n", now->rip, count,
			      stack_end_name(end), steps->depth);
	assert_true(count > steps->depth);
	assert_int_equal(addresses[0], now->rip);
	for (size_t i = 0; i < steps->depth; i++)
		assert_int_equal(addresses[1 + i], steps->returns[steps->depth - 1 - i]);
	steps->steps++;
	if (steps->depth > steps->deepest)
		steps->deepest = steps->depth;
}

static volatile uint64_t stepped_sink;

static void NO_FRAME_POINTER leave(void)
{
	stepped_sink++;
}

static uint64_t NO_FRAME_POINTER many_registers(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t d = a * b, e = b * c, f = c * a, g = a + b + c, h = a ^ b ^ c;

	leave();
	stepped_sink = d + e;
	leave();
	return d ^ e ^ f ^ g ^ h ^ a ^ b ^ c;
}

static int stepped_compare(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : 1;
}

static bool bind_one;

/* Small, but of every kind: pushes, allocas, realigned frames, calls through the PLT, callbacks, a
 * tail call, the vdso. */
static uint64_t __attribute__((noinline)) everything(int depth)
{
	int numbers[] = { 3, 1, 2 };
	struct timespec now;
	char text[64];

	if (depth > 0)
		return everything(depth - 1) + many_registers(1, 2, (uint64_t)depth);
	qsort(numbers, 3, sizeof(numbers[0]), stepped_compare);
	snprintf(text, sizeof(text), "%d %s %.3f", numbers[0], "text", 1.5);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (bind_one) /* by ld.so, whose frame hangs on rbx while it does */
		stepped_sink += (uint64_t)a64l(text);
	return many_registers((uint64_t)now.tv_nsec, strlen(text), 5);
}

static void __attribute__((noinline, noclone)) stepped(void)
{
	asm volatile("" ::: "memory");
	stepped_sink += everything(4);
	asm volatile("" ::: "memory");
}

static void run_child(void)
{
	stepped(); /* binds what is bound at the first call, but for one */
	bind_one = true;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(77);
	raise(SIGSTOP);
	stepped();
	_exit(0);
}

static bool step(pid_t child, struct user_regs_struct *ret_registers)
{
	int status;

	return ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0 &&
	       waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
	       ptrace(PTRACE_GETREGS, child, NULL, ret_registers) == 0;
}

static void every_instruction(void **state)
{
	struct steps steps = { .modules = *state };
	struct user_regs_struct before, now = { 0 };
	int status;

	steps.child = fork();
	if (steps.child == 0)
		run_child();
	assert_int_equal(waitpid(steps.child, &status, 0), steps.child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("ptrace is not permitted\n");
		skip();
	}
	while (now.rip != (uint64_t)stepped)
		assert_true(step(steps.child, &now));
	assert_int_equal(read_child(steps.child, now.rsp, &steps.returns[0], 8), 8);
	for (steps.depth = 1; steps.depth;) {
		check_step(&steps, &now);
		before = now;
		assert_true(step(steps.child, &now));
		follow(&steps, &before, &now);
	}
	ptrace(PTRACE_KILL, steps.child, NULL, NULL);
	waitpid(steps.child, &status, 0);
	print_message("%lu instructions, at most %lu calls deep\n", steps.steps, steps.deepest);
	assert_true(steps.steps > 1000 && steps.deepest >= 8);
}

/* ---- how it ends ---- */

struct fake {
	struct unwind_registers registers;
	uint64_t stack[8];
	struct unwind_input input;
	const char *code;		  /* 8 bytes; NULL: not to be read */
	const char *before;		  /* 16 bytes; likewise */
	const struct unwind_table *table; /* of what is from 0x1800 on */
	uint64_t addresses[16];
	enum stack_end end;
};

static struct unwind_code fake_code(void *context, uint64_t address)
{
	const struct fake *fake = context;

	return (struct unwind_code){ .mapped = address >= 0x1000 && address < 0x2000,
				     .entry = address >= 0x1f00 && address < 0x1fff,
				     .table = address >= 0x1800 ? fake->table : NULL };
}

/* What the code at 0x1100 does next, and what it did last. */
static int fake_read_code(void *context, uint64_t address, void *to, size_t size)
{
	const struct fake *fake = context;

	if (address == 0x1100 - 16 && fake->before)
		memcpy(to, fake->before, size);
	else if (address == 0x1100 && fake->code)
		memcpy(to, fake->code, size);
	else
		return -1;
	return 0;
}

/* Code without rows, with frame pointers: two words each. */
static struct fake new_fake(void)
{
	struct fake fake = { .stack = { 0x8010, 0x1100, 0x8020, 0x1200, 0, 0x1300 } };

	fake.registers.pc = 0x1000;
	fake.registers.values[RSP] = 0x8000;
	fake.registers.values[RBP] = 0x8000;
	fake.registers.known = 1 << RSP | 1 << RBP;
	return fake;
}

static size_t walk_fake(struct fake *fake, size_t max)
{
	fake->input = (struct unwind_input){ .machine = EM_X86_64,
					     .registers = &fake->registers,
					     .stack_address = 0x8000,
					     .stack = fake->stack,
					     .stack_size = sizeof(fake->stack),
					     .stack_cut = fake->input.stack_cut,
					     .find = fake_code,
					     .read_code = fake_read_code,
					     .context = fake };
	return unwinder_walk(&fake->input, fake->addresses, max, &fake->end);
}

static void frame_pointers_where_there_are_no_rows(void **state)
{
	struct fake fake = new_fake();

	(void)state;
	assert_int_equal(walk_fake(&fake, 16), 4);
	assert_int_equal(fake.end, STACK_COMPLETE); /* the frame pointer is zero */
	assert_int_equal(fake.addresses[3], 0x1300);
	assert_int_equal(walk_fake(&fake, 2), 2);
	assert_int_equal(fake.end, STACK_TOO_DEEP);
	fake.stack[3] = 0x1f10;
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_COMPLETE); /* the entry */
}

static void frame_pointers_that_lead_astray(void **state)
{
	struct fake fake = new_fake();

	(void)state;
	fake.stack[3] = 0x5000; /* nothing is there */
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake = new_fake();
	fake.stack[0] = 0x7000; /* below */
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake = new_fake();
	fake.stack[2] = 0x8100; /* beyond the copy */
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake.input.stack_cut = true;
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_TOO_LARGE);
	fake = new_fake();
	fake.registers.values[RBP] = 0; /* of the innermost frame it says nothing */
	assert_int_equal(walk_fake(&fake, 16), 1);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake = new_fake();
	fake.registers.pc = 0x9000;
	assert_int_equal(walk_fake(&fake, 16), 1);
	assert_int_equal(fake.end, STACK_BAD_FRAME);
}

/* The code at 0x1100 was called with the stack pointer at 0x8010 and has no frame pointer. */
static void trampolines_tell_how_they_end(void **state)
{
	static const struct {
		const char *code;
		uint64_t caller; /* 0: the code does not tell, and frame pointers say 0x1678 */
	} rows[] = {
		{ "\xc3_______", 0x1234 },		  /* ret */
		{ "\x5d\xc3______", 0x1200 },		  /* pop %rbp; ret */
		{ "\x48\x83\xc4\x08\xc3___", 0x1200 },	  /* add $8,%rsp; ret */
		{ "\x48\x83\xc4\x08\x5d\xc3__", 0x1456 }, /* add $8,%rsp; pop %rbp; ret */
		{ "\x48\x83\xc4\x10\xc3___", 0x1456 },	  /* add $16,%rsp; ret */
		{ "\x48\x83\xc4\xf8\xc3___", 0 },	  /* add $-8,%rsp; ret */
		{ "\x48\x83\xc4\x08\x5b\xc3__", 0 },	  /* add $8,%rsp; pop %rbx; ret */
		{ "\x90\xc3______", 0 },		  /* nop; ret */
		{ NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake fake = { .stack = { 0x8028, 0x1100, 0x1234, 0x1200, 0x1456, 0, 0x1678 },
				     .code = rows[i].code };

		fake.registers = new_fake().registers;
		assert_true(walk_fake(&fake, 16) >= 3);
		assert_int_equal(fake.addresses[1], 0x1100);
		assert_int_equal(fake.addresses[2], rows[i].caller ? rows[i].caller : 0x1678);
	}
}

/* A row leads from 0x1810 to 0x1100, where there is none. */
static void zeroes_in_the_frame_pointer(void **state)
{
	static const struct unwind_rule rules[] = {
		{ .cfa = UNWIND_CFA_NONE },
		{ .cfa = UNWIND_CFA_SP, .cfa_offset = 8, .ra = UNWIND_SAVED_CFA, .ra_offset = -8 },
	};
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x800, 1) };
	static const uint32_t pages[] = { 0, 2 };
	const struct unwind_table table = { .base = 0x1000,
					    .page_count = 1,
					    .row_count = 2,
					    .rule_count = 2,
					    .machine = EM_X86_64,
					    .pages = pages,
					    .rows = rows,
					    .rules = rules };
	struct fake fake = { .stack = { 0x1100, 0, 0, 0x1200, 0, 0 }, .table = &table };

	(void)state;
	fake.registers = new_fake().registers;
	fake.registers.pc = 0x1810;
	fake.registers.values[RBP] = 0;
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.addresses[1], 0x1100);
	assert_int_equal(fake.end, STACK_NO_ROWS); /* it may have counted to zero */
	fake.before = "____xor %ebp,___";
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake.before = "_______\x31\xed___\xff\xd0__"; /* xor %ebp,%ebp */
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_COMPLETE);
	fake.before = NULL;
	fake.registers.values[RBP] = 0x8008; /* to a return address of zero */
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_NO_ROWS);
	fake.registers.values[RBP] = 0x8010; /* to 0x1200, whose frame pointer is zero */
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_COMPLETE);
	fake.stack[2] = 0x8020; /* or leads to a return address of zero */
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.end, STACK_COMPLETE);
}

/* From 0x1800 on code changes stacks: first by a frame pointer, which may lead down, then in a way
 * nothing leads back from. */
static void on_another_stack(void **state)
{
	static const struct unwind_rule rules[] = {
		{ .cfa = UNWIND_CFA_NONE },
		{ .cfa = UNWIND_CFA_FP,
		  .cfa_offset = 16,
		  .ra = UNWIND_SAVED_CFA,
		  .ra_offset = -8,
		  .fp = UNWIND_SAVED_CFA,
		  .fp_offset = -16,
		  .flags = UNWIND_RULE_SWITCH },
		{ .cfa = UNWIND_CFA_SWITCHED },
	};
	static const uint32_t rows[] = { UNWIND_ROW(0, 0), UNWIND_ROW(0x800, 1),
					 UNWIND_ROW(0x900, 2) };
	static const uint32_t pages[] = { 0, 3 };
	const struct unwind_table table = { .base = 0x1000,
					    .page_count = 1,
					    .row_count = 3,
					    .rule_count = 3,
					    .machine = EM_X86_64,
					    .pages = pages,
					    .rows = rows,
					    .rules = rules };
	/* called at the third word, with a frame at the first, by what is called at the fifth */
	struct fake fake = { .stack = { 0x8020, 0x1910, 0x8000, 0x1810, 0, 0x1200 },
			     .table = &table };

	(void)state;
	fake.registers = new_fake().registers;
	fake.registers.values[RSP] = 0x8010;
	fake.registers.values[RBP] = 0x8010;
	assert_int_equal(walk_fake(&fake, 16), 3);
	assert_int_equal(fake.addresses[1], 0x1810);
	assert_int_equal(fake.addresses[2], 0x1910);
	assert_int_equal(fake.end, STACK_SWITCHED);
	fake.stack[2] = 0xc000000000; /* not copied, and never to be */
	fake.input.stack_cut = true;
	assert_int_equal(walk_fake(&fake, 16), 2);
	assert_int_equal(fake.end, STACK_SWITCHED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_without_frame_pointers),
		cmocka_unit_test(realigned_stacks),
		cmocka_unit_test(through_a_signal_handler),
		cmocka_unit_test(through_libc),
		cmocka_unit_test(from_the_start_of_a_thread),
		cmocka_unit_test(every_instruction),
		cmocka_unit_test(frame_pointers_where_there_are_no_rows),
		cmocka_unit_test(frame_pointers_that_lead_astray),
		cmocka_unit_test(trampolines_tell_how_they_end),
		cmocka_unit_test(zeroes_in_the_frame_pointer),
		cmocka_unit_test(on_another_stack),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

#else

int main(void)
{
	puts("this test steps through x86-64 code");
	return 77;
}

#endif
