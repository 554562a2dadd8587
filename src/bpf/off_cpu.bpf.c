/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Where threads wait. The three events sched_switch, sched_process_fork and sched_waking (which,
 * unlike sched_wakeup, always runs on the waker's CPU) divide each thread's time without gaps into
 * running, runnable and blocked. These sums are exact.
 *
 * Some of the waits are recorded with stacks (off_cpu_draw.h has the rule). A thread's kernel stack
 * is taken when it comes back and the length of the wait is known: until the thread runs, the stack
 * is as it was when the thread left. Only the thread itself can walk its user stack, so that is
 * taken when it leaves, if its draw says that the wait will probably be kept.
 *
 * A thread's state is stored with its task, so it does not matter on which CPUs it leaves and comes
 * back, or whether its tid is reused.
 */
#include <linux/bpf.h>
#include <linux/errno.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/off_cpu_threads.bpf.h"
#include "bpf/task_iterator.bpf.h"

/* For the iterators, which the other programs can preempt. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct off_cpu_wait_record);
} closing SEC(".maps");

/* ---- leaving a CPU ---- */

static __always_inline void send_frame_pointers(void *context, const struct task_struct *task,
						struct off_cpu_thread *thread,
						struct off_cpu_cpu *cpu)
{
	struct off_cpu_left_record *record = &cpu->left;
	__u64 size = __builtin_offsetof(struct off_cpu_left_record, addresses);
	long bytes = bpf_get_stack(context, record->addresses, sizeof(record->addresses),
				   BPF_F_USER_STACK);

	spend(cpu, thread, thread->left_ns, 1);
	if (bytes < 0)
		return;
	record->kind = OFF_CPU_LEFT;
	record->pid = (__u32)task->tgid;
	record->tid = tid_of(task);
	record->left_ns = thread->left_ns;
	record->count = (__u32)bytes / sizeof(record->addresses[0]);
	size += (__u64)bytes;
	if (size <= sizeof(*record) &&
	    bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, record, size) == 0)
		thread->flags |= OFF_CPU_CAPTURED;
}

/* Sends a record in the stack program's form. It belongs to the thread of the perf record, which is
 * the one that leaves. Its period is the time of leaving. */
static __always_inline void send_walk(void *context, struct off_cpu_thread *thread,
				      struct off_cpu_cpu *cpu, struct scratch *s, int by_loop)
{
	__u32 words;
	__u64 size;

	walk_user_stack(s, by_loop);
	spend(cpu, thread, thread->left_ns, s->stale ? DUMP_UNITS : 1);
	s->record.period = thread->left_ns;
	s->record.form = s->stale ? STACK_FORM_DUMP : STACK_FORM_ADDRESSES;
	s->record.context = STACK_CONTEXT_TASK;
	words = s->user_count;
	if (s->stale)
		words = take_dump(s, words);
	size = finish_record(s, words);
	if (size && bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU,
					  (char *)&s->record + RECORD_SKIP, size) == 0)
		thread->flags |= OFF_CPU_CAPTURED;
}

static __always_inline void send_user_stack(void *context, struct task_struct *task,
					    struct off_cpu_thread *thread, struct off_cpu_cpu *cpu,
					    enum how how)
{
	struct scratch *s = how == BY_FRAME_POINTERS ? NULL : own_scratch();

	cpu->counts.stacks++;
	if (s) {
		scratch_clear(s);
		if (!find_memory(s, task))
			return;
	}
	if (!s || copy_task_registers(task, &s->registers))
		send_frame_pointers(context, task, thread, cpu);
	else
		send_walk(context, thread, cpu, s, how == BY_LOOP);
}

/* Where a task entered the kernel; 0 if it has no user part. */
static __u64 user_ip(struct task_struct *task)
{
	if (!task->mm)
		return 0;
	return ((struct pt_regs___kernel *)bpf_task_pt_regs(task))->PROGRAM_COUNTER;
}

static __u32 flags_of(const struct task_struct *task, __u32 state)
{
	__u32 flags = 0;

	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		flags |= OFF_CPU_IO;
	if (state & (TASK_STOPPED_OR_TRACED | TASK_FROZEN))
		flags |= OFF_CPU_STOPPED;
	if (!task->mm)
		flags |= OFF_CPU_KERNEL_THREAD;
	return flags;
}

/* Waits that begin at the same system call of a thread tend to be similar. */
static __u32 site_of(struct task_struct *task)
{
	__u64 ip = user_ip(task);

	return 1 + (__u32)((ip ^ ip >> 4 ^ ip >> 12) % (OFF_CPU_SITES - 1));
}

