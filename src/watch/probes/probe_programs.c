/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/probe_wire.h"
#include "bpf/probes.skel.h"
#include "perf/bpf_load.h"
#include "watch/probes/probe_functions.h"
#include "watch/probes/probe_links.h"
#include "watch/probes/probe_ways.h"

enum {
	NO_TYPE = 0,		 /* for a kprobe or uprobe by perf event */
	ENTERED_ON_ROOM = 65536, /* remembered last CPUs, one for each thread and target */
};

/* A loaded program for entries or exits. */
struct loaded {
	struct bpf_program *template;
	enum probe_mechanism mechanism;
	int type;     /* enum bpf_attach_type */
	uint32_t btf; /* fentry: the function it is loaded for; else 0 */
	int btf_fd;   /* of the module; 0: the kernel's */
	int fd;
	bool owned;
};

struct probe_programs {
	struct probes_bpf *object;
	struct probes_bpf *fentry; /* for its fentry programs, loaded when first needed */
	struct probe_functions *functions;
	VEC(struct loaded) loaded;
	int stats_fd; /* keeps the kernel's statistics on */
	unsigned measures;
	bool follow;
};

/* ---- what to measure, for which tasks, with how much room ---- */

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
			.device = probe_programs_device(start->device),
		};

		memcpy((void *)&object->rodata->start_codes[i], &code, sizeof(code));
	}
}

static uint32_t page_bytes(void)
{
	return (uint32_t)sysconf(_SC_PAGESIZE);
}

static void set_room(struct probes_bpf *object, const struct probe_options *options,
		     const struct probe_room *room)
{
	uint32_t slots = (uint32_t)(room->rows * room->cpus), rows = (uint32_t)room->rows;
	bool keyed = wire_keys[options->key] != PROBE_WIRE_TARGET;
	bool latency = options->measures & PROBE_LATENCY, values = options->measures & PROBE_VALUES;
	bool sites = probes_need_sites(options);

	bpf_map__set_max_entries(object->maps.slots, slots);
	bpf_map__set_max_entries(object->maps.latencies, latency ? slots : 1);
	bpf_map__set_max_entries(object->maps.values, values ? slots : 1);
	bpf_map__set_max_entries(object->maps.keys, keyed ? rows : 1);
	bpf_map__set_max_entries(object->maps.row_names, keyed ? rows : 1);
	bpf_map__set_max_entries(object->maps.last_entries,
				 options->measures & PROBE_MOVED ? ENTERED_ON_ROOM : 1024);
	bpf_map__set_max_entries(object->maps.sites, sites ? PROBE_MOST_SITES : 1);
	bpf_map__set_max_entries(object->maps.site_events,
				 sites ? PROBE_SITE_RING_BYTES : page_bytes());
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

/* Chooses the programs to load; fentry programs are loaded later, for a function. */
static void choose(struct probes_bpf *object, const struct probe_options *options)
{
	bool pairs = options->measures & PROBE_EXITS;
	bool kernel = probes_count_targets(options, false),
	     user = probes_count_targets(options, true);
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
	bool user = probes_count_targets(options, true);
	int type = user ? PROBE_LINK_UPROBE_MULTI : PROBE_LINK_KPROBE_MULTI;
	struct bpf_program *const programs[] = {
		object->progs.probe_entry_user, object->progs.probe_entry, object->progs.probe_exit,
		object->progs.probe_exit_user,	object->progs.probe_spot,  object->progs.probe_only,
	};

	if (!probe_ways_has_multi(user))
		return;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		bpf_program__set_expected_attach_type(programs[i], type);
}

/* ---- loading ---- */

static const struct bpf_load_words load_words = {
	.doing = "watching functions",
	.try = "sudo prospect watch ...",
	.programs = "the BPF programs",
	.release = "5.17",
	.types = true,
};

static int load(struct probe_programs *programs, const struct probe_options *options,
		const struct probe_room *room, const struct probe_conditions *conditions)
{
	programs->object = probes_bpf__open_opts(bpf_load_options());
	if (!programs->object)
		return -errno;
	configure(programs->object, options, room, conditions);
	choose(programs->object, options);
	choose_types(programs->object, options);
	return probes_bpf__load(programs->object);
}

int probe_programs_new(const struct probe_options *options, const struct probe_room *room,
		       const struct probe_conditions *conditions,
		       struct probe_programs **ret_programs, struct err *err)
{
	_cleanup_(probe_programs_freep) struct probe_programs *programs =
		xcalloc(1, sizeof(*programs));
	BPF_LOAD_QUIETLY;
	int rc;

	programs->measures = options->measures;
	programs->follow = options->filter.follow;
	programs->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	rc = load(programs, options, room, conditions);
	if (rc < 0)
		return bpf_load_explain(&load_words, rc, err);
	*ret_programs = steal_ptr(programs);
	return 0;
}

void probe_programs_free(struct probe_programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->loaded.count; i++) {
		if (programs->loaded.items[i].owned)
			close(programs->loaded.items[i].fd);
	}
	vec_free(&programs->loaded);
	probe_functions_free(programs->functions);
	probes_bpf__destroy(programs->fentry);
	probes_bpf__destroy(programs->object);
	if (programs->stats_fd >= 0)
		close(programs->stats_fd);
	free(programs);
}

