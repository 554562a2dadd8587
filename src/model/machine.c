/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/machine_parts.h"

enum { EXEC_MAPS = 3 }; /* executable, interpreter, vdso */

struct machine *machine_new(struct profile *profile, machine_complete complete, void *context)
{
	struct machine *machine = xcalloc(1, sizeof(*machine));

	machine->profile = profile;
	machine->programs =
		(struct programs){ .profile = profile, .complete = complete, .context = context };
	return machine;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	living_done(&machine->living);
	programs_done(&machine->programs);
	vec_free(&machine->buckets);
	vec_free(&machine->orphans);
	vec_free(&machine->ended);
	free(machine);
}

str_id machine_intern(struct machine *machine, const char *text)
{
	return strpool_intern(&machine->profile->strings, text);
}

struct process *machine_row_of(const struct machine *machine, const struct live_process *process)
{
	return &machine->profile->processes.items[process->row];
}

struct live_process *machine_add_row(struct machine *machine, const struct process *row)
{
	return living_add_process(&machine->living, row->pid,
				  profile_add_process(machine->profile, row));
}

/* Its exec was not seen: it failed, or the record was lost. */
static void settle_command(struct machine *machine, const struct live_process *process)
{
	if (!machine->launched || process->pid != machine->launched)
		return;
	machine_row_of(machine, process)->in_command = true;
	machine_row_of(machine, process)->dirty = true;
	machine->launched = 0;
}

void machine_end_process(struct machine *machine, struct live_process *process, uint64_t time_ns)
{
	struct process *row = machine_row_of(machine, process);

	programs_settle_as_is(&machine->programs, process);
	settle_command(machine, process);
	row->end_ns = time_ns;
	row->dirty = true;
	*vec_push(&machine->ended) = process->row;
	living_remove_process(&machine->living, process);
}

static void end_thread(struct machine *machine, struct live_thread *thread, uint64_t time_ns)
{
	struct live_process *process = thread->process;

	living_remove_thread(&machine->living, thread);
	if (!process->threads)
		machine_end_process(machine, process, time_ns);
}

struct live_thread *machine_begin_thread(struct machine *machine, struct live_process *process,
					 int32_t tid, str_id comm, uint64_t time_ns)
{
	struct live_thread *old = living_thread(&machine->living, tid);

	if (old && old->process == process)
		living_remove_thread(&machine->living, old);
	else if (old)
		end_thread(machine, old, time_ns);
	return living_add_thread(&machine->living, process, tid, comm);
}

void machine_name_thread(struct live_thread *thread, str_id comm)
{
	if (thread->comm != comm)
		thread->task = 0;
	thread->comm = comm;
}

/* A pid known only from this record or sample. */
static struct live_process *add_unknown(struct machine *machine, int32_t pid, uint64_t time_ns)
{
	str_id name = machine_intern(machine, "[unknown]");
	struct process row = { .pid = pid, .start_ns = time_ns, .program = name };
	struct live_process *process = machine_add_row(machine, &row);

	process->unknown = true;
	programs_settle(&machine->programs, process, name);
	machine_begin_thread(machine, process, pid, name, time_ns);
	return process;
}

struct live_process *machine_find_or_add(struct machine *machine, int32_t pid, uint64_t time_ns)
{
	struct live_process *process = living_process(&machine->living, pid);

	return process ? process : add_unknown(machine, pid, time_ns);
}

/* --- fork --- */

/* True if /proc gave the process this time of birth. Then the record follows the scan only because
 * the ring is read after it. */
static bool born_at(const struct machine *machine, const struct live_process *process,
		    uint64_t time_ns)
{
	uint64_t start_ns = machine_row_of(machine, process)->start_ns;

	return process->scanned && time_ns < start_ns + BIRTH_TOLERANCE_NS &&
	       start_ns < time_ns + BIRTH_TOLERANCE_NS;
}

/* Overwrites the row that the scan made too early. */
static struct live_process *start_over(struct machine *machine, struct live_process *process,
				       const struct process *row)
{
	uint32_t id = process->row;

	programs_take_back(&machine->programs, process);
	living_forget_threads(&machine->living, process);
	living_remove_process(&machine->living, process);
	machine->profile->processes.items[id] = *row;
	machine->profile->processes.items[id].dirty = true;
	return living_add_process(&machine->living, row->pid, id);
}

static struct process child_row(const struct machine *machine, const struct live_process *parent,
				int32_t pid, uint64_t time_ns)
{
	struct process row = { 0 };

	if (parent) {
		row = *machine_row_of(machine, parent);
		row.parent = parent->row;
	}
	row.pid = pid;
	row.exec_count = 0;
	row.start_ns = time_ns;
	row.end_ns = 0;
	row.instance = 0;
	row.dirty = false;
	return row;
}

static struct live_process *begin_process(struct machine *machine, const struct process *row)
{
	struct live_process *old = living_process(&machine->living, row->pid);