/* Before a wait: draws the length from which it is kept. */
static void draw(struct off_cpu_thread *thread, struct off_cpu_cpu *cpu, __u64 now_ns)
{
	if (!cpu->random)
		cpu->random = 1ULL << 32 | bpf_get_prandom_u32();
	thread->threshold_ns =
		off_cpu_pace_look(pace_of(cpu, thread), now_ns, period_ns, budget_of(thread));
	thread->draw_ns = is_wanted(thread)
				  ? off_cpu_draw(off_cpu_random(&cpu->random), thread->threshold_ns)
				  : NEVER;
}

static void begin_wait(struct off_cpu_thread *thread, struct task_struct *task, bool preempted,
		       __u32 state, struct off_cpu_cpu *cpu, __u64 now_ns)
{
	/* A thread that is woken between its decision to wait and this point stays runnable. */
	bool runnable = preempted || state == TASK_RUNNING || state == TASK_WAKING;

	thread->flags = flags_of(task, runnable ? TASK_RUNNING : state);
	thread->left_ns = thread->since_ns = now_ns;
	thread->blocked_ns = 0;
	thread->site = runnable ? 0 : site_of(task);
	thread->waker_pid = thread->waker_tid = 0;
	draw(thread, cpu, now_ns);
	thread->times.waits++;
	/* Another CPU may wake the thread at once, and uses all of this when it sees the state. */
	barrier();
	*(volatile __u32 *)&thread->state = runnable ? OFF_CPU_RUNNABLE : OFF_CPU_BLOCKED;
}

static __always_inline void leave(void *context, bool preempted, struct task_struct *task,
				  struct off_cpu_cpu *cpu, __u64 now_ns, enum how how)
{
	struct off_cpu_thread *thread = find_thread(task);
	__u32 state = state_of(task);

	if (!thread)
		return;
	now_ns = not_back(thread, now_ns);
	thread->times.running_ns += since(thread->since_ns, now_ns);
	if (state & TASK_DEAD) {
		send_times(context, thread, OFF_CPU_EXIT, cpu);
		return;
	}
	begin_wait(thread, task, preempted, state, cpu, now_ns);
	if (task->mm &&
	    off_cpu_kept(thread->draw_ns, thread->expected_ns[thread->site % OFF_CPU_SITES]))
		send_user_stack(context, task, thread, cpu, how);
}

/* ---- waking ---- */

static void note_waker(struct off_cpu_thread *thread)
{
	__u64 waker = bpf_get_current_pid_tgid();

	thread->waker_pid = (__u32)(waker >> 32);
	thread->waker_tid = (__u32)waker;
}

/* The kernel stack shows whether the waker itself wakes the thread, or an interrupt that hit it. */
static void send_waker(void *context, struct off_cpu_thread *thread)
{
	const __u64 head = __builtin_offsetof(struct off_cpu_woke_record, addresses);
	struct off_cpu_cpu *cpu = this_cpu();
	struct off_cpu_woke_record *record;
	long bytes;

	if (!cpu)
		return;
	record = &cpu->woke;
	bytes = bpf_get_stack(context, record->addresses, sizeof(record->addresses), 0);
	if (bytes < 0)
		return;
	record->kind = OFF_CPU_WOKE;
	record->pid = thread->pid;
	record->tid = thread->tid;
	record->count = (__u32)bytes / sizeof(record->addresses[0]);
	record->left_ns = thread->left_ns;
	if (head + (__u64)bytes <= sizeof(*record))
		bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, record,
				      head + (__u64)bytes);
}