struct probes_bpf *probe_programs_object(const struct probe_programs *programs)
{
	return programs->object;
}

uint32_t probe_programs_device(uint64_t device)
{
	enum { MINOR_BITS = 20 }; /* include/linux/kdev_t.h */

	return major(device) << MINOR_BITS | minor(device);
}

/* ---- copies ---- */

static int load_copy(const struct bpf_program *template, enum bpf_prog_type kind,
		     const struct bpf_prog_load_opts *options)
{
	BPF_LOAD_QUIETLY;
	int fd = bpf_prog_load(kind, bpf_program__name(template), "Dual BSD/GPL",
			       bpf_program__insns(template), bpf_program__insn_cnt(template),
			       options);

	return fd < 0 ? -errno : fd;
}

static int find_loaded(const struct probe_programs *programs, const struct loaded *wanted)
{
	for (size_t i = 0; i < programs->loaded.count; i++) {
		const struct loaded *each = &programs->loaded.items[i];

		if (each->template == wanted->template && each->type == wanted->type &&
		    each->mechanism == wanted->mechanism && each->btf == wanted->btf &&
		    each->btf_fd == wanted->btf_fd)
			return each->fd;
	}
	return -ENOENT;
}

static int keep(struct probe_programs *programs, struct loaded loaded, int fd, bool owned)
{
	if (fd < 0)
		return fd;
	loaded.fd = fd;
	loaded.owned = owned;
	*vec_push(&programs->loaded) = loaded;
	return fd;
}

static struct bpf_program *template_of(const struct probe_programs *programs, bool user,
				       enum probe_end end)
{
	struct probes_bpf *object = programs->object;

	if (end == PROBE_AT_EXIT)
		return user ? object->progs.probe_exit_user : object->progs.probe_exit;
	if (end == PROBE_AT_SPOT)
		return object->progs.probe_spot;
	if (end == PROBE_AT_ENTRY_ONLY || !(programs->measures & PROBE_EXITS))
		return object->progs.probe_only;
	return user ? object->progs.probe_entry_user : object->progs.probe_entry;
}

static int type_of(enum probe_mechanism mechanism)
{
	if (mechanism == PROBE_KPROBE_MULTI)
		return PROBE_LINK_KPROBE_MULTI;
	return mechanism == PROBE_UPROBE_MULTI ? PROBE_LINK_UPROBE_MULTI : NO_TYPE;
}

int probe_programs_get(struct probe_programs *programs, enum probe_mechanism mechanism, bool user,
		       enum probe_end end)
{
	struct bpf_program *template = template_of(programs, user, end);
	struct loaded wanted = { .template = template,
				 .mechanism = mechanism,
				 .type = type_of(mechanism) };
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	int fd = find_loaded(programs, &wanted);

	if (fd >= 0)
		return fd;
	if (wanted.type == (int)bpf_program__get_expected_attach_type(template))
		return keep(programs, wanted, bpf_program__fd(template), false);
	options.expected_attach_type = (enum bpf_attach_type)wanted.type;
	fd = load_copy(template, BPF_PROG_TYPE_KPROBE, &options);
	return keep(programs, wanted, fd, true);
}

/* ---- fentry ---- */

/* Both objects share the maps of the first; only programs differ. */
static int share_maps(struct probes_bpf *from, struct probes_bpf *to)
{
	struct bpf_map *map;
	int rc = 0;

	bpf_object__for_each_map(map, to->obj)
	{
		const struct bpf_map *shared =
			bpf_object__find_map_by_name(from->obj, bpf_map__name(map));

		if (rc == 0 && shared)
			rc = bpf_map__reuse_fd(map, bpf_map__fd(shared));
	}
	return rc;
}

