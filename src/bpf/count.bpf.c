/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Divides the counts of each CPU's counters among the threads that run there. The programs read the
 * counters when a thread leaves the CPU, calls exec or ends; the increase since the last reading
 * belongs to that thread. So the rows add up to the total, and no thread needs counters of its own.
 *
 * The kernel counts a context switch after its sched_switch tracepoint. So the programs add one to
 * the leaving thread and subtract one from the next.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/count_wire.h"
#include "bpf/task_iterator.bpf.h"
#include "bpf/task_states.bpf.h"

#define BY_NAME __attribute__((preserve_access_index))

enum { COMM_BYTES = 16 };

struct linux_binprm {
	const char *filename;
} BY_NAME;

struct task_struct {
	unsigned int __state;
	int pid, tgid;
	char comm[COMM_BYTES];
} BY_NAME;

/* State of a thread. */
struct count_task {
	struct count_row_key key;
	__u32 counts; /* 0: counts only from its next exec on */
	__u32 zero;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct count_task);
} tasks SEC(".maps");

/* Event e of CPU c is at e * cpus + c. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} counters SEC(".maps");

/* The counters of this CPU at the last reading. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNT_EVENTS);
	__type(key, __u32);
	__type(value, struct count_reading);
} lasts SEC(".maps");

/* The thread that is on this CPU since the last reading, as far as known. Some kernels hide
 * switches of some threads; counts of that time have no known owner. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} owners SEC(".maps");

/* Rows are added where memory may be allocated: at fork, exec and the start; never in the
 * scheduler. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, COUNT_ROWS);
	__type(key, struct count_row_key);
	__type(value, struct count_row_value);
} rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, COUNT_STARTING);
	__type(key, __u32);
	__type(value, struct count_program);
} starting SEC(".maps");

/* The initial value of a row; never written. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct count_row_value);
} nothing SEC(".maps");

struct count_path {
	char text[COUNT_PATH_BYTES];
};

/* Too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct count_path);
} paths SEC(".maps");

const volatile __u32 events = 0, cpus = 0;
const volatile __u32 by = COUNT_BY_PROGRAM;
const volatile __u32 everybody = 0;   /* count threads without a row of their own, too */
const volatile __u32 late_events = 0; /* a bit for each event that counts context switches */
volatile __u32 counting;	      /* set by user space */
volatile __u64 full;		      /* rows not added, threads not stored */

static __u32 tid_of(const struct task_struct *task)
{
	return (__u32)task->pid;
}

/* ---- counters ---- */

static __always_inline bool read_counter(__u32 event, struct count_reading *reading)
{
	__u64 index = (__u64)event * cpus + bpf_get_smp_processor_id();

	return bpf_perf_event_read_value(&counters, index, (struct bpf_perf_event_value *)reading,
					 sizeof(*reading)) == 0;
}

static __always_inline void add(struct count_reading *sum, const struct count_reading *now,
				const struct count_reading *last, __u64 late)
{
	__sync_fetch_and_add(&sum->count, now->count - last->count + late);
	__sync_fetch_and_add(&sum->enabled_ns, now->enabled_ns - last->enabled_ns);
	__sync_fetch_and_add(&sum->running_ns, now->running_ns - last->running_ns);
}

/* The occasions of a reading. */
enum moment {
	AT_EVENT,
	AT_SWITCH,     /* the kernel is about to count one more switch */
	AT_LAST_SWITCH /* of a dead thread: its counters are gone, so this one counts for no row */
};

/* Adds the counts since the last reading to @row; NULL: to no row. */
static __always_inline void split(struct count_row_value *row, enum moment moment)
{
	for (__u32 i = 0; i < COUNT_EVENTS; i++) {
		struct count_reading now = { 0 }, *last;
		__u64 late = late_events >> i & 1;
		__u32 index = i;

		if (i >= events)
			break;
		last = bpf_map_lookup_elem(&lasts, &index);
		if (!last || !read_counter(i, &now))
			continue;
		if (row) {
			struct count_row_value *to = row;

			barrier_var(to); /* arithmetic only on a pointer known not to be NULL */
			add(&to->sums[i], &now, last, moment == AT_SWITCH ? late : 0);
		}
		if (moment != AT_EVENT)
			now.count += late;
		*last = now;
	}
	if (row)
		row->used = 1;
}

/* ---- rows ---- */

static __always_inline struct count_row_value *special_row(__u64 which)
{
	struct count_row_key key = { .program = which };

	return bpf_map_lookup_elem(&rows, &key);
}

static __always_inline struct count_row_value *row_of(const struct count_task *task)
{
	struct count_row_value *row = bpf_map_lookup_elem(&rows, &task->key);

	return row ? row : special_row(COUNT_REST);
}

/* 64-bit FNV-1a. */
static __u64 hash_path(const char *path)
{
	__u64 hash = 0xcbf29ce484222325ULL;

	for (__u32 i = 0; i < COUNT_PATH_BYTES && path[i]; i++) {
		hash ^= (unsigned char)path[i];
		hash *= 0x100000001b3ULL;
	}
	return hash < COUNT_SPECIALS ? COUNT_SPECIALS : hash;
}

static void set_key(struct count_row_key *key, __u64 program, const struct task_struct *task)
{
	key->program = by & COUNT_BY_PROGRAM ? program : COUNT_SPECIALS;
	key->pid = by & (COUNT_BY_PROCESS | COUNT_BY_THREAD) ? (__u32)task->tgid : 0;
	key->tid = by & COUNT_BY_THREAD ? tid_of(task) : 0;
}

/* The row of @key, added if missing. */
static struct count_row_value *make_row(const struct count_row_key *key)
{
	struct count_row_value *row = bpf_map_lookup_elem(&rows, key);
	const struct count_row_value *empty;
	__u32 zero = 0;