SEC("tp_btf/sched_waking")
int off_cpu_waking(__u64 *arguments)
{
	struct off_cpu_thread *thread = find_thread((struct task_struct *)arguments[0]);
	__u64 now_ns;

	if (!thread || thread->state != OFF_CPU_BLOCKED)
		return 0;
	now_ns = not_back(thread, bpf_ktime_get_ns());
	add_blocked(thread, since(thread->since_ns, now_ns));
	thread->since_ns = now_ns;
	thread->state = OFF_CPU_RUNNABLE;
	note_waker(thread);
	if (thread->waker_tid && off_cpu_kept(thread->draw_ns, thread->blocked_ns))
		send_waker(arguments, thread);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int off_cpu_fork(__u64 *arguments)
{
	const struct off_cpu_thread *family = find_thread((struct task_struct *)arguments[0]);
	enum off_cpu_group group = any_chosen ? OFF_CPU_OTHERS : OFF_CPU_CHOSEN;
	struct off_cpu_cpu *cpu = this_cpu();
	__u64 now_ns = bpf_ktime_get_ns();
	struct off_cpu_thread *thread;

	thread = add_thread((struct task_struct *)arguments[1], OFF_CPU_RUNNABLE,
			    family ? family->group : group, now_ns);
	if (thread && cpu) {
		note_waker(thread);
		draw(thread, cpu, now_ns);
	} else if (cpu) {
		cpu->counts.table_full++;
	}
	return 0;
}

/* ---- coming back ---- */

static void describe_wait(struct off_cpu_wait_record *record, const struct off_cpu_thread *thread,
			  const struct task_struct *task, __u64 runnable_ns)
{
	record->kind = OFF_CPU_WAIT;
	record->pid = (__u32)task->tgid;
	record->tid = tid_of(task);
	record->flags = thread->flags;
	record->left_ns = thread->left_ns;
	record->blocked_ns = thread->blocked_ns;
	record->runnable_ns = runnable_ns;
	record->draw_ns = thread->draw_ns;
	record->threshold_ns = thread->threshold_ns;
	record->waker_pid = thread->waker_pid;
	record->waker_tid = thread->waker_tid;
	record->user_ip = 0;
	record->zero = 0;
	record->count = 0;
}

/* Adds the stacks of a thread that does not run. Returns the record's size. */
static __u64 add_stack(struct off_cpu_wait_record *record, struct task_struct *task)
{
	__u64 size = __builtin_offsetof(struct off_cpu_wait_record, addresses);
	long bytes = bpf_get_task_stack(task, record->addresses, sizeof(record->addresses), 0);

	record->user_ip = user_ip(task);
	if (bytes <= 0)
		return size;
	record->count = (__u32)bytes / sizeof(record->addresses[0]);
	return size + (__u64)bytes;
}

/* If the ring has no room for the stack, sends the record without it: the length of the wait is
 * kept. */
static void send_wait(void *context, struct task_struct *task, const struct off_cpu_thread *thread,
		      __u64 runnable_ns, struct off_cpu_cpu *cpu, __u64 now_ns)
{
	struct off_cpu_wait_record *record = &cpu->wait;
	const __u64 head = __builtin_offsetof(struct off_cpu_wait_record, addresses);
	__u64 longest_ns = thread->blocked_ns > runnable_ns ? thread->blocked_ns : runnable_ns;
	__u64 size;

	describe_wait(record, thread, task, runnable_ns);
	size = add_stack(record, task);
	spend(cpu, thread, now_ns, 1);
	cpu->counts.records++;
	if (size <= sizeof(*record) &&
	    bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, record, size) == 0)
		return;
	record->count = 0;
	cpu->counts.cut++;
	if (bpf_perf_event_output(context, &outputs, BPF_F_CURRENT_CPU, record, head) == 0)
		return;
	cpu->counts.lost++;
	cpu->counts.lost_weight_ns += off_cpu_weight(thread->threshold_ns, longest_ns);
}

/* Ends the last part of a wait. Returns its runnable part. */
static __u64 end_wait(struct off_cpu_thread *thread, __u64 now_ns)
{
	__u64 duration_ns = since(thread->since_ns, now_ns);

	if (thread->state == OFF_CPU_BLOCKED) {
		add_blocked(thread, duration_ns); /* its wakeup was not seen */
		return 0;
	}
	thread->times.runnable_ns += duration_ns;
	return duration_ns;
}

static void arrive(void *context, struct task_struct *task, struct off_cpu_cpu *cpu, __u64 now_ns)
{
	struct off_cpu_thread *thread = find_thread(task);
	__u64 runnable_ns, *expected_ns;

	if (!thread)
		return;
	now_ns = not_back(thread, now_ns);
	runnable_ns = end_wait(thread, now_ns);
	if (off_cpu_kept(thread->draw_ns, runnable_ns) ||
	    off_cpu_kept(thread->draw_ns, thread->blocked_ns))
		send_wait(context, task, thread, runnable_ns, cpu, now_ns);
	expected_ns = &thread->expected_ns[thread->site % OFF_CPU_SITES];
	*expected_ns = off_cpu_expect(*expected_ns, thread->blocked_ns + runnable_ns);
	thread->state = OFF_CPU_RUNNING;
	thread->since_ns = now_ns;
}