/* The templates of fentry programs must be loaded for some function, too: the first one. */
static int load_fentry(struct probe_programs *programs, const char *function)
{
	struct probes_bpf *object = probes_bpf__open_opts(bpf_load_options());
	struct bpf_program *each;
	bool pairs = programs->measures & PROBE_EXITS;
	int rc;

	if (!object)
		return -errno;
	bpf_object__for_each_program(each, object->obj) bpf_program__set_autoload(each, false);
	bpf_program__set_autoload(object->progs.probe_fentry, pairs);
	bpf_program__set_autoload(object->progs.probe_fexit, pairs);
	bpf_program__set_autoload(object->progs.probe_fentry_only, !pairs);
	memcpy((void *)object->rodata, programs->object->rodata, sizeof(*object->rodata));
	rc = share_maps(programs->object, object);
	bpf_object__for_each_program(each, object->obj)
	{
		if (rc == 0 && bpf_program__autoload(each))
			rc = bpf_program__set_attach_target(each, 0, function);
	}
	if (rc == 0)
		rc = probes_bpf__load(object);
	if (rc < 0)
		probes_bpf__destroy(object);
	else
		programs->fentry = object;
	return rc;
}

static struct bpf_program *fentry_template(const struct probe_programs *programs,
					   enum probe_end end)
{
	struct probes_bpf *object = programs->fentry;

	if (end == PROBE_AT_EXIT)
		return object->progs.probe_fexit;
	return programs->measures & PROBE_EXITS ? object->progs.probe_fentry
						: object->progs.probe_fentry_only;
}

static int find_function(struct probe_programs *programs, const char *module, const char *function,
			 struct probe_function *ret_found)
{
	int rc = programs->functions ? 0 : probe_functions_new(&programs->functions);

	return rc < 0 ? rc : probe_functions_find(programs->functions, module, function, ret_found);
}

/* The caller knows that @function exists: otherwise libbpf would leak the types it searched. */
static int ready_fentry(struct probe_programs *programs, const char *function)
{
	BPF_LOAD_QUIETLY;

	return programs->fentry ? 0 : load_fentry(programs, function);
}

int probe_programs_get_fentry(struct probe_programs *programs, const char *module,
			      const char *function, enum probe_end end)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	struct loaded wanted = { .mechanism = PROBE_FENTRY };
	struct probe_function found = { .id = 0 };
	int rc = find_function(programs, module, function, &found), fd;

	if (rc == 0)
		rc = ready_fentry(programs, function);
	if (rc < 0)
		return rc;
	wanted.template = fentry_template(programs, end);
	wanted.type = end == PROBE_AT_EXIT ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY;
	wanted.btf = found.id;
	wanted.btf_fd = found.module_fd;
	fd = find_loaded(programs, &wanted);
	if (fd >= 0)
		return fd;
	options.expected_attach_type = (enum bpf_attach_type)wanted.type;
	options.attach_btf_id = found.id;
	options.attach_btf_obj_fd = (uint32_t)found.module_fd;
	return keep(programs, wanted, load_copy(wanted.template, BPF_PROG_TYPE_TRACING, &options),
		    true);
}

/* ---- threads ---- */

static int attach(struct bpf_program *program, struct bpf_link **ret_link)
{
	if (!bpf_program__autoload(program))
		return 0;
	*ret_link = bpf_program__attach(program);
	return *ret_link ? 0 : -errno;
}

#define THREAD_PROGRAMS(X)   \
	X(probe_fork)        \
	X(probe_switch)      \
	X(probe_thread_exit) \
	X(probe_thread_free) \
	X(probe_exec)

int probe_programs_follow_threads(struct probe_programs *programs, struct err *err)
{
	struct probes_bpf *object = programs->object;
	BPF_LOAD_QUIETLY;
	int rc = 0;

#define ATTACH(name) rc = rc < 0 ? rc : attach(object->progs.name, &object->links.name);
	THREAD_PROGRAMS(ATTACH)
#undef ATTACH
	if (rc < 0)
		return err_set(err, rc, "cannot follow the scheduler's events: %s", strerror(-rc));
	return 0;
}

void probe_programs_leave_threads(struct probe_programs *programs)
{
	struct probes_bpf *object = programs->object;

#define DETACH(name)                           \
	bpf_link__destroy(object->links.name); \
	object->links.name = NULL;
	THREAD_PROGRAMS(DETACH)
#undef DETACH
}

/* ---- statistics ---- */

static void add_times(int fd, struct probe_run_times *times, uint64_t *hits)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) < 0)
		return;
	times->program_ns += info.run_time_ns;
	times->missed += info.recursion_misses;
	if (hits)
		*hits += info.run_cnt;
}

void probe_programs_times(const struct probe_programs *programs, struct probe_run_times *ret_times)
{
	struct probes_bpf *object = programs->object;
	struct probe_run_times times = { 0 };

	for (size_t i = 0; i < programs->loaded.count; i++)
		add_times(programs->loaded.items[i].fd, &times,
			  &times.hits[programs->loaded.items[i].mechanism]);
#define ADD_TIMES(name)                                \
	if (bpf_program__autoload(object->progs.name)) \
		add_times(bpf_program__fd(object->progs.name), &times, NULL);
	THREAD_PROGRAMS(ADD_TIMES)
#undef ADD_TIMES
	*ret_times = times;
}
