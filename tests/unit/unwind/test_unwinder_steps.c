/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over the stack of a child at every single instruction. The oracle is a list of return
 * addresses kept from its calls and returns alone. Once with the compiler's rows, and once with rows
 * that were made from a copy of the program that has no frame descriptions (and of all its
 * libraries, in a run of all cases).
 */
#include "unwind/unwinder.h"

#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "tools.h"
#include "unwind/own_modules.h"

#if defined(__x86_64__)

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
	uint64_t steps, deepest, cut;
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

/* The number of calls between the innermost frame and the one that returns to @address, from @at on;
 * steps->depth: none does. */
static size_t find_return(const struct steps *steps, size_t at, uint64_t address)
{
	while (at < steps->depth && steps->returns[steps->depth - 1 - at] != address)
		at++;
	return at;
}

/* Compares the callers of a walk, innermost first. @gaps: some may be missing, but none is invented: the
 * others are in their order, before those of the test itself. Returns how many were found. */
static size_t check_callers(const struct steps *steps, const uint64_t *callers, size_t count,
			    bool gaps)
{
	size_t found = 0, next = 0;
	bool outer = false;

	for (size_t i = 0; i < count && next < steps->depth; i++) {
		size_t at = find_return(steps, next, callers[i]);

		if (!gaps)
			assert_int_equal(callers[i], steps->returns[steps->depth - 1 - next]);
		outer |= at == steps->depth;
		assert_int_equal(at == steps->depth, outer);
		next = outer ? next : at + 1;
		found += !outer;
	}
	return found;
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
	size_t count, found;

	/* A read must end before the stack does, or it fails as a whole. */
	for (size_t size = sizeof(stack); input.stack_size == 0 && size >= 4096; size /= 2)
		input.stack_size = read_child(steps->child, now->rsp, stack, size);
	count = unwinder_walk(&input, addresses, MAX_FRAMES, &end);
	assert_int_equal(addresses[0], now->rip);
	found = check_callers(steps, addresses + 1, count - 1, end == STACK_FRAME_POINTERS);
	if (found < steps->depth && (end == STACK_COMPLETE || !steps->modules->choose))
		print_message("at %#llx: %zu of %zu calls, %s\n", now->rip, found, steps->depth,
			      stack_end_name(end));
	if (found < steps->depth) {
		assert_non_null(steps->modules->choose);
		assert_int_not_equal(end, STACK_COMPLETE);
		steps->cut++;
	}
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
	print_message("%lu instructions, at most %lu calls deep, %lu stacks cut\n", steps.steps,
		      steps.deepest, steps.cut);
	assert_true(steps.steps > 1000 && steps.deepest >= 8);
	/* of stripped libraries much is unknown */
	assert_true(steps.cut == 0 || getenv("ALL_CASES"));
}

static char *folder, program[PATH_MAX];

/* A copy without descriptions. */
static void choose_copy(const char *file, char *path)
{
	bool own = strcmp(file, "/proc/self/exe") == 0;
	struct buf out = { 0 };

	if (!own && !getenv("ALL_CASES"))
		return;
	snprintf(path, PATH_MAX, "%s/undescribed", folder);
	if (tools_run(&out, "objcopy -R .eh_frame -R .eh_frame_hdr -R .debug_frame '%s' '%s' 2>&1",
		      own ? program : file, path))
		fail_msg("%s", buf_text(&out));
	buf_done(&out);
}

static void every_instruction_without_descriptions(void **state)
{
	struct modules modules = { .choose = choose_copy };
	void *context = &modules;
	ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);

	assert_true(size > 0);
	program[size] = '\0';
	folder = tools_folder();
	dl_iterate_phdr(add_module, &modules);
	every_instruction(&context);
	for (size_t i = 0; i < modules.list.count; i++)
		row_table_free(modules.list.items[i].rows);
	vec_free(&modules.list);
	tools_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction),
		cmocka_unit_test(every_instruction_without_descriptions),
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
