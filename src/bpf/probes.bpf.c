/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The programs at the entries and exits of functions; bpf/probe_calls.bpf.h has what they do. One
 * program of the kprobe kind and one of the fentry kind is loaded. User space loads copies of them,
 * because each way to attach needs its own program type, and fentry one program per function.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/probe_calls.bpf.h"
#include "bpf/probe_ends.bpf.h"

/* ---- kprobe, kprobe.multi, uprobe, uprobe.multi: registers ---- */

#if defined(__TARGET_ARCH_x86)

static __always_inline void read_return_address(struct pt_regs *regs, struct probe_call *call)
{
	bpf_probe_read_user(&call->from, sizeof(call->from), (void *)regs->rsp);
}

static __always_inline __u64 read_place_of(const struct pt_regs *regs)
{
	return regs->rip;
}

static __always_inline void read_entry(struct pt_regs *regs, struct probe_call *call, bool user)
{
	call->arguments[0] = regs->rdi;
	call->arguments[1] = regs->rsi;
	call->arguments[2] = regs->rdx;
	call->arguments[3] = regs->rcx;
	call->arguments[4] = regs->r8;
	call->arguments[5] = regs->r9;
	call->sp = regs->rsp;
	call->g = regs->r14;
	if (user)
		read_return_address(regs, call);
	else
		bpf_probe_read_kernel(&call->from, sizeof(call->from), (void *)regs->rsp);
}

static __always_inline void read_exit(struct pt_regs *regs, struct probe_call *call)
{
	call->sp = regs->rsp;
	call->g = regs->r14;
	call->value = regs->rax;
}

#else

static __always_inline void read_return_address(struct pt_regs *context, struct probe_call *call)
{
	call->from = ((const struct user_pt_regs *)context)->regs[30];
}

static __always_inline __u64 read_place_of(struct pt_regs *context)
{
	return ((const struct user_pt_regs *)context)->pc;
}

static __always_inline void read_entry(struct pt_regs *context, struct probe_call *call, bool user)
{
	const struct user_pt_regs *regs = (const struct user_pt_regs *)context;

	(void)user; /* the registers are the same for both */
#pragma unroll
	for (__u32 i = 0; i < PROBE_ARGUMENTS; i++)
		call->arguments[i] = regs->regs[i];
	call->sp = regs->sp;
	call->g = regs->regs[28];
	call->from = regs->regs[30];
}

static __always_inline void read_exit(struct pt_regs *context, struct probe_call *call)
{
	const struct user_pt_regs *regs = (const struct user_pt_regs *)context;

	call->sp = regs->sp;
	call->g = regs->regs[28];
	call->value = regs->regs[0];
}

#endif

static __always_inline int entry(struct pt_regs *regs, bool user)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(regs) };

	read_entry(regs, &call, user);
	return enter(&call, user);
}

SEC("kprobe")
int probe_entry(struct pt_regs *regs)
{
	return entry(regs, false);
}

SEC("kprobe")
int probe_entry_user(struct pt_regs *regs)
{
	return entry(regs, true);
}

SEC("kprobe")
int probe_only(struct pt_regs *regs)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(regs) };

	if (todo & PROBE_ON_CONDITION)
		read_entry(regs, &call, call.cookie >> PROBE_COOKIE_USER_SHIFT & 1);
	return enter_only(&call);
}

static __always_inline int note_exit(struct pt_regs *regs, bool user)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(regs) };

	read_exit(regs, &call);
	if (call.sp)
		call.sp -= RETURN_POPS;
	return leave(&call, user);
}

SEC("kprobe")
int probe_exit(struct pt_regs *regs)
{
	return note_exit(regs, false);
}

SEC("kprobe")
int probe_exit_user(struct pt_regs *regs)
{
	return note_exit(regs, true);
}