	if (old && born_at(machine, old, row->start_ns))
		return start_over(machine, old, row);
	if (old)
		machine_end_process(machine, old, row->start_ns);
	return machine_add_row(machine, row);
}

static void fork_process(struct machine *machine, uint64_t time_ns, int32_t pid,
			 struct live_process *parent, str_id comm)
{
	struct process row = child_row(machine, parent, pid, time_ns);
	struct live_process *child = begin_process(machine, &row);

	child->space = address_space_share(parent ? parent->space : NULL);
	child->changed = child->begun = ++machine->serial;
	child->unknown = parent && parent->unknown;
	if (row.kernel_thread)
		child->awaited = AWAITED_COMM;
	else
		programs_settle(&machine->programs, child, row.program);
	machine_begin_thread(machine, child, pid, comm, time_ns);
}

void machine_fork(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t parent_pid,
		  int32_t tid, int32_t parent_tid)
{
	struct live_process *parent = NULL;
	const struct live_thread *forker;
	str_id comm;

	if (parent_pid > 0)
		parent = machine_find_or_add(machine, parent_pid, time_ns);
	forker = living_thread(&machine->living, parent_tid);
	comm = forker	? forker->comm
	       : parent ? machine_row_of(machine, parent)->program
			: machine_intern(machine, "[unknown]");
	if (parent)
		programs_settle_as_is(&machine->programs, parent);
	if (pid == parent_pid && parent)
		machine_begin_thread(machine, parent, tid, comm, time_ns);
	else
		fork_process(machine, time_ns, pid, parent, comm);
}

/* --- comm and exec --- */

static void exec(struct machine *machine, uint64_t time_ns, struct live_process *process,
		 str_id comm)
{
	struct process *old = machine_row_of(machine, process);
	struct process row = *old;

	programs_settle_as_is(&machine->programs, process);
	old->end_ns = time_ns;
	old->dirty = true;
	*vec_push(&machine->ended) = process->row;
	row.exec_count++;
	row.parent = process->row;
	row.program = comm;
	row.exe = 0;
	row.instance = 0;
	row.kernel_thread = false;
	row.dirty = true;
	if (process->pid == machine->launched) {
		row.in_command = true;
		machine->launched = 0;
	}
	address_space_unref(process->space);
	process->space = NULL;
	process->changed = process->begun = ++machine->serial;
	process->row = profile_add_process(machine->profile, &row);
	process->awaited = AWAITED_MAPPING;
	process->exec_comm = comm;
	process->in_exec = true;
	process->unknown = false;
	/* The thread that called exec is now the only one, and has the pid as its tid. */
	living_forget_threads(&machine->living, process);
	machine_begin_thread(machine, process, process->pid, comm, time_ns);
}

/* Only if nothing better names the program; otherwise prctl could change it. */
static void comm_tells_program(struct machine *machine, struct live_process *process, str_id comm)
{
	if (process->awaited != AWAITED_COMM && !process->unknown)
		return;
	process->unknown = false;
	programs_settle(&machine->programs, process, comm);
}

void machine_comm(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t tid,
		  const char *comm, bool is_exec)
{
	struct live_process *process = machine_find_or_add(machine, pid, time_ns);
	struct live_thread *thread;
	str_id name = machine_intern(machine, comm);

	if (is_exec) {
		exec(machine, time_ns, process, name);
		return;
	}
	if (tid == pid)
		comm_tells_program(machine, process, name);
	thread = living_thread(&machine->living, tid);
	if (thread && thread->process == process)
		machine_name_thread(thread, name);
	else
		machine_begin_thread(machine, process, tid, name, time_ns);
}

/* --- mappings --- */

/* The vdso of another kernel, or of 32-bit programs, is only a name: "[vdso32]". */
static bool is_vdso(const struct machine *machine, uint32_t image)
{
	const struct image *row = &machine->profile->images.items[image];

	return row->kind == IMAGE_VDSO ||
	       strncmp(profile_text(machine->profile, row->path), "[vdso", 5) == 0;
}

/* The first file that is mapped after an exec. */
static void executed(struct machine *machine, struct live_process *process, uint32_t image)
{
	struct process *row = machine_row_of(machine, process);

	row->exe = machine->profile->images.items[image].path;
	row->dirty = true;
	programs_settle(&machine->programs, process,
			programs_of_exec(&machine->programs, process, image));
}

void machine_map(struct machine *machine, uint64_t time_ns, int32_t pid,
		 const struct mapping *mapping)
{
	struct live_process *process = machine_find_or_add(machine, pid, time_ns);
	enum image_kind kind = machine->profile->images.items[mapping->image].kind;
	struct mapping since = *mapping;

	since.since = machine->serial + 1;
	if (address_space_map(&process->space, &since) != ADDRESS_SPACE_SAME)
		process->changed = ++machine->serial;
	/* Counts ranges, not records: with two tracking events each mapping is recorded twice. */
	if (is_vdso(machine, mapping->image) || address_space_count(process->space) >= EXEC_MAPS)
		process->in_exec = false;
	if (process->awaited == AWAITED_MAPPING && kind == IMAGE_FILE)
		executed(machine, process, mapping->image);
}