static __always_inline int switched(__u64 *arguments, enum how how)
{
	struct off_cpu_cpu *cpu = this_cpu();
	__u64 now_ns;

	if (!cpu)
		return 0;
	now_ns = bpf_ktime_get_ns();
	leave(arguments, arguments[0], (struct task_struct *)arguments[1], cpu, now_ns, how);
	arrive(arguments, (struct task_struct *)arguments[2], cpu, now_ns);
	if (opened_ns && cpu->counts.switches++ % OFF_CPU_MEASURE_EVERY == 0)
		cpu->counts.measured_ns += bpf_ktime_get_ns() - now_ns;
	return 0;
}

/* Only one of these programs is loaded. */
#define PROGRAM(name, how)                       \
	SEC("tp_btf/sched_switch")               \
	int name(__u64 *arguments)               \
	{                                        \
		return switched(arguments, how); \
	}

PROGRAM(off_cpu_switch_loop, BY_LOOP)
PROGRAM(off_cpu_switch_calls, BY_CALLS)
PROGRAM(off_cpu_switch_fp, BY_FRAME_POINTERS)

/* ---- exec ---- */

SEC("tp_btf/sched_process_exec")
int BPF_PROG(off_cpu_exec, struct task_struct *task)
{
	struct off_cpu_thread *thread = find_thread(task);
	struct off_cpu_cpu *cpu = this_cpu();
	__u64 now_ns;

	if (!cpu || !thread)
		return 0;
	now_ns = not_back(thread, bpf_ktime_get_ns());
	thread->times.running_ns += since(thread->since_ns, now_ns);
	send_times(ctx, thread, OFF_CPU_EXEC, cpu);
	thread->times = (struct off_cpu_times){ 0 };
	thread->since_ns = now_ns;
	/* A non-leader thread that calls exec becomes the leader and gets the leader's tid. */
	thread->tid = tid_of(task);
	return 0;
}

/* ---- start and end of the window ---- */

/* Registers every thread before the window opens, except the idle tasks. */
SEC("iter/task")
int off_cpu_open(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct off_cpu_thread *thread;
	__u64 now_ns = bpf_ktime_get_ns();
	__u32 state;

	if (!task || !tid_of(task))
		return 0;
	state = state_of(task);
	if (state & (TASK_DEAD | TASK_NEW) || find_thread(task))
		return 0;
	if (state == TASK_RUNNING || state == TASK_WAKING) {
		add_thread(task, OFF_CPU_EITHER, group_of(task), now_ns);
		return 0;
	}
	thread = add_thread(task, OFF_CPU_BLOCKED, group_of(task), now_ns);
	if (thread)
		thread->flags = flags_of(task, state);
	return 0;
}

static void write_wait(struct seq_file *seq, struct task_struct *task,
		       const struct off_cpu_thread *thread, __u64 runnable_ns)
{
	__u32 zero = 0;
	struct off_cpu_wait_record *record = bpf_map_lookup_elem(&closing, &zero);

	if (!record)
		return;
	describe_wait(record, thread, task, runnable_ns);
	record->flags |= OFF_CPU_OPEN;
	/* A thread that has come back meanwhile is no longer where it waited. */
	if (state_of(task))
		add_stack(record, task);
	bpf_seq_write(seq, record, sizeof(*record));
}

static void write_times(struct seq_file *seq, const struct off_cpu_thread *thread)
{
	struct off_cpu_times_record record = { .kind = OFF_CPU_TIMES,
					       .pid = thread->pid,
					       .tid = thread->tid,
					       .why = OFF_CPU_CLOSE,
					       .times = thread->times };

	bpf_seq_write(seq, &record, sizeof(record));
}

/* Ends each thread's state when the window closes: writes its times, and its wait if that is kept.
 * May run twice for a thread if its output did not fit, so it does not modify the table. */
SEC("iter/task")
int off_cpu_close(struct bpf_iter__task *context)
{
	struct seq_file *seq = context->meta->seq;
	struct task_struct *task = context->task;
	const struct off_cpu_thread *found;
	struct off_cpu_thread thread;
	__u64 runnable_ns = 0;

	if (!task)
		return 0;
	found = find_thread(task);
	if (!found)
		return 0;
	thread = *found;
	if (thread.state == OFF_CPU_RUNNING)
		thread.times.running_ns += since(thread.since_ns, closed_ns);
	else
		runnable_ns = end_wait(&thread, closed_ns);
	if (thread.state != OFF_CPU_RUNNING && (off_cpu_kept(thread.draw_ns, runnable_ns) ||
						off_cpu_kept(thread.draw_ns, thread.blocked_ns)))
		write_wait(seq, task, &thread, runnable_ns);
	if (is_wanted(&thread))
		write_times(seq, &thread);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
