/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf's samples, by our rules:
 *   - The weight is the sample's period, or the fixed period of its event. For a group whose
 *     samples carry the members' counts, each member's weight is its count since the sample before.
 *   - The leaf is the sample's ip. A call chain by frame pointers ends in the cut "frame pointers",
 *     for nothing proves that no frame is missing. Registers and a copied stack are unwound now, by
 *     the unwind rows of the files, if the files are found.
 *   - A sample of a process without mappings is a kernel thread's: it misses no user part.
 *   - A lost record does not say what it was. It counts as a sample of the event that reports it.
 */
#include "import/import_profile.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "attribute/dispatch.h"
#include "attribute/stacks.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "import/import_chain.h"
#include "import/import_maps.h"
#include "import/import_tasks.h"
#include "import/perf_data.h"
#include "perf/perf_sample.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"

#if defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#else
#define HOST_MACHINE EM_X86_64
#endif

enum { MAX_CGROUPS = 65536, NOT_DECLARED = -2 };

/* The bit field of struct perf_branch_entry. */
enum {
	FLAG_MISPREDICTED = 1 << 0,
	CYCLES_SHIFT = 4,
	CYCLES_MASK = 0xffff,
};

/* A control group and its id. */
struct cgroup {
	uint64_t id;
	str_id path;
};

/* A sample without event and weight. */
struct placed {
	struct sample sample;
	struct machine_space space; /* of its process */
	bool task_known;
};

struct importing {
	struct import_profile *import;
	struct perf_data *data;
	struct import_tasks *tasks;
	struct import_maps maps;
	VEC(int) events; /* by event of the recording: event of the profile, or not declared yet */
	struct perf_reads reads;
	VEC(struct cgroup) cgroups;
	struct dispatch dispatch;
	size_t index;	   /* of the current record's event */
	bool same_machine; /* the recording is of this machine */
	bool has_chains, has_dumps;
	uint64_t without_event;	   /* samples of events or members beyond our limits */
	uint64_t foreign;	   /* counts of events that the recording does not declare */
	struct import_chain chain; /* of the current sample */
	struct unwind_registers registers; /* the same */
	struct err *err;
};

/* ---- events ---- */

