/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting threads, for --clock wall. A thread of ours looks at some of the others at each tick. What the
 * kernel says of a thread that waits in a system call (proc_pid_syscall(5)) has its stack pointer and
 * program counter; its stack is copied while it waits, and believed if it still waits there afterwards.
 * Such a thread is never woken. Those that run have the samples of their CPU timers.
 */
#include "preload/preload.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>

enum {
	STACK_BYTES = 128 * 1024,
	AT_ONCE =
		16, /* threads looked at in one tick: what a tick costs must not grow with their number */
	LINE = 256,
	NS_PER_S = 1000000000,
};

/* The thread's own memory, all of it, at the lower end of its stack. */
struct looker {
	struct preload_state *state;
	int32_t own_tid;
	uint32_t skip;	   /* threads that were looked at in this round, first ones of the list */
	uint64_t began_ns; /* the last tick */
	char line[LINE], again[LINE];
	char path[64];
	char entries[4096];
	_Alignas(8) char record[sizeof(struct preload_sample) + PRELOAD_MOST_STACK + 8];
};

/* ---- a thread without the C library ---- */

static const unsigned long flags =
	CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;

#if defined(__x86_64__)

static long start_thread(void *stack_end, void (*run)(void *), void *argument)
{
	long result;
	void **top = stack_end;

	top[-1] = argument;
	top[-2] = (void *)run;
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "pop %%rax\n\t"
			 "pop %%rdi\n\t"
			 "call *%%rax\n\t"
			 "mov %[exit], %%eax\n\t"
			 "xor %%edi, %%edi\n\t"
			 "syscall\n\t"
			 "1:"
			 : "=a"(result)
			 : "0"(__NR_clone), "D"(flags), "S"(top - 2), "d"(0L), [exit] "i"(__NR_exit)
			 : "rcx", "r11", "r10", "r8", "memory");
	return result;
}

#else

static long start_thread(void *stack_end, void (*run)(void *), void *argument)
{
	void **top = (void **)stack_end - 2;
	register long x8 __asm__("x8") = __NR_clone;
	register long x0 __asm__("x0") = (long)flags;
	register void *x1 __asm__("x1") = top;
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;

	top[0] = (void *)run;
	top[1] = argument;
	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, xzr\n\t"
			 "ldp x9, x0, [sp]\n\t"
			 "blr x9\n\t"
			 "mov x8, %[exit]\n\t"
			 "mov x0, xzr\n\t"
			 "svc 0\n\t"
			 "1:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [exit] "i"(__NR_exit)
			 : "x9", "x30", "memory");
	return x0;
}

#endif

/* ---- a thread that waits ---- */

static size_t add_text(char *to, size_t at, const char *text)
{
	while (*text)
		to[at++] = *text++;
	to[at] = '\0';
	return at;
}

static size_t add_number(char *to, size_t at, uint32_t number)
{
	char digits[12];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count > 0)
		to[at++] = digits[--count];
	to[at] = '\0';
	return at;
}

/* The thread's line, with a NUL. False: it has none. */
static bool read_line(struct looker *looker, int32_t tid, char *line)
{
	size_t at = add_text(looker->path, 0, "/proc/self/task/");
	long fd, size;

	at = add_number(looker->path, at, (uint32_t)tid);
	add_text(looker->path, at, "/syscall");
	fd = RAW(openat, AT_FDCWD, looker->path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	size = RAW(read, fd, line, LINE - 1);
	RAW(close, fd);
	line[size > 0 ? size : 0] = '\0';
	return size > 0;
}

static uint64_t read_hex(const char *text)
{
	uint64_t value = 0;

	if (raw_begins(text, "0x"))
		text += 2;
	for (;; text++) {
		if (*text >= '0' && *text <= '9')
			value = value * 16 + (uint64_t)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			value = value * 16 + (uint64_t)(*text - 'a' + 10);
		else
			return value;
	}
}

/* "NUMBER ARGUMENT... SP PC", or "-1 SP PC" outside of system calls; "running" otherwise. */
static bool read_place(const char *line, uint64_t *ret_sp, uint64_t *ret_pc)
{
	const char *words[2] = { NULL, NULL };

	if ((*line < '0' || *line > '9') && *line != '-')
		return false;
	for (; *line && *line != '\n'; line++) {
		if (*line == ' ') {
			words[0] = words[1];
			words[1] = line + 1;
		}
	}
	if (!words[0])
		return false;
	*ret_sp = read_hex(words[0]);
	*ret_pc = read_hex(words[1]);
	return *ret_sp && *ret_pc;
}

/* The thread may end meanwhile: the kernel copies, and stops at what is not there. */
static size_t copy_stack(const struct preload_state *state, uint64_t sp, char *to)
{
	size_t left = PRELOAD_MOST_STACK, copied = 0;

	if (state->main_stack_end > sp && state->main_stack_end - sp < left)
		left = state->main_stack_end - sp;
	while (copied < left) {
		uint64_t from = sp + copied;
		size_t part = 4096 - from % 4096;
		struct iovec own, other;

		if (part > left - copied)
			part = left - copied;
		own = (struct iovec){ to + copied, part };
		other = (struct iovec){ (void *)from, part };
		if (RAW(process_vm_readv, state->pid, &own, 1, &other, 1, 0) != (long)part)
			break;
		copied += part;
	}
	return copied / 8 * 8;
}

static void report(struct looker *looker, int32_t tid, size_t bytes, uint64_t now_ns,
		   uint64_t weight)
{
	struct preload_sample *sample = (struct preload_sample *)(void *)looker->record;
	size_t size = sizeof(*sample) + bytes + (bytes ? sizeof(uint64_t) : 0);
	struct preload_slot *slot;
	void *to;

	sample->header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE,
						     .misc = PERF_RECORD_MISC_USER,
						     .size = (uint16_t)size };
	sample->pid = looker->state->pid;
	sample->tid = tid;
	sample->time_ns = now_ns;
	sample->cpu = PRELOAD_NO_CPU;
	sample->period = weight;
	sample->abi = PERF_SAMPLE_REGS_ABI_64;
	sample->stack_bytes = bytes;
	if (bytes)
		*(uint64_t *)(void *)(looker->record + sizeof(*sample) + bytes) = bytes;
	to = preload_begin(looker->state, size, &slot);
	if (!to) {
		__atomic_add_fetch(&preload_head->dropped, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&preload_head->dropped_ns, weight, __ATOMIC_RELAXED);
		return;
	}
	raw_copy(to, looker->record, size);
	preload_end(slot, size);
}