/* Places where calls of programs' functions end, by enum probe_spot. */
SEC("kprobe")
int probe_spot(struct pt_regs *regs)
{
	struct arrival arrival = { .call.cookie = bpf_get_attach_cookie(regs) };
	__u32 spot = arrival.call.cookie >> PROBE_COOKIE_SPOT_SHIFT & PROBE_COOKIE_SPOT_MASK;
	__u64 place = read_place_of(regs);

	/* If this were read in a branch, the compiler would merge the load with another branch's
	 * through a pointer into the context, which verifiers reject. */
	BARRIER();
	read_exit(regs, &arrival.call);
	if (spot == PROBE_SPOT_SITE) {
		arrival.call.sp -= RETURN_POPS;
		arrival.call.from = place;
		arrival.at_site = true;
	} else if (spot == PROBE_SPOT_CATCH || spot == PROBE_SPOT_JUMP) {
		arrival.unwinding = spot == PROBE_SPOT_CATCH;
		read_return_address(regs, &arrival.call);
	} else if (spot == PROBE_SPOT_LONGJMP) {
		read_entry(regs, &arrival.call, true);
	}
	return arrive_anywhere(&arrival, spot);
}

/* ---- fentry, fexit: a pointer to arguments and return value ---- */

/* The trampoline's frame is the same at a call's entry and exit. */
static __always_inline void read_place(void *context, struct probe_call *call)
{
	bpf_probe_read_kernel(&call->sp, sizeof(call->sp), &context);
}

static __always_inline void read_arguments(void *context, struct probe_call *call)
{
	__u64 value;

	if (!(todo & PROBE_ON_CONDITION))
		return;
#pragma unroll
	for (__u32 i = 0; i < PROBE_ARGUMENTS; i++) {
		if (bpf_get_func_arg(context, i, &value) == 0)
			call->arguments[i] = value;
	}
}

SEC("fentry")
int probe_fentry(void *context)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(context) };

	read_place(context, &call);
	read_arguments(context, &call);
	return enter(&call, false);
}

SEC("fentry")
int probe_fentry_only(void *context)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(context) };

	read_arguments(context, &call);
	return enter_only(&call);
}

SEC("fexit")
int probe_fexit(void *context)
{
	struct probe_call call = { .cookie = bpf_get_attach_cookie(context) };

	read_place(context, &call);
	bpf_get_func_ret(context, &call.value);
	return leave(&call, false);
}

/*
 * ---- threads: switch, exec, exit ----
 *
 * These programs go through a thread's frames with bpf_loop (Linux 5.17), which the verifier checks
 * once. The programs above are copied, which is impossible with callbacks.
 */

struct walk {
	struct probe_thread *thread;
	struct task_struct *task;
	__u64 now_ns;
	__u64 counters[PROBE_SLOT_COUNTERS];
	bool running; /* on this CPU */
};

static __always_inline struct probe_slot *slot_here(const struct probe_frame *frame)
{
	return slot_of(frame->row, bpf_get_smp_processor_id());
}

static long pause_frame(__u32 index, struct walk *walk)
{
	struct probe_frame *frame = frame_at(walk->thread, index);
	struct probe_slot *slot = slot_here(frame);

	if (slot && is_timed(frame))
		charge(frame, slot, walk->counters, walk->now_ns);
	return 0;
}

static long resume_frame(__u32 index, struct walk *walk)
{
	struct probe_frame *frame = frame_at(walk->thread, index);
	struct probe_slot *slot = slot_here(frame);

	if (slot && is_timed(frame))
		start_running(frame, slot, walk->counters, walk->now_ns);
	return 0;
}

/* Adds to the thread's own sums, from which the time of undecided calls is computed. */
static __always_inline void add_spent(const struct walk *walk)
{
	struct probe_spent *spent = &walk->thread->spent;

	if (!spent->since_ns)
		return;
	spent->ns += walk->now_ns - spent->since_ns;
#pragma unroll
	for (__u32 i = 0; i < PROBE_SLOT_COUNTERS; i++) {
		if (i < counter_count)
			spent->counters[i] += walk->counters[i] - spent->since_counters[i];
	}
}

