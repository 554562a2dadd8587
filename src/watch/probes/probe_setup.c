/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_setup.h"

#include <bpf/libbpf.h>
#include <string.h>
#include <unistd.h>

#include "bpf/probe_wire.h"
#include "bpf/probes.skel.h"
#include "perf/bpf_load.h"
#include "watch/probes/probe_attaching.h"
#include "watch/probes/probe_links.h"

enum { ENTERED_ON_ROOM = 65536 }; /* remembered last CPUs, one for each thread and target */

static uint32_t todo_of(const struct probe_options *options,
			const struct probe_conditions *conditions)
{
	const struct probe_filter *filter = &options->filter;

	return options->measures | (filter->pid_count ? PROBE_ONLY_PIDS : 0) |
	       (filter->cpu_count ? PROBE_ONLY_CPUS : 0) |
	       (filter->comm_count ? PROBE_ONLY_COMMS : 0) |
	       (conditions->entry.count ? PROBE_ON_CONDITION : 0) |
	       (conditions->at_return.count ? PROBE_ON_RETURN : 0) |
	       (conditions->error.count ? PROBE_ERROR_IF : 0);
}

static const uint32_t wire_keys[] = {
	[PROBE_BY_SUM] = PROBE_WIRE_TARGET, [PROBE_BY_CPU] = PROBE_WIRE_TARGET,
	[PROBE_BY_PID] = PROBE_WIRE_PID,    [PROBE_BY_THREAD] = PROBE_WIRE_THREAD,
	[PROBE_BY_COMM] = PROBE_WIRE_COMM,
};

static const uint8_t wire_counters[] = {
	[PROBE_COUNT_PMU] = PROBE_WIRE_PMU,
	[PROBE_COUNT_PAGE_FAULTS] = PROBE_WIRE_PAGE_FAULTS,
	[PROBE_COUNT_CONTEXT_SWITCHES] = PROBE_WIRE_CONTEXT_SWITCHES,
	[PROBE_COUNT_CPU_MIGRATIONS] = PROBE_WIRE_CPU_MIGRATIONS,
};

/* @to: a constant, writable until the object is loaded. */
static void set_steps(const struct probe_condition *condition, const struct probe_steps *to)
{
	struct probe_steps steps = { .count = condition->count };

	_Static_assert(sizeof(steps.list) == sizeof(condition->steps), "the same steps");
	memcpy(steps.list, condition->steps, sizeof(steps.list));
	memcpy((void *)to, &steps, sizeof(steps));
}

static void set_filter(struct probes_bpf *object, const struct probe_filter *filter,
		       const struct probe_conditions *conditions)
{
	for (size_t i = 0; i < filter->cpu_count; i++) {
		size_t cpu = (size_t)filter->cpus[i];

		if (cpu / 64 < PROBE_CPU_WORDS)
			object->rodata->wanted_cpus[cpu / 64] |= 1ULL << cpu % 64;
	}
	for (size_t i = 0; i < filter->comm_count; i++) {
		char comm[PROBE_COMM_SIZE] = { 0 };

		strncpy(comm, filter->comms[i], sizeof(comm) - 1);
		memcpy((void *)object->rodata->wanted_comms[i], comm, sizeof(comm));
	}
	object->bss->wanted_pid = filter->pid_count ? (uint32_t)filter->pids[0] : PROBE_NO_PID;
	object->rodata->wanted_comm_count = (uint32_t)filter->comm_count;
	set_steps(&conditions->entry, &object->rodata->entry_steps);
	set_steps(&conditions->at_return, &object->rodata->return_steps);
	set_steps(&conditions->error, &object->rodata->error_steps);
}

static void set_goes(struct probes_bpf *object, const struct probe_options *options)
{
	for (size_t i = 0; i < options->go_count && i < PROBE_MOST_GO; i++) {
		const struct probe_go *go = &options->goes[i];
		const struct probe_go_layout layout = { .g_tls = go->tls,
							.goid = go->goid,
							.stack_hi = go->stack_hi,
							.g_in_register = go->in_register };

		memcpy((void *)&object->rodata->go_layouts[i + 1], &layout, sizeof(layout));
	}
	object->rodata->has_goroutines = options->go_count > 0;
	bpf_map__set_max_entries(object->maps.goroutines,
				 options->go_count ? PROBE_MOST_GOROUTINES : 1);
}

static void set_starts(struct probes_bpf *object, const struct probe_options *options)
{
	for (size_t i = 0; i < options->start_count && i < PROBE_MOST_STARTS; i++) {
		const struct probe_start *start = &options->starts[i];
		const struct probe_start_code code = {
			.inode = start->inode,
			.start = start->start,
			.end = start->end,
			.device = probe_attaching_device(start->device),
		};

		memcpy((void *)&object->rodata->start_codes[i], &code, sizeof(code));
	}
}

static uint32_t page_bytes(void)
{
	return (uint32_t)sysconf(_SC_PAGESIZE);
}

static bool has_jumps(const struct probe_options *options)
{
	for (size_t i = 0; i < options->target_count; i++) {
		if (probe_target_needs_sites(&options->targets[i]))
			return true;
	}
	return false;
}

