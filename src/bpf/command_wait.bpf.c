/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The time in which a command waits: no thread of its processes runs or is runnable. The wait whose
 * end ends that time gives it its reason. So a thread that waits for another thread of the command, or
 * for a child, is never the reason as long as that one waits for something outside.
 *
 * All threads of the command share one word: how many of them are active, or since when none is. Of
 * other threads nothing is kept, and nothing but that is looked up.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/chosen.bpf.h"
#include "bpf/command_wait_calls.bpf.h"
#include "bpf/command_wait_wire.h"
#include "bpf/task_iterator.bpf.h"
#include "bpf/window.bpf.h"

/* Storage is allocated at fork and before the window opens, never in the scheduler. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct command_wait_thread);
} command_threads SEC(".maps");

/* The processes and threads that are the command. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, COMMAND_WAIT_MAX_CHOSEN);
	__type(key, __u32);
	__type(value, __u32);
} command_chosen SEC(".maps");

/* True: the window opens when a chosen process executes a program. */
volatile bool opens_at_exec;
/* Active threads; or COMMAND_WAIT_IDLE and when the last one became inactive. */
volatile __u64 command_wait_active = COMMAND_WAIT_IDLE | COMMAND_WAIT_BEFORE_NS;
struct command_wait_totals totals;

enum { TRIES = 64 };

static __always_inline struct command_wait_thread *find_thread(struct task_struct *task)
{
	return bpf_task_storage_get(&command_threads, task, NULL, 0);
}

static __always_inline __u32 state_of(const struct task_struct *task)
{
	return task->__state & TASK_STATES;
}

static __always_inline bool is_active(__u32 state)
{
	return state == COMMAND_WAIT_RUNNABLE;
}

/* ---- time ---- */

/* The clock may step back a little when the kernel corrects its speed (kernel/time/timekeeping.c,
 * ktime_get_mono_fast_ns). */
static __always_inline __u64 not_back(const struct command_wait_thread *thread, __u64 now_ns)
{
	return now_ns > thread->since_ns ? now_ns : thread->since_ns;
}

/* A wait that lasted about as long as it may was ended by its limit: it was a sleep. */
static __always_inline __u32 reason_at_end(const struct command_wait_thread *thread,
					   struct task_struct *task, __u64 duration_ns)
{
	if (thread->limit_ns && duration_ns + duration_ns / 8 >= thread->limit_ns)
		return COMMAND_WAIT_SLEEP;
	return reason_with_file(thread, task);
}

/* ---- the threads that are active ---- */

/* Returns since when no thread was active; 0: others are. */
static __always_inline __u64 begin_activity(void)
{
	for (int i = 0; i < TRIES; i++) {
		__u64 was = command_wait_active;
		bool idle = was & COMMAND_WAIT_IDLE;

		if (__sync_val_compare_and_swap(&command_wait_active, was, idle ? 1 : was + 1) ==
		    was)
			return idle ? was & ~COMMAND_WAIT_IDLE : 0;
	}
	__sync_fetch_and_add(&totals.missed, 1);
	return 0;
}

static __always_inline void end_activity(__u64 now_ns)
{
	for (int i = 0; i < TRIES; i++) {
		__u64 was = command_wait_active;
		__u64 next = was > 1 ? was - 1 : COMMAND_WAIT_IDLE | now_ns;

		if (was & COMMAND_WAIT_IDLE) /* an earlier change could not be made */
			return;
		if (__sync_val_compare_and_swap(&command_wait_active, was, next) == was)
			return;
	}
	__sync_fetch_and_add(&totals.missed, 1);
}

/* The thread was blocked for @blocked_ns. */
static __always_inline void end_idle(const struct command_wait_thread *thread,
				     struct task_struct *task, __u64 blocked_ns, __u64 idle_ns)
{
	__u32 reason = reason_at_end(thread, task, blocked_ns);

	__sync_fetch_and_add(&totals.idle_ns[reason % COMMAND_WAIT_ROOM], idle_ns);
}

static __always_inline void activate(struct command_wait_thread *thread, struct task_struct *task,
				     bool was_blocked, __u64 now_ns)
{
	__u64 blocked_ns = was_blocked ? since(thread->since_ns, now_ns) : 0;
	__u64 idle_since_ns = begin_activity();

	if (thread->is_lock)
		__sync_fetch_and_add(&totals.lock_ns, blocked_ns);
	if (idle_since_ns)
		end_idle(thread, task, blocked_ns, since(idle_since_ns, now_ns));
	thread->since_ns = now_ns;
}

/* Whoever changes the state counts the change. */
static __always_inline void become(struct command_wait_thread *thread, struct task_struct *task,
				   __u32 state, __u64 now_ns)
{
	__u32 was;

	/* Another CPU uses all that was written before when it sees the state. */
	barrier();
	was = __sync_lock_test_and_set(&thread->state, state);
	if (!is_active(was) && is_active(state))
		activate(thread, task, was == COMMAND_WAIT_BLOCKED, now_ns);
	else if (is_active(was) && !is_active(state))
		end_activity(now_ns);
}

/* ---- switches ---- */

/* The waits since the beginning of the current second. CPUs may lose each other's. */
volatile __u64 asked, asked_since_ns;

/* So many waits are of microseconds, and to ask what each is for costs more than the answer is worth. */
static __always_inline bool asks(__u64 now_ns)
{
	if (now_ns - asked_since_ns >= NS_PER_S) {
		asked_since_ns = now_ns;
		asked = 0;
	}
	if (asked >= COMMAND_WAIT_MOST_ASKED)
		return false;
	asked++;
	return true;
}