static __always_inline void pause(struct task_struct *task, __u64 now_ns)
{
	struct walk walk = { .thread = bpf_task_storage_get(&threads, task, NULL, 0),
			     .task = task,
			     .now_ns = now_ns };

	if (!walk.thread)
		return;
	read_counters(walk.counters, task);
	if (todo & PROBE_ON_RETURN)
		add_spent(&walk);
	walk.thread->left_ns = now_ns;
	__builtin_memcpy(walk.thread->left_counters, walk.counters, sizeof(walk.counters));
	bpf_loop(walk.thread->depth, pause_frame, &walk, 0);
}

static __always_inline void resume(struct task_struct *task, __u64 now_ns)
{
	struct walk walk = { .thread = bpf_task_storage_get(&threads, task, NULL, 0),
			     .task = task,
			     .now_ns = now_ns };

	if (!walk.thread)
		return;
	walk.thread->switches++;
	if (!walk.thread->depth && !(todo & PROBE_ON_RETURN))
		return;
	read_counters(walk.counters, task);
	if (todo & PROBE_ON_RETURN) {
		walk.thread->spent.since_ns = now_ns;
		__builtin_memcpy(walk.thread->spent.since_counters, walk.counters,
				 sizeof(walk.counters));
	}
	bpf_loop(walk.thread->depth, resume_frame, &walk, 0);
}

SEC("tp_btf/sched_switch")
int probe_switch(__u64 *arguments)
{
	__u64 now_ns;

	if (phase == PROBE_CLOSED)
		return 0;
	now_ns = bpf_ktime_get_ns();
	pause((struct task_struct *)arguments[1], now_ns);
	resume((struct task_struct *)arguments[2], now_ns);
	return 0;
}

/* The end of a thread ends its calls, but is not a return. */
static long end_frame(__u32 index, struct walk *walk)
{
	struct probe_frame *frame = frame_at(walk->thread, index);
	struct probe_slot *slot = slot_here(frame);

	if (slot && die(frame, walk->now_ns) && todo & PROBE_DO_VIRTUAL && walk->running)
		charge(frame, slot, walk->counters, walk->now_ns);
	return 0;
}

struct pt_regs___kernel {
	unsigned long sp;
} BY_NAME;

/* Where a program was when its thread exited. */
struct way_out {
	struct probe_thread *thread;
	__u64 sp;
	__u32 stack;
};

/* Calls deeper in the stack and those on the signal stack were left; calls in another fiber wait
 * there forever. The time of that is unknown. */
static long leave_behind(__u32 index, struct way_out *out)
{
	struct probe_frame *frame = frame_at(out->thread, index);
	__u32 stack = frame->flags & FRAME_STACK;
	bool deeper = out->sp - frame->sp - 1 < FAR_IN_STACK;

	if ((frame->flags & (FRAME_USER | FRAME_DEAD)) != FRAME_USER)
		return 0;
	if (stack == FRAME_FIBER) {
		if (out->stack != FRAME_FIBER || frame->sp - out->sp >= FAR_IN_STACK)
			set_adrift(frame);
	} else if (!out->stack && (stack == FRAME_ALT || deeper)) {
		give_up(frame);
	}
	return 0;
}

/* The mappings no longer exist, so a stack pointer outside the known stacks may be in a fiber's. */
static __always_inline void leave_all_behind(struct task_struct *task, struct probe_thread *thread)
{
	const struct pt_regs___kernel *regs =
		(const struct pt_regs___kernel *)bpf_task_pt_regs(task);
	struct way_out out = { .thread = thread, .sp = regs->sp };

	if (out.sp - task->sas_ss_sp < task->sas_ss_size)
		out.stack = FRAME_ALT;
	else if (out.sp < thread->stack_start || out.sp >= thread->stack_end ||
		 thread->fibers_in_own)
		out.stack = FRAME_FIBER;
	bpf_loop(thread->depth, leave_behind, &out, 0);
}