/* True if the event counts nanoseconds. */
static bool is_time(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static enum clock_kind clock_of(const struct importing *importing,
				const struct perf_event_attr *attr)
{
	const char *machine = perf_data_head(importing->data)->facts.machine;

	if (is_time(attr))
		return CLOCK_TIMER;
	if (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT)
		return CLOCK_SOFTWARE;
	return !machine || strstr(machine, "86") ? CLOCK_PMU_NMI : CLOCK_PMU_IRQ;
}

static int declare(struct importing *importing, size_t index)
{
	const struct perf_data_event *told = &perf_data_head(importing->data)->events.items[index];
	const struct perf_event_attr *attr = &told->attr;
	const char *unit = is_time(attr) ? "ns" : "count";
	struct strpool *strings = &importing->import->profile->strings;
	struct event event = { .name = strpool_intern(strings, told->name),
			       .unit = strpool_intern(strings, unit),
			       .clock = clock_of(importing, attr),
			       .rate_hz = attr->freq ? (double)attr->sample_freq : 0,
			       .period = attr->freq ? 0 : attr->sample_period };

	return import_profile_event(importing->import, &event);
}

/* The profile's event for an event of the recording; IMPORT_NO_EVENT: too many. The first call for
 * an event adds it, so the profile has only events with samples or losses. */
static int event_of(struct importing *importing, size_t index)
{
	int *event;

	while (importing->events.count <= index)
		*vec_push(&importing->events) = NOT_DECLARED;
	event = &importing->events.items[index];
	if (*event == NOT_DECLARED)
		*event = declare(importing, index);
	return *event;
}

/* ---- samples ---- */

static void take_dump(struct importing *importing, const struct perf_record *record,
		      const struct perf_event_attr *attr, struct user_stack *user)
{
	const struct perf_stack_dump *stack = &record->sample.stack;
	unsigned sp = perf_registers_sp(HOST_MACHINE);

	user->form = USER_STACK_DUMP;
	user->registers = &importing->registers;
	user->stack_address = importing->registers.values[sp];
	user->stack = stack->bytes;
	user->stack_size = stack->size;
	user->stack_cut = stack->size >= attr->sample_stack_user;
	importing->has_dumps = true;
}

/* The user part, as the stacks module takes it. */
static struct user_stack user_part(struct importing *importing, const struct machine_space *space,
				   const struct perf_record *record,
				   const struct perf_event_attr *attr)
{
	const struct import_chain *chain = &importing->chain;
	struct user_stack user = { .form = USER_STACK_NONE, .end = STACK_COMPLETE };

	if (importing->same_machine && record->sample.stack.size > 0 &&
	    perf_registers_for_unwinding(&record->sample.user, HOST_MACHINE,
					 &importing->registers)) {
		take_dump(importing, record, attr, &user);
	} else if (chain->user_count > 0) {
		user.form = USER_STACK_CALLCHAIN;
		user.end = attr->exclude_callchain_user ? STACK_UNKNOWN : STACK_FRAME_POINTERS;
		user.addresses = chain->user;
		user.count = chain->user_count;
	} else if (record->pid > 0 && address_space_count(space->mappings) > 0) {
		user.end = STACK_UNKNOWN;
	}
	return user;
}

static uint32_t stack_of(struct importing *importing, const struct machine_space *space,
			 struct perf_record *record, const struct perf_data_event *event)
{
	const uint64_t with_stack = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;
	struct import_profile *import = importing->import;

	import_chain_read(record, &event->format, &importing->chain);
	if (!(event->format.sample_type & with_stack) &&
	    !(event->format.branch_type & PERF_SAMPLE_BRANCH_CALL_STACK))
		return profile_stack(import->profile, 0,
				     frames_leaf(&import->frames, space, record));
	importing->has_chains = true;
	record->sample.user_stack = user_part(importing, space, record, &event->attr);
	return stacks_make(import->stacks, space, record, importing->chain.kernel,
			   importing->chain.kernel_count);
}

static uint64_t weight_of(const struct perf_record *record, const struct perf_data_event *event)
{
	if (event->format.sample_type & PERF_SAMPLE_PERIOD)
		return record->sample.period;
	return event->attr.freq ? 1 : event->attr.sample_period;
}

static uint32_t task_of(struct importing *importing, const struct perf_record *record,
			const struct perf_data_event *event, bool *ret_known)
{
	struct machine *machine = importing->import->machine;

	*ret_known = true;
	if (!(event->format.sample_type & PERF_SAMPLE_TID))
		return machine_bucket_task(machine, "[not recorded]");
	import_tasks_settle(importing->tasks, record->pid);
	return machine_task(machine, record->time_ns, record->pid, record->tid, ret_known);
}

static const struct cgroup *find_cgroup(const struct importing *importing, uint64_t id)
{
	for (size_t i = 0; i < importing->cgroups.count; i++) {
		if (importing->cgroups.items[i].id == id)
			return &importing->cgroups.items[i];
	}
	return NULL;
}

static void set_cgroup(struct importing *importing, const struct machine_space *space,
		       const struct perf_record *record)
{
	const struct profile *profile = importing->import->profile;
	const struct cgroup *cgroup;

	if (!record->sample.cgroup)
		return;
	cgroup = find_cgroup(importing, record->sample.cgroup);
	if (cgroup && profile->processes.items[space->process].cgroup != cgroup->path)
		machine_set_cgroup(importing->import->machine, record->pid,
				   profile_text(profile, cgroup->path));
}

/* Fills in everything except event and weight. */
static void place_sample(struct importing *importing, struct perf_record *record,
			 const struct perf_data_event *event, struct placed *ret_placed)
{
	struct import_profile *import = importing->import;
	bool kernel_mode = record->cpu_mode == PERF_RECORD_MISC_KERNEL;
	struct sample *sample = &ret_placed->sample;

	*sample =
		(struct sample){ .time_ns = record->time_ns,
				 .task = task_of(importing, record, event, &ret_placed->task_known),
				 .cpu = (uint16_t)record->cpu,
				 .mode = kernel_mode ? MODE_KERNEL : MODE_USER,
				 .context = CONTEXT_TASK };
	ret_placed->space = machine_space(import->machine, record->pid);
	set_cgroup(importing, &ret_placed->space, record);
	if (import->frames.jit)
		jit_set_time(import->frames.jit, record->time_ns);
	sample->stack = stack_of(importing, &ret_placed->space, record, event);
	if (kernel_mode)
		sample->context = (uint8_t)kernel_symbols_context(import->frames.kernel,
								  importing->chain.kernel,
								  importing->chain.kernel_count);
}

/* Stores the placed sample as a sample of an event of the profile. */
static int give_sample(struct importing *importing, const struct placed *placed, int event,
		       uint64_t weight)
{
	struct import_profile *import = importing->import;
	struct sample sample = placed->sample;

	if (event == RECORD_NO_EVENT) {
		importing->without_event++;
		return 0;
	}
	if (!placed->task_known)
		import->profile->events[event].loss[LOSS_UNKNOWN_TASK].count++;
	sample.event = (uint8_t)event;
	sample.weight = weight;
	return import_profile_sample(import, &sample, importing->err);
}

/* Stores one sample for each event of the group that counted since the sample before. */
static int give_members(struct importing *importing, const struct perf_record *record,
			const struct placed *placed, const struct perf_data_event *leader)
{
	const struct perf_data_head *head = perf_data_head(importing->data);
	const struct perf_read *read = &record->sample.read;
	uint64_t id, value, count = 0;
	int32_t tid = leader->attr.inherit ? record->tid : 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && perf_reads_member(read, i, &id, &value); i++) {
		size_t index = perf_data_head_find(head, id);

		if (index >= head->events.count)
			importing->foreign++;
		else if (!perf_reads_since(&importing->reads, id, tid, value, &count))
			importing->without_event++;
		else if (count)
			rc = give_sample(importing, placed, event_of(importing, index), count);
	}
	return rc;
}

