/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signal handler: a sample is the registers and a copy of the stack. Prospect walks it later with the
 * unwind tables of the files, as it does with those of the kernel.
 */
#include "preload/preload.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <ucontext.h>

/* The kernel's struct sigaction (linux:include/linux/signal_types.h). */
struct kernel_sigaction {
	void (*handler)(int signal, siginfo_t *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

enum { PAGE = 4096, SETS_RESTORER = 0x04000000 };

#if defined(__x86_64__)

static uint64_t fill_registers(uint64_t *to, const ucontext_t *context)
{
	static const uint8_t order[PRELOAD_REGISTER_COUNT] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	for (size_t i = 0; i < PRELOAD_REGISTER_COUNT; i++)
		to[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

static uint64_t pc_of(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

static uint64_t thread_pointer(void)
{
	uint64_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer)); /* x86-64 psABI: it points at itself */
	return pointer;
}

/* The instructions by which unwinders and debuggers recognise the end of a handler. */
__asm__(".text\n"
	".balign 16\n"
	"nop\n"
	".type preload_restorer, @function\n"
	"preload_restorer:\n"
	"mov $15, %rax\n"
	"syscall\n"
	".size preload_restorer, . - preload_restorer\n");
extern void preload_restorer(void) __attribute__((visibility("hidden")));

#else

static uint64_t fill_registers(uint64_t *to, const ucontext_t *context)
{
	for (size_t i = 0; i < 31; i++)
		to[i] = context->uc_mcontext.regs[i];
	to[31] = context->uc_mcontext.sp;
	to[32] = context->uc_mcontext.pc;
	return context->uc_mcontext.sp;
}

static uint64_t pc_of(const ucontext_t *context)
{
	return context->uc_mcontext.pc;
}

static uint64_t thread_pointer(void)
{
	uint64_t pointer;

	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
	return pointer;
}

#endif

/* The kernel reads the set before it refuses the rest. */
bool preload_is_readable(uint64_t address)
{
	enum { NO_SUCH_WAY = -1, EFAULT = 14 };

	return RAW(rt_sigprocmask, NO_SUCH_WAY, address, NULL, 8) != -EFAULT;
}

static void end_at(uint64_t *end, uint64_t sp, uint64_t limit)
{
	if (limit > sp && limit < *end)
		*end = limit;
}

/* How much of the stack above @sp can be read, at most PRELOAD_MOST_STACK. The C libraries keep what the
 * thread pointer points at above the stack. */
static size_t stack_bytes(const struct preload_state *state, const struct preload_thread *thread,
			  const ucontext_t *context, uint64_t sp)
{
	uint64_t end = sp + PRELOAD_MOST_STACK, other = (uint64_t)context->uc_stack.ss_sp;

	if (end < sp)
		return 0;
	end_at(&end, sp, thread_pointer());
	end_at(&end, sp, state->main_stack_end);
	end_at(&end, sp, thread->stack_end);
	/* The stack for signals, if it is there. */
	if (sp - other < context->uc_stack.ss_size)
		end_at(&end, sp, other + context->uc_stack.ss_size);
	for (uint64_t page = sp & ~(uint64_t)(PAGE - 1); page < end; page += PAGE) {
		if (!preload_is_readable(page < sp ? sp : page))
			end = page < sp ? sp : page;
	}
	return (end - sp) / 8 * 8;
}

static void report_thread(struct preload_state *state, struct preload_thread *thread,
			  uint64_t now_ns)
{
	char comm[16] = { 0 };
	bool is_new = !thread->named;

	RAW(prctl, PR_GET_NAME, comm);
	if (is_new && thread->tid != state->pid)
		preload_put_fork(state, state->pid, state->pid, thread->tid, state->pid, now_ns);
	if ((is_new && thread->tid != state->pid) ||
	    (thread->named && !raw_equal(comm, thread->comm, 16)))
		preload_put_comm(state, thread->tid, comm, false, now_ns);
	raw_copy(thread->comm, comm, sizeof(comm));
	thread->named = true;
}

/* A sample stands for the time since the one before. Of the first one it is known when that was to come. */
static uint64_t weigh(struct preload_thread *thread)
{
	uint64_t cpu_ns = preload_cpu_ns(thread->tid), weight = cpu_ns - thread->seen_ns;

	if (!thread->sampled)
		weight = thread->first_ns + (cpu_ns > thread->due_ns ? cpu_ns - thread->due_ns : 0);
	thread->sampled = true;
	thread->seen_ns = cpu_ns;
	return weight;
}

static uint32_t current_cpu(void)
{
	uint32_t cpu = 0;

	RAW(getcpu, &cpu, NULL, NULL);
	return cpu;
}

static void put_sample(struct preload_state *state, const struct preload_thread *thread,
		       const ucontext_t *context, uint64_t now_ns, uint64_t weight)
{
	uint64_t sp;
	size_t bytes, size;
	struct preload_slot *slot;
	struct preload_sample sample = {
		.header = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER },
		.ip = pc_of(context),
		.pid = state->pid,
		.tid = thread->tid,
		.time_ns = now_ns,
		.cpu = current_cpu(),
		.period = weight,
		.abi = PERF_SAMPLE_REGS_ABI_64,
	};
	char *to;

	sp = fill_registers(sample.registers, context);
	bytes = stack_bytes(state, thread, context, sp);
	size = sizeof(sample) + bytes + (bytes ? sizeof(uint64_t) : 0);
	sample.stack_bytes = bytes;
	sample.header.size = (uint16_t)size;
	to = preload_begin(state, size, &slot);
	if (!to) {
		__atomic_add_fetch(&preload_head->dropped, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&preload_head->dropped_ns, weight, __ATOMIC_RELAXED);
		return;
	}
	raw_copy(to, &sample, sizeof(sample));
	raw_copy(to + sizeof(sample), (const void *)sp, bytes);
	if (bytes)
		*(uint64_t *)(to + sizeof(sample) + bytes) = bytes;
	preload_end(slot, size);
}

bool preload_is_timers(const void *info)
{
	const siginfo_t *own = info;
	const struct preload_thread *thread = own->si_value.sival_ptr;

	return own->si_code == SI_TIMER && thread >= preload_state->threads &&
	       thread < preload_state->threads + PRELOAD_THREADS;
}

static void take_sample(struct preload_state *state, struct preload_thread *thread,
			const ucontext_t *context)
{
	uint64_t now_ns, weight;

	if (thread->tid != (int32_t)RAW(gettid) || !state->ready)
		return;
	if (preload_is_over()) {
		preload_remove_timer(thread);
		return;
	}
	now_ns = preload_now();
	weight = weigh(thread);
	if (__atomic_load_n(&preload_stopped, __ATOMIC_ACQUIRE)) {
		__atomic_add_fetch(&preload_head->stopped_ns, weight, __ATOMIC_RELAXED);
		return;
	}
	preload_follow_maps(state, now_ns, pc_of(context));
	report_thread(state, thread, now_ns);
	put_sample(state, thread, context, now_ns, weight);
	preload_look(state, now_ns);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct preload_state *state = preload_state;

	if (!preload_is_timers(info)) {
		preload_pass_on(signal, info, context);
		return;
	}
	__atomic_add_fetch(&state->sampling, 1, __ATOMIC_ACQ_REL);
	if (!preload_has_retired())
		take_sample(state, info->si_value.sival_ptr, context);
	__atomic_sub_fetch(&state->sampling, 1, __ATOMIC_ACQ_REL);
}

/* All signals wait meanwhile: a handler of the program's that jumps away would leave ours undone. The stack for
 * signals, if the thread has one, is there for those that come when its own has no room. */
bool preload_catch(void)
{
	struct kernel_sigaction action = {
		.handler = on_signal,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK,
		.mask = ~0ULL,
	}, before = { .handler = NULL };

#if defined(__x86_64__)
	action.flags |= SETS_RESTORER;
	action.restorer = preload_restorer;
#endif
	RAW(rt_sigaction, PRELOAD_SIGNAL, &action, &before, sizeof(action.mask));
	return (uintptr_t)before.handler == (uintptr_t)SIG_IGN;
}