static __always_inline void describe(struct command_wait_thread *thread, struct task_struct *task,
				     __u32 state, __u64 now_ns)
{
	if (asks(now_ns)) {
		describe_wait(thread, task, state, true);
		return;
	}
	thread->limit_ns = 0;
	thread->is_lock = 0;
	thread->reason = COMMAND_WAIT_UNKNOWN;
	totals.not_asked++;
}

static __always_inline void leave(bool preempted, struct task_struct *task)
{
	struct command_wait_thread *thread = find_thread(task);
	__u32 state = state_of(task);
	__u64 now_ns;

	/* A thread that is woken between its decision to wait and this point stays runnable. */
	if (!thread || preempted || state == TASK_RUNNING || state == TASK_WAKING)
		return;
	now_ns = not_back(thread, bpf_ktime_get_ns());
	if (state & TASK_DEAD) {
		become(thread, task, COMMAND_WAIT_DEAD, now_ns);
		return;
	}
	describe(thread, task, state, now_ns);
	thread->since_ns = now_ns;
	become(thread, task, COMMAND_WAIT_BLOCKED, now_ns);
}

/* Of a thread that was not active: woken, or running again although its waking was not seen. */
static __always_inline void resume(struct task_struct *task)
{
	struct command_wait_thread *thread = find_thread(task);

	if (thread && !is_active(thread->state))
		become(thread, task, COMMAND_WAIT_RUNNABLE, not_back(thread, bpf_ktime_get_ns()));
}

SEC("tp_btf/sched_switch")
int command_wait_switch(__u64 *arguments)
{
	leave(arguments[0], (struct task_struct *)arguments[1]);
	resume((struct task_struct *)arguments[2]);
	return 0;
}

SEC("tp_btf/sched_waking")
int command_wait_waking(__u64 *arguments)
{
	resume((struct task_struct *)arguments[0]);
	return 0;
}

/* Sets the first state of a thread. False: it already has one. */
static __always_inline bool begin_state(struct command_wait_thread *thread, __u32 state)
{
	return __sync_val_compare_and_swap(&thread->state, COMMAND_WAIT_NEW, state) ==
	       COMMAND_WAIT_NEW;
}

/* Its parent is active, so no wait ends here. */
SEC("tp_btf/sched_process_fork")
int command_wait_fork(__u64 *arguments)
{
	struct task_struct *child = (struct task_struct *)arguments[1];
	struct command_wait_thread *thread;

	if (!find_thread((struct task_struct *)arguments[0]))
		return 0;
	thread =
		bpf_task_storage_get(&command_threads, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!thread)
		__sync_fetch_and_add(&totals.missed, 1);
	else if (begin_state(thread, COMMAND_WAIT_RUNNABLE))
		begin_activity();
	return 0;
}

/* Until then the process runs the code of who launches the command. Nothing else of the command is
 * there yet: it has one thread, which runs. */
SEC("tp_btf/sched_process_exec")
int command_wait_exec(__u64 *arguments)
{
	if (opens_at_exec && !opened_ns && find_thread((struct task_struct *)arguments[0]))
		opened_ns = bpf_ktime_get_ns();
	return 0;
}

/* ---- start and end of the window ---- */

static __always_inline bool is_chosen(const struct task_struct *task)
{
	return chosen_has(&command_chosen, (__u32)task->tgid, (__u32)task->pid);
}

/* The thread may run meanwhile, and whatever the other programs see of it counts instead. */
static __always_inline void look_at(struct task_struct *task, struct command_wait_thread *thread)
{
	__u32 state = state_of(task);
	bool active = state == TASK_RUNNING || state == TASK_WAKING || state == TASK_NEW;

	if (!active) {
		describe_wait(thread, task, state, false);
		thread->since_ns = COMMAND_WAIT_BEFORE_NS;
	}
	if (begin_state(thread, active ? COMMAND_WAIT_RUNNABLE : COMMAND_WAIT_BLOCKED) && active)
		begin_activity();
}

/* Finds the threads of the chosen processes. The other programs are attached already, so that those
 * born meanwhile are not missed. */
SEC("iter/task")
int command_wait_open(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct command_wait_thread *thread;

	if (!task || !is_chosen(task) || state_of(task) & TASK_DEAD)
		return 0;
	thread = bpf_task_storage_get(&command_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!thread) {
		totals.missed++;
		return 0;
	}
	totals.chosen++;
	if (thread->state == COMMAND_WAIT_NEW)
		look_at(task, thread);
	return 0;
}

/* How much an open wait tells. A thread that waits for another one, or for a child, tells least. */
static __always_inline int rank_of(__u32 reason)
{
	enum { CHILD = 1, LOCK, OUTSIDE };

	if (reason == COMMAND_WAIT_CHILD)
		return CHILD;
	return reason == COMMAND_WAIT_LOCK ? LOCK : OUTSIDE;
}

static __always_inline void take_open(const struct command_wait_thread *thread,
				      struct task_struct *task)
{
	__u32 reason = reason_with_file(thread, task);
	int rank = rank_of(reason);
	int rank_before = totals.open ? rank_of(totals.open_reason) : 0;

	totals.open++;
	if (rank < rank_before || (rank == rank_before && thread->since_ns <= totals.open_since_ns))
		return;
	totals.open_reason = reason;
	totals.open_since_ns = thread->since_ns;
}

/* The waits that were open when the window closed. The other programs are detached already. */
SEC("iter/task")
int command_wait_close(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	const struct command_wait_thread *thread = task ? find_thread(task) : NULL;

	if (!thread || thread->state != COMMAND_WAIT_BLOCKED)
		return 0;
	if (thread->is_lock)
		totals.lock_ns += since(thread->since_ns, closed_ns);
	take_open(thread, task);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