static const struct perf_data_event *event_at_hand(const struct importing *importing)
{
	return &perf_data_head(importing->data)->events.items[importing->index];
}

/* A branch address has no mode of its own: the upper half of the addresses is the kernel's. */
static uint32_t frame_of(const struct import_profile *import, const struct machine_space *space,
			 uint64_t address)
{
	if ((int64_t)address < 0)
		return frames_kernel(&import->frames, address, FRAME_EXACT);
	return frames_user(&import->frames, space, address, FRAME_EXACT);
}

/* Adds the branch records of a sample of @event to the profile's table of branches. Ignores records
 * that are a call stack (see import_chain_read). frames.kernel must be set. */
static void take_branches(struct import_profile *import, const struct machine_space *space,
			  const struct perf_record *record, const struct perf_format *format,
			  uint8_t event)
{
	const struct perf_branches *branches = &record->sample.branches;
	/* The other byte order also orders the bits differently, depending on the machine. */
	bool flags_known = !format->swap_room;

	if (format->branch_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		return;
	for (size_t i = 0; i < branches->count; i++) {
		const struct perf_branch *told = &branches->items[i];
		struct branch branch = { .event = event, .count = 1 };

		if (!told->from && !told->to)
			continue;
		branch.from = frame_of(import, space, told->from);
		branch.to = frame_of(import, space, told->to);
		if (flags_known) {
			branch.mispredicted = told->flags & FLAG_MISPREDICTED;
			branch.cycles = told->flags >> CYCLES_SHIFT & CYCLES_MASK;
		}
		profile_add_branch(import->profile, &branch);
	}
}

static int take_sample(void *context, const struct perf_record *recorded,
		       const struct record_origin *origin)
{
	struct importing *importing = context;
	const struct perf_data_event *event = event_at_hand(importing);
	const uint64_t with_kernel = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
	struct perf_record record = *recorded;
	struct placed placed;
	int rc = 0;

	record.cpu_mode = import_chain_mode(&record);
	if (record.cpu_mode == PERF_RECORD_MISC_KERNEL || event->format.sample_type & with_kernel)
		rc = import_maps_need_kernel(&importing->maps, importing->err);
	if (rc < 0)
		return rc;
	place_sample(importing, &record, event, &placed);
	if (origin->event != RECORD_NO_EVENT)
		take_branches(importing->import, &placed.space, &record, &event->format,
			      (uint8_t)origin->event);
	if (record.sample.read.count && record.sample.read.id_at)
		return give_members(importing, &record, &placed, event);
	return give_sample(importing, &placed, origin->event, origin->weight);
}

/* ---- the rest ---- */

static int take_mmap(void *context, const struct perf_record *record)
{
	struct importing *importing = context;

	if (!record->mmap.executable)
		return 0;
	if (record->cpu_mode == PERF_RECORD_MISC_GUEST_KERNEL ||
	    record->cpu_mode == PERF_RECORD_MISC_GUEST_USER)
		return 0;
	if (record->pid < 0 || record->cpu_mode == PERF_RECORD_MISC_KERNEL)
		return import_maps_kernel(&importing->maps, &record->mmap, importing->err);
	import_tasks_map(importing->tasks, record->time_ns, record->pid, record->mmap.path);
	import_maps_file(&importing->maps, record);
	return 0;
}

static void take_cgroup(void *context, const struct perf_record *record)
{
	struct importing *importing = context;
	const struct perf_cgroup *cgroup = &record->cgroup;

	if (importing->cgroups.count >= MAX_CGROUPS || find_cgroup(importing, cgroup->id))
		return;
	*vec_push(&importing->cgroups) =
		(struct cgroup){ cgroup->id, strpool_intern(&importing->import->profile->strings,
							    cgroup->path) };
}

static void take_comm(void *context, const struct perf_record *record)
{
	const struct importing *importing = context;

	import_tasks_comm(importing->tasks, record->time_ns, record->pid, record->tid,
			  record->comm.comm, record->comm.exec,
			  event_at_hand(importing)->attr.comm_exec);
}

static void take_fork(void *context, const struct perf_record *record)
{
	const struct importing *importing = context;

	import_tasks_fork(importing->tasks, record->time_ns, record->pid, record->task.parent_pid,
			  record->tid, record->task.parent_tid);
}

static void take_exit(void *context, const struct perf_record *record)
{
	const struct importing *importing = context;

	import_tasks_settle(importing->tasks, record->pid);
}

static void take_ksymbol(void *context, const struct perf_record *record)
{
	struct importing *importing = context;

	import_maps_symbol(&importing->maps, &record->ksymbol);
}

static bool admit(void *context, const struct perf_record *record)
{
	const struct importing *importing = context;

	return perf_data_head(importing->data)->events.count == 1 ||
	       !import_tasks_repeats(importing->tasks, record, importing->index);
}

static const struct dispatch_hooks hooks = {
	.admit = admit,
	.sample = take_sample,
	.map = take_mmap,
	.comm = take_comm,
	.fork = take_fork,
	.leave = take_exit,
	.ksymbol = take_ksymbol,
	.cgroup = take_cgroup,
};

/* The recording as a source of records. */
static struct record_origin origin(void *context, const struct perf_record *record)
{
	struct importing *importing = context;
	const struct perf_data_event *event = event_at_hand(importing);
	bool is_sample = record->type == PERF_RECORD_SAMPLE;

	return (struct record_origin){
		.event = event_of(importing, importing->index),
		.is_time = is_time(&event->attr),
		.counts_losses = event->format.read_format & PERF_FORMAT_LOST,
		.weight = is_sample ? weight_of(record, event) : 0,
	};
}

static int take(void *context, const struct perf_record *record, size_t index)
{
	struct importing *importing = context;

	importing->index = index;
	return dispatch_take(&importing->dispatch, record);
}

/* ---- facts ---- */

static void set_facts(const struct importing *importing)
{
	const struct perf_data_facts *facts = &perf_data_head(importing->data)->facts;
	struct import_profile *import = importing->import;
	struct run_facts *run = &import->profile->run;
	char rung[128];

	profile_set_text(&run->hostname, facts->hostname ? facts->hostname : "");
	profile_set_text(&run->kernel_release, facts->os_release ? facts->os_release : "");
	profile_set_text(&run->machine, facts->machine ? facts->machine : "");
	profile_set_text(&run->command, facts->command ? facts->command : "");
	profile_set_text(&run->scope, "perf");
	snprintf(rung, sizeof(rung), "perf%s%.100s", facts->perf_version ? " " : "",
		 facts->perf_version ? facts->perf_version : "");
	profile_set_text(&run->rung, rung);
	profile_set_text(&run->stacks, importing->has_dumps    ? "full"
				       : importing->has_chains ? "fp"
							       : "none");
	run->cpus = facts->cpus;
	if (facts->realtime_ns && import->first_ns)
		run->start_realtime_ns = facts->realtime_ns + (import->first_ns - facts->at_ns);
}

/* Losses of the recording as a whole, which are known only at the end. */
static void settle_losses(struct importing *importing)
{
	struct perf_data_counts counts = perf_data_counts(importing->data);
	struct profile *profile = importing->import->profile;
	struct event *first = &profile->events[0];

	first->loss[LOSS_LATE].count += counts.late;
	first->loss[LOSS_MALFORMED].count += counts.malformed + counts.foreign + importing->foreign;
	first->loss[LOSS_NOT_STORED].count += importing->without_event;
	dispatch_settle_losses(&importing->dispatch);
}

static void tell_damage(struct importing *importing, struct import_result *result)
{
	const char *damage = perf_data_damage(importing->data);
	char sentence[700];

	snprintf(result->damage, sizeof(result->damage), "%s", damage);
	if (!*damage)
		return;
	snprintf(sentence, sizeof(sentence), "all of the recording: %s", damage);
	profile_not_visible(importing->import->profile, sentence);
}

static void tell_closed_dumps(struct importing *importing)
{
	const struct jit *jit = importing->import->frames.jit;
	size_t count = jit ? jit_dumps_closed(jit) : 0;
	char sentence[200];

	if (!count)
		return;
	snprintf(
		sentence, sizeof(sentence),
		"source lines and code of %zu of the jitdumps: there are too many to hold all open",
		count);
	profile_not_visible(importing->import->profile, sentence);
}

static bool is_our_machine(const struct perf_data_facts *facts)
{
	struct utsname us;

	uname(&us);
	return !facts->machine || strcmp(facts->machine, us.machine) == 0;
}

static int read_all(struct importing *importing, struct import_result *result)
{
	const struct perf_data_facts *facts = &perf_data_head(importing->data)->facts;
	int rc;

	importing->same_machine = is_our_machine(facts);
	rc = import_maps_begin(&importing->maps, importing->import, facts, importing->err);
	if (rc == 0)
		rc = perf_data_run(importing->data, take, importing);
	if (rc < 0)
		return rc;
	if (importing->import->samples == 0)
		return err_set(importing->err, -ENODATA, "it has no samples%s%s",
			       *perf_data_damage(importing->data) ? ": " : "",
			       perf_data_damage(importing->data));
	import_maps_finish(&importing->maps, result);
	set_facts(importing);
	settle_losses(importing);
	tell_damage(importing, result);
	tell_closed_dumps(importing);
	return 0;
}

/* A recording by several threads is a folder of files. */
static int open_data(struct perf_data_input *input, int folder, struct perf_data **ret_data,
		     struct err *err)
{
	int rc = perf_data_open(input, ret_data, err);

	return rc == 0 && folder >= 0 ? perf_data_add_folder(*ret_data, folder, err) : rc;
}

int import_data(struct import_profile *import, struct perf_data_input *input,
		struct import_result *result, struct err *err)
{
	struct importing *importing = xcalloc(1, sizeof(*importing));
	int rc = open_data(input, import->folder, &importing->data, err);

	importing->import = import;
	importing->err = err;
	importing->tasks = import_tasks_new(import->machine);
	importing->dispatch = (struct dispatch){ .profile = import->profile,
						 .machine = import->machine,
						 .source = { origin, importing },
						 .hooks = &hooks,
						 .context = importing };
	if (rc == 0)
		rc = read_all(importing, result);
	import_tasks_free(importing->tasks);
	perf_data_free(importing->data);
	vec_free(&importing->events);
	perf_reads_done(&importing->reads);
	vec_free(&importing->cgroups);
	dispatch_done(&importing->dispatch);
	import_maps_done(&importing->maps);
	free(importing);
	return rc;
}