static void look_at(struct looker *looker, int32_t tid, uint64_t now_ns, uint64_t weight)
{
	struct preload_sample *sample = (struct preload_sample *)(void *)looker->record;
	char *stack = looker->record + sizeof(*sample);
	uint64_t sp, pc;
	size_t bytes;

	if (!read_line(looker, tid, looker->line) || !read_place(looker->line, &sp, &pc))
		return;
	*sample = (struct preload_sample){ .ip = pc };
	sample->registers[PRELOAD_REGISTER_SP] = sp;
	sample->registers[PRELOAD_REGISTER_PC] = pc;
	bytes = copy_stack(looker->state, sp, stack);
	if (read_line(looker, tid, looker->again) &&
	    raw_equal(looker->line, looker->again, raw_length(looker->line) + 1))
		report(looker, tid, bytes, now_ns, weight);
}

/* ---- ticks ---- */

struct kernel_time {
	int64_t seconds, ns;
};

/* Sleeps until a tick, at a random moment around the next. */
static void sleep_for(uint64_t ns)
{
	struct kernel_time time = { (int64_t)(ns / NS_PER_S), (int64_t)(ns % NS_PER_S) };

	RAW(clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}

static int32_t tid_of(const char *name)
{
	int32_t number = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		number = number * 10 + (*name - '0');
	return *name ? 0 : number;
}

/* Calls @see for each thread but ours. Returns their number, or that of the first call. */
static uint32_t
each_thread(struct looker *looker,
	    void (*see)(struct looker *looker, int32_t tid, uint32_t index, void *of), void *of)
{
	long fd = RAW(openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0),
	     got;
	uint32_t count = 0;

	if (fd < 0)
		return 0;
	while ((got = RAW(getdents64, fd, looker->entries, sizeof(looker->entries))) > 0) {
		for (long at = 0; at < got;) {
			/* linux:include/linux/dirent.h: the size is at 16, the name at 19. */
			const char *entry = looker->entries + at;
			int32_t tid = tid_of(entry + 19);

			if (tid > 0 && tid != looker->own_tid)
				see(looker, tid, count++, of);
			at += *(const uint16_t *)(const void *)(entry + 16);
		}
	}
	RAW(close, fd);
	return count;
}

/* What a tick looks at. */
struct tick {
	uint64_t now_ns, weight;
	uint32_t first; /* of AT_ONCE threads */
};

static void count_only(struct looker *looker, int32_t tid, uint32_t index, void *of)
{
	(void)looker;
	(void)tid;
	(void)index;
	(void)of;
}

static void see(struct looker *looker, int32_t tid, uint32_t index, void *of)
{
	const struct tick *tick = of;

	if (index >= tick->first && index < tick->first + AT_ONCE)
		look_at(looker, tid, tick->now_ns, tick->weight);
}

/* Many threads are read a part at a time, and those that are read stand for the others as well. False: no
 * other thread is left. */
static bool take_tick(struct looker *looker)
{
	struct tick tick = { .now_ns = preload_now() };
	uint32_t count = each_thread(looker, count_only, NULL);
	uint32_t parts = (count + AT_ONCE - 1) / AT_ONCE;

	if (!count)
		return false;
	tick.weight = (tick.now_ns - looker->began_ns) * parts;
	tick.first = looker->skip / AT_ONCE % parts * AT_ONCE;
	looker->skip = tick.first + AT_ONCE;
	looker->began_ns = tick.now_ns;
	if (!__atomic_load_n(&preload_stopped, __ATOMIC_ACQUIRE))
		each_thread(looker, see, &tick);
	return true;
}

static void run(void *argument)
{
	struct looker *looker = argument;

	looker->own_tid = (int32_t)RAW(gettid);
	__atomic_store_n(&looker->state->looker, looker->own_tid, __ATOMIC_RELEASE);
	looker->began_ns = preload_now();
	do
		sleep_for(preload_head->period_ns);
	while (!preload_is_over() && take_tick(looker));
	__atomic_store_n(&looker->state->looker, 0, __ATOMIC_RELEASE);
}

/* It takes no signals: its mask is that of the thread that makes it. */
void preload_start_looker(struct preload_state *state)
{
	size_t bytes = sizeof(struct looker) + STACK_BYTES;
	uint64_t all = ~0ULL, before;
	struct looker *looker;
	long memory = RAW(mmap, NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory < 0 && memory > -4096)
		return;
	looker = (struct looker *)memory;
	looker->state = state;
	RAW(rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &before, sizeof(all));
	if (start_thread((void *)((memory + (long)bytes) & ~15L), run, looker) < 0) {
		RAW(munmap, memory, bytes);
		__atomic_add_fetch(&preload_head->untimed_threads, 1, __ATOMIC_RELAXED);
	}
	RAW(rt_sigprocmask, 2 /* SIG_SETMASK */, &before, NULL, sizeof(before));
}