static __always_inline void end_all(struct task_struct *task, bool running)
{
	struct walk walk = { .thread = bpf_task_storage_get(&threads, task, NULL, 0),
			     .task = task,
			     .now_ns = bpf_ktime_get_ns(),
			     .running = running };

	if (!walk.thread || phase == PROBE_CLOSED)
		return;
	if (running)
		leave_all_behind(task, walk.thread);
	read_counters(walk.counters, task);
	bpf_loop(walk.thread->depth, end_frame, &walk, 0);
	walk.thread->depth = 0;
}

static long forget_frame(__u32 index, struct walk *walk)
{
	struct probe_frame *frame = frame_at(walk->thread, index);
	struct probe_slot *slot = slot_here(frame);

	if (!(frame->flags & FRAME_USER))
		return 0;
	if (slot && !(frame->flags & (FRAME_IGNORED | FRAME_UNDECIDED))) {
		ADD(slot->died, 1);
		give_up_time(frame, slot);
	}
	frame->flags |= FRAME_IGNORED;
	return 0;
}

struct bpf_map;

/* The process's goroutines end; at @exec they vanish with their program. */
struct sweep {
	__u32 pid;
	bool exec;
};

static long sweep_goroutine(struct bpf_map *map, const struct goroutine_key *key,
			    struct probe_thread *thread, const struct sweep *sweep)
{
	struct walk walk = { .thread = thread, .now_ns = bpf_ktime_get_ns() };
	struct goroutine_key gone = *key;

	if (gone.pid != sweep->pid)
		return 0;
	if (sweep->exec)
		bpf_loop(thread->depth, forget_frame, &walk, 0);
	else
		bpf_loop(thread->depth, end_frame, &walk, 0);
	bpf_map_delete_elem(map, &gone);
	return 0;
}

static __always_inline void sweep_goroutines(struct task_struct *task, bool exec)
{
	struct sweep sweep = { .pid = (__u32)task->tgid, .exec = exec };

	if (has_goroutines && todo & PROBE_DO_EXITS && phase != PROBE_CLOSED)
		bpf_for_each_map_elem(&goroutines, sweep_goroutine, &sweep, 0);
}

/* Functions that the thread runs while it exits still enter and return as usual. */
SEC("tp_btf/sched_process_exit")
int probe_thread_exit(__u64 *arguments)
{
	struct task_struct *task = (struct task_struct *)arguments[0];

	if (todo & PROBE_DO_EXITS)
		end_all(task, true);
	if (task->signal->live.counter == 0) {
		sweep_goroutines(task, false);
		if (todo & PROBE_ONLY_PIDS)
			end_process(task);
	}
	return 0;
}

/* Ends calls that the thread entered while it exited. */
SEC("tp_btf/sched_process_free")
int probe_thread_free(__u64 *arguments)
{
	struct task_struct *task = (struct task_struct *)arguments[0];

	if (todo & PROBE_DO_EXITS)
		end_all(task, false);
	if (todo & PROBE_ONLY_PIDS)
		forget_process(task);
	return 0;
}

/* The functions of the previous program are gone. */
SEC("tp_btf/sched_process_exec")
int probe_exec(__u64 *arguments)
{
	struct task_struct *task = (struct task_struct *)arguments[0];
	struct walk walk = { .thread = bpf_task_storage_get(&threads, task, NULL, 0) };

	if (walk.thread)
		walk.thread->stack_start = walk.thread->stack_end = walk.thread->fibers_in_own = 0;
	if (walk.thread && phase != PROBE_CLOSED)
		bpf_loop(walk.thread->depth, forget_frame, &walk, 0);
	sweep_goroutines(task, true);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int probe_fork(__u64 *arguments)
{
	const struct task_struct *child = (const struct task_struct *)arguments[1];
	__u32 pid = (__u32)child->tgid;
	__u64 any = PROBE_ANY_PROCESS;

	/* The current task is the parent. */
	if (pid != current_pid() && is_wanted_process())
		bpf_map_update_elem(&wanted_pids, &pid, &any, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