	if (row)
		return row;
	empty = bpf_map_lookup_elem(&nothing, &zero);
	if (!empty)
		return NULL;
	bpf_map_update_elem(&rows, key, empty, BPF_NOEXIST);
	row = bpf_map_lookup_elem(&rows, key);
	if (!row)
		__sync_fetch_and_add(&full, 1);
	return row;
}

/* @comm and @path are in kernel memory or in our maps. */
static void name_row(struct count_row_value *row, const char *path, const char *comm)
{
	bpf_probe_read_kernel_str(row->path, sizeof(row->path), path);
	bpf_probe_read_kernel(row->comm, sizeof(row->comm), comm);
}

/* ---- tracepoints ---- */

/* Call when @task leaves or is read. Returns @row if the task is known to have been here all the
 * time, else the row COUNT_REST. @next: the thread that is here from now on. */
static __always_inline struct count_row_value *row_of_owner(const struct task_struct *task,
							    struct count_row_value *row, __u32 next)
{
	__u32 zero = 0, *owner = bpf_map_lookup_elem(&owners, &zero);
	bool here;

	if (!owner)
		return row;
	here = *owner == tid_of(task);
	*owner = next;
	return here || !row ? row : special_row(COUNT_REST);
}

static struct count_task *find_task(struct task_struct *task)
{
	return bpf_task_storage_get(&tasks, task, NULL, 0);
}

/* NULL if out of memory. The thread's counts then go to COUNT_REST or are not counted. */
static __always_inline struct count_task *make_task(struct task_struct *task)
{
	struct count_task *known =
		bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!known)
		__sync_fetch_and_add(&full, 1);
	return known;
}

static __always_inline struct count_row_value *row_of_task(struct task_struct *task)
{
	const struct count_task *known;

	if (!tid_of(task))
		return everybody ? special_row(COUNT_IDLE) : NULL;
	known = find_task(task);
	if (known)
		return known->counts ? row_of(known) : NULL;
	return everybody ? special_row(COUNT_REST) : NULL;
}

SEC("tp_btf/sched_switch")
int count_switch(__u64 *arguments)
{
	struct task_struct *previous = (struct task_struct *)arguments[1];
	struct task_struct *next = (struct task_struct *)arguments[2];
	bool dead = previous->__state & TASK_DEAD;
	struct count_row_value *row;

	if (!counting)
		return 0;
	row = row_of_task(previous);
	if (row && by & COUNT_BY_THREAD)
		__builtin_memcpy(row->comm, previous->comm, COMM_BYTES);
	row = row_of_owner(previous, row, tid_of(next));
	if (row || row_of_task(next))
		split(row, dead ? AT_LAST_SWITCH : AT_SWITCH);
	return 0;
}

/* Adds a thread's counts before its parent can learn that it ended. */
SEC("tp_btf/sched_process_exit")
int count_exit(__u64 *arguments)
{
	struct task_struct *task = (struct task_struct *)arguments[0];
	struct count_row_value *row = counting ? row_of_task(task) : NULL;

	if (row)
		split(row_of_owner(task, row, tid_of(task)), AT_EVENT);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int count_fork(__u64 *arguments)
{
	const struct count_task *family = find_task((struct task_struct *)arguments[0]);
	struct task_struct *child = (struct task_struct *)arguments[1];
	const struct count_row_value *parents;
	struct count_row_value *row;
	struct count_task *task;

	if (!family || !family->counts)
		return 0;
	task = make_task(child);
	if (!task)
		return 0;
	set_key(&task->key, family->key.program, child);
	task->counts = 1;
	row = make_row(&task->key);
	parents = bpf_map_lookup_elem(&rows, &family->key);
	if (row && parents && row != parents)
		name_row(row, parents->path, child->comm);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int count_exec(__u64 *arguments)
{
	struct task_struct *task = (struct task_struct *)arguments[0];
	const struct linux_binprm *program = (const struct linux_binprm *)arguments[2];
	__u32 zero = 0;
	struct count_path *path = bpf_map_lookup_elem(&paths, &zero);
	struct count_row_value *row;
	struct count_task *known;

	if (!path)
		return 0;
	known = find_task(task);
	if (!known || !counting)
		return 0;
	row = known->counts ? row_of(known) : NULL;
	split(row_of_owner(task, row, tid_of(task)), AT_EVENT);
	bpf_probe_read_kernel_str(path->text, sizeof(path->text), program->filename);
	set_key(&known->key, hash_path(path->text), task);
	known->counts = 1;
	row = make_row(&known->key);
	if (!row)
		return 0;
	__sync_fetch_and_add(&row->runs, 1);
	name_row(row, path->text, task->comm);
	return 0;
}

/* ---- programs that user space runs ---- */

/* Registers the existing threads. */
SEC("iter/task")
int count_begin(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	const struct count_program *program;
	struct count_row_value *row;
	struct count_task *known;
	__u32 pid;

	if (!task || !tid_of(task))
		return 0;
	pid = (__u32)task->tgid;
	program = bpf_map_lookup_elem(&starting, &pid);
	if (!program)
		return 0;
	known = make_task(task);
	if (!known)
		return 0;
	set_key(&known->key, program->program, task);
	known->counts = program->counts;
	row = known->counts ? make_row(&known->key) : NULL;
	if (row)
		name_row(row, program->path, task->comm);
	return 0;
}

/* Run on each CPU by BPF_PROG_RUN: adds what the current thread has counted so far. */
SEC("raw_tp")
int count_flush(struct bpf_raw_tracepoint_args *arguments)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct count_row_value *row = counting ? row_of_task(task) : NULL;

	(void)arguments;
	split(row_of_owner(task, row, tid_of(task)), AT_EVENT);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