enum code_place machine_find_code(const struct machine_space *space, uint64_t address,
				  struct mapping *ret_mapping)
{
	if (address_space_find(space->mappings, address, ret_mapping))
		return CODE_MAPPED;
	return space->in_exec ? CODE_EXEC : CODE_UNMAPPED;
}

struct machine_space machine_space(const struct machine *machine, int32_t pid)
{
	const struct live_process *process = living_process(&machine->living, pid);

	if (!process)
		return (struct machine_space){ 0 };
	return (struct machine_space){ .process = process->row,
				       .pid = pid,
				       .changed = process->changed,
				       .begun = process->begun,
				       .mappings = process->space,
				       .in_exec = process->in_exec };
}

/* --- exit --- */

void machine_exit(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t tid)
{
	struct live_thread *thread = living_thread(&machine->living, tid);

	if (thread && thread->process->pid == pid)
		end_thread(machine, thread, time_ns);
}

void machine_exit_process(struct machine *machine, uint64_t time_ns, int32_t pid)
{
	struct live_process *process = living_process(&machine->living, pid);

	if (process)
		machine_end_process(machine, process, time_ns);
}

/* --- samples --- */

static uint32_t make_task(struct machine *machine, uint32_t row, int32_t tid, str_id comm)
{
	struct task task = { .process = row, .tid = tid, .comm = comm };

	return profile_task(machine->profile, &task);
}

static struct live_process *add_idle(struct machine *machine, uint64_t time_ns)
{
	struct live_process *process = add_unknown(machine, 0, time_ns);

	process->unknown = false;
	machine_row_of(machine, process)->kernel_thread = true;
	programs_settle(&machine->programs, process, machine_intern(machine, "[idle]"));
	machine_name_thread(process->threads, machine_intern(machine, "swapper"));
	return process;
}

/* A thread that is not alive under this pid. */
static struct live_thread *add_sampled(struct machine *machine, uint64_t time_ns, int32_t pid,
				       int32_t tid)
{
	struct live_process *process = living_process(&machine->living, pid);
	struct live_thread *leader, *thread;

	if (!process)
		process = pid ? add_unknown(machine, pid, time_ns) : add_idle(machine, time_ns);
	thread = living_thread(&machine->living, tid);
	if (thread && thread->process == process)
		return thread;
	leader = living_thread(&machine->living, pid);
	return machine_begin_thread(
		machine, process, tid,
		leader ? leader->comm : machine_row_of(machine, process)->program, time_ns);
}

uint32_t machine_task(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t tid,
		      bool *ret_known)
{
	struct live_thread *thread = living_thread(&machine->living, tid);
	const struct dead_thread *dead;
	bool ignored;

	ret_known = ret_known ? ret_known : &ignored;
	*ret_known = true;
	if (pid < 0)
		return machine_bucket_task(machine, "[exiting]");
	if (!thread || thread->process->pid != pid) {
		dead = living_dead(&machine->living, pid, tid);
		if (dead)
			return make_task(machine, dead->row, tid, dead->comm);
		thread = add_sampled(machine, time_ns, pid, tid);
	}
	if (!thread->task)
		thread->task = make_task(machine, thread->process->row, tid, thread->comm);
	*ret_known = !thread->process->unknown;
	return thread->task;
}

uint32_t machine_process_of(const struct machine *machine, int32_t pid)
{
	const struct live_process *process = living_process(&machine->living, pid);

	return process ? process->row : 0;
}

bool machine_tid_alive(const struct machine *machine, int32_t tid)
{
	return living_thread(&machine->living, tid) != NULL;
}

uint32_t machine_bucket_task(struct machine *machine, const char *name)
{
	str_id id = machine_intern(machine, name);
	struct process row = { .pid = -1, .program = id, .instance = 1 };
	uint32_t task;

	for (size_t i = 0; i < machine->buckets.count; i++) {
		if (machine->buckets.items[i].name == id)
			return machine->buckets.items[i].task;
	}
	task = make_task(machine, profile_add_process(machine->profile, &row), -1, id);
	*vec_push(&machine->buckets) = (struct bucket){ .name = id, .task = task };
	return task;
}

/* --- facts without a record --- */

void machine_set_command(struct machine *machine, int32_t pid)
{
	struct live_process *process = machine_find_or_add(machine, pid, 0);

	machine_row_of(machine, process)->in_command = true;
	machine_row_of(machine, process)->dirty = true;
}

void machine_await_command(struct machine *machine, int32_t pid)
{
	machine->launched = pid;
}

void machine_finish(struct machine *machine)
{
	struct live_process *process;
	size_t cursor = 0;

	while ((process = pid_table_next(&machine->living.processes, &cursor))) {
		programs_settle_as_is(&machine->programs, process);
		settle_command(machine, process);
	}
}