static void set_room(struct probes_bpf *object, const struct probe_options *options,
		     const struct probe_room *room)
{
	uint32_t slots = (uint32_t)(room->rows * room->cpus), rows = (uint32_t)room->rows;
	bool keyed = wire_keys[options->key] != PROBE_WIRE_TARGET;
	bool latency = options->measures & PROBE_LATENCY, values = options->measures & PROBE_VALUES;

	bpf_map__set_max_entries(object->maps.slots, slots);
	bpf_map__set_max_entries(object->maps.latencies, latency ? slots : 1);
	bpf_map__set_max_entries(object->maps.values, values ? slots : 1);
	bpf_map__set_max_entries(object->maps.keys, keyed ? rows : 1);
	bpf_map__set_max_entries(object->maps.row_names, keyed ? rows : 1);
	bpf_map__set_max_entries(object->maps.last_entries,
				 options->measures & PROBE_MOVED ? ENTERED_ON_ROOM : 1024);
	bpf_map__set_max_entries(object->maps.sites, has_jumps(options) ? PROBE_MOST_SITES : 1);
	bpf_map__set_max_entries(object->maps.site_events,
				 has_jumps(options) ? PROBE_SITE_RING_BYTES : page_bytes());
	bpf_map__set_max_entries(object->maps.counter_events,
				 (uint32_t)(PROBE_SLOT_COUNTERS * room->cpus));
}

static void configure(struct probes_bpf *object, const struct probe_options *options,
		      const struct probe_room *room, const struct probe_conditions *conditions)
{
	object->rodata->todo = todo_of(options, conditions);
	object->rodata->row_limit = (uint32_t)room->rows;
	object->rodata->cpu_count = (uint32_t)room->cpus;
	object->rodata->row_key = wire_keys[options->key];
	object->rodata->page_bits = (uint32_t)__builtin_ctz(page_bytes());
	object->rodata->counter_count = (uint32_t)options->counter_count;
	for (size_t i = 0; i < options->counter_count; i++)
		object->rodata->counter_kinds[i] = wire_counters[options->counters[i].kind];
	set_filter(object, &options->filter, conditions);
	set_goes(object, options);
	set_starts(object, options);
	set_room(object, options, room);
}

static bool has_targets(const struct probe_options *options, bool user)
{
	for (size_t i = 0; i < options->target_count; i++) {
		if (options->targets[i].user == user)
			return true;
	}
	return false;
}

/* Chooses the programs to load; fentry programs are loaded later, for a function. */
static void choose(struct probes_bpf *object, const struct probe_options *options)
{
	bool pairs = options->measures & PROBE_EXITS;
	bool kernel = has_targets(options, false), user = has_targets(options, true);
	const struct {
		struct bpf_program *program;
		bool wanted;
	} programs[] = {
		{ object->progs.probe_entry, pairs && kernel },
		{ object->progs.probe_entry_user, pairs && user },
		{ object->progs.probe_exit, pairs && kernel },
		{ object->progs.probe_exit_user, pairs && user },
		{ object->progs.probe_spot, pairs && user },
		{ object->progs.probe_only, true },
		{ object->progs.probe_fentry, false },
		{ object->progs.probe_fentry_only, false },
		{ object->progs.probe_fexit, false },
		{ object->progs.probe_switch, options->measures & PROBE_VIRTUAL },
		{ object->progs.probe_thread_exit, pairs || options->filter.pid_count },
		{ object->progs.probe_thread_free, pairs || options->filter.pid_count },
		{ object->progs.probe_exec, pairs },
		{ object->progs.probe_fork, options->filter.follow },
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		bpf_program__set_autoload(programs[i].program, programs[i].wanted);
}

/* Chooses the type that is most likely needed: a program of another type must be verified again. */
static void choose_types(struct probes_bpf *object, const struct probe_options *options)
{
	bool user = has_targets(options, true);
	int type = user ? PROBE_LINK_UPROBE_MULTI : PROBE_LINK_KPROBE_MULTI;
	int fd = probe_programs_load_empty(type, 0);
	bool has = fd >= 0 &&
		   (user ? probe_link_has_uprobe_multi(fd) : probe_link_has_kprobe_multi(fd));

	if (fd >= 0)
		close(fd);
	if (!has)
		return;
	bpf_program__set_expected_attach_type(object->progs.probe_entry_user, type);
	bpf_program__set_expected_attach_type(object->progs.probe_entry, type);
	bpf_program__set_expected_attach_type(object->progs.probe_exit, type);
	bpf_program__set_expected_attach_type(object->progs.probe_exit_user, type);
	bpf_program__set_expected_attach_type(object->progs.probe_spot, type);
	bpf_program__set_expected_attach_type(object->progs.probe_only, type);
}

void probe_setup(struct probes_bpf *object, const struct probe_options *options,
		 const struct probe_room *room, const struct probe_conditions *conditions)
{
	configure(object, options, room, conditions);
	choose(object, options);
	choose_types(object, options);
}
