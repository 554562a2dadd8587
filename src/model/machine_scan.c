/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes what /proc says into the model: processes that existed before us, and updates after
 * losses. */
#include <string.h>

#include "base/file.h"
#include "model/machine_parts.h"

enum { CONTAINER_MAX = 256 };

static void set_cgroup(struct machine *machine, struct process *row, const char *cgroup)
{
	char container[CONTAINER_MAX];
	str_id id = machine_intern(machine, cgroup ? cgroup : "");

	if (row->cgroup == id)
		return;
	container_of_cgroup(profile_text(machine->profile, id), container, sizeof(container));
	row->cgroup = id;
	row->container = machine_intern(machine, container);
	row->dirty = true;
}

/* Links children that the scan met before this parent, as happens when pids wrap. */
static void adopt(struct machine *machine, const struct live_process *parent)
{
	for (size_t i = 0; i < machine->orphans.count; i++) {
		struct orphan orphan = machine->orphans.items[i];

		if (orphan.parent_pid != parent->pid)
			continue;
		machine->profile->processes.items[orphan.row].parent = parent->row;
		machine->profile->processes.items[orphan.row].dirty = true;
		machine->orphans.items[i--] = machine->orphans.items[--machine->orphans.count];
	}
}

static void set_parent(struct machine *machine, struct live_process *process, int32_t parent_pid)
{
	const struct live_process *parent = living_process(&machine->living, parent_pid);

	if (parent && parent != process)
		machine_row_of(machine, process)->parent = parent->row;
	else if (parent_pid > 0)
		*vec_push(&machine->orphans) =
			(struct orphan){ .row = process->row, .parent_pid = parent_pid };
}

static void settle_as_told(struct machine *machine, struct live_process *process,
			   const struct machine_process *info)
{
	machine_row_of(machine, process)->exe =
		machine_intern(machine, info->executable ? info->executable : "");
	machine_row_of(machine, process)->dirty = true;
	programs_settle(&machine->programs, process, programs_of_scan(&machine->programs, info));
}

static void fill_in(struct machine *machine, struct live_process *process,
		    const struct machine_process *info)
{
	struct process *row = machine_row_of(machine, process);

	row->start_ns = info->start_ns;
	row->uid = info->uid;
	row->kernel_thread = info->kernel_thread;
	set_cgroup(machine, row, info->cgroup);
	set_parent(machine, process, info->parent_pid);
	process->scanned = true;
	process->unknown = false;
	settle_as_told(machine, process, info);
	machine_begin_thread(machine, process, info->pid, machine_intern(machine, info->comm),
			     info->start_ns);
	adopt(machine, process);
}

uint32_t machine_add_process(struct machine *machine, const struct machine_process *info)
{
	struct live_process *process = living_process(&machine->living, info->pid);

	if (!process)
		process = machine_add_row(machine, &(struct process){ .pid = info->pid });
	else if (!process->unknown)
		return process->row;
	fill_in(machine, process, info);
	return process->row;
}

void machine_add_thread(struct machine *machine, int32_t pid, int32_t tid, const char *comm)
{
	struct live_process *process = machine_find_or_add(machine, pid, 0);
	struct live_thread *thread = living_thread(&machine->living, tid);

	if (thread && thread->process == process)
		machine_name_thread(thread, machine_intern(machine, comm));
	else
		machine_begin_thread(machine, process, tid, machine_intern(machine, comm), 0);
}

static bool is_same_birth(uint64_t a_ns, uint64_t b_ns)
{
	return (a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns) <= BIRTH_TOLERANCE_NS;
}

/* True if /proc tells of another program than the row has: under another name, where it proves that
 * name, else with an executable of another name, as paths differ between roots. */
static bool is_other_program(struct machine *machine, const struct process *row,
			     const struct machine_process *info)
{
	const char *exe = profile_text(machine->profile, row->exe);
	bool proven = (info->script && *info->script) || (info->link && *info->link);

	if (proven || !*exe || !info->executable || !*info->executable)
		return row->program != programs_of_scan(&machine->programs, info);
	return strcmp(file_base(exe), file_base(info->executable)) != 0;
}

/* A comm can change without an exec, and a program can have several names. So an exec was missed
 * only if both differ. */
static bool has_missed_exec(struct machine *machine, const struct live_process *process,
			    const struct machine_process *info)
{
	const struct live_thread *leader = living_thread(&machine->living, info->pid);

	return is_other_program(machine, machine_row_of(machine, process), info) &&
	       (!leader || leader->comm != machine_intern(machine, info->comm));
}

uint32_t machine_refresh_process(struct machine *machine, uint64_t time_ns,
				 const struct machine_process *info)
{
	struct live_process *process = living_process(&machine->living, info->pid);

	if (!process || process->unknown || info->kernel_thread)
		return machine_add_process(machine, info);
	if (!is_same_birth(machine_row_of(machine, process)->start_ns, info->start_ns)) {
		machine_end_process(machine, process, time_ns);
		return machine_add_process(machine, info);
	}
	if (has_missed_exec(machine, process, info)) {
		machine_comm(machine, time_ns, info->pid, info->pid, info->comm, true);
		process = living_process(&machine->living, info->pid);
		settle_as_told(machine, process, info);
	}
	return process->row;
}

void machine_set_uid(struct machine *machine, int32_t pid, uint32_t uid)
{
	struct live_process *process = living_process(&machine->living, pid);

	if (!process || machine_row_of(machine, process)->uid == uid)
		return;
	machine_row_of(machine, process)->uid = uid;
	machine_row_of(machine, process)->dirty = true;
}

void machine_set_cgroup(struct machine *machine, int32_t pid, const char *cgroup)
{
	struct live_process *process = living_process(&machine->living, pid);

	if (process)
		set_cgroup(machine, machine_row_of(machine, process), cgroup);
}
