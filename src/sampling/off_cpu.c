/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/off_cpu.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "bpf/off_cpu.skel.h"
#include "perf/bpf_iterate.h"
#include "perf/bpf_load.h"
#include "perf/cpu_list.h"
#include "sampling/stack_program.h"

enum {
	/* With more CPUs than this, each CPU gets a smaller share of the budget. */
	FULL_BUDGET_CPUS = 4,
	DUMP_BYTES = 16 * 1024, /* of a stack whose process has no tables yet */
};

struct off_cpu {
	struct off_cpu_bpf *object;
	size_t cpus; /* size of a table by CPU number */
};

/* The programs that stay attached while the window is open. The fork program comes first, so that
 * no new thread is missed while the others are attached. */
#define ATTACHED(X)             \
	X(off_cpu_fork)         \
	X(off_cpu_exec)         \
	X(off_cpu_waking)       \
	X(off_cpu_switch_loop)  \
	X(off_cpu_switch_calls) \
	X(off_cpu_switch_fp)

static const struct bpf_load_words load_words = {
	.doing = "loading BPF programs",
	.programs = "the BPF programs",
	.release = "5.15",
	.types = true,
};

/* Selects the switch program that this kernel can run. @maps NULL: the one without tables, whose
 * maps are then not created. */
static void choose(struct off_cpu_bpf *object, const struct stack_program_maps *maps)
{
	bool loop = maps && bpf_load_has_loop();

	bpf_program__set_autoload(object->progs.off_cpu_switch_loop, loop);
	bpf_program__set_autoload(object->progs.off_cpu_switch_calls, maps && !loop);
	bpf_program__set_autoload(object->progs.off_cpu_switch_fp, !maps);
	bpf_map__set_autocreate(object->maps.segments, maps);
	bpf_map__set_autocreate(object->maps.spaces, maps);
	bpf_map__set_autocreate(object->maps.stack_memory, maps);
	bpf_map__set_autocreate(object->maps.scratches, maps);
}

static int borrow(struct off_cpu_bpf *object, const struct stack_program_maps *maps)
{
	int rc = bpf_map__reuse_fd(object->maps.segments, maps->segments_fd);

	if (rc == 0)
		rc = bpf_map__reuse_fd(object->maps.spaces, maps->spaces_fd);
	if (rc == 0)
		rc = bpf_map__reuse_fd(object->maps.stack_memory, maps->memory_fd);
	object->rodata->rules_offset = maps->rules_offset;
	object->rodata->max_depth = maps->max_depth;
	object->rodata->dump_bytes = DUMP_BYTES;
	return rc;
}

static int configure(struct off_cpu *off_cpu, const struct stack_program_maps *maps)
{
	struct off_cpu_bpf *object = off_cpu->object;
	size_t cpus = cpu_list_room();
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t share = online > FULL_BUDGET_CPUS ? (uint64_t)online : FULL_BUDGET_CPUS;

	if (!cpus)
		return -EINVAL;
	off_cpu->cpus = cpus;
	object->rodata->period_ns = OFF_CPU_PERIOD_NS * share / FULL_BUDGET_CPUS;
	bpf_map__set_max_entries(object->maps.outputs, (uint32_t)cpus);
	bpf_map__set_max_entries(object->maps.scratches, (uint32_t)cpus);
	choose(object, maps);
	return maps ? borrow(object, maps) : 0;
}

static int load(struct off_cpu *off_cpu, const struct stack_program_maps *maps,
		struct bpf_load_log *log)
{
	int rc;

	off_cpu->object = off_cpu_bpf__open();
	if (!off_cpu->object)
		return -errno;
	bpf_load_without_modules(off_cpu->object->obj);
	rc = configure(off_cpu, maps);
	bpf_load_log_listen(log, off_cpu->object->obj);
	return rc < 0 ? rc : off_cpu_bpf__load(off_cpu->object);
}

int off_cpu_new(const struct stack_program_maps *maps, struct off_cpu **ret_off_cpu,
		struct err *err)
{
	struct off_cpu *off_cpu = xcalloc(1, sizeof(*off_cpu));
	_cleanup_(bpf_load_log_freep) struct bpf_load_log *log = bpf_load_log_new();
	BPF_LOAD_QUIETLY;
	int rc = load(off_cpu, maps, log);

	if (rc < 0) {
		off_cpu_free(off_cpu);
		return bpf_load_log_explain(log, &load_words, rc, err);
	}
	*ret_off_cpu = off_cpu;
	return 0;
}

/* The smallest program needs the same kernel features and permissions as the others. */
static int load_smallest(struct off_cpu_bpf *object)
{
	struct bpf_program *each;

	bpf_load_without_modules(object->obj);
	choose(object, NULL);
	bpf_object__for_each_program(each, object->obj)
		bpf_program__set_autoload(each, each == object->progs.off_cpu_exec);
	return off_cpu_bpf__load(object);
}

int off_cpu_check(struct err *err)
{
	BPF_LOAD_QUIETLY;
	struct off_cpu_bpf *object = off_cpu_bpf__open();
	int rc = object ? load_smallest(object) : -errno;

	off_cpu_bpf__destroy(object);
	return rc < 0 ? bpf_load_explain(&load_words, rc, err) : 0;
}

void off_cpu_free(struct off_cpu *off_cpu)
{
	if (!off_cpu)
		return;
	off_cpu_bpf__destroy(off_cpu->object);
	free(off_cpu);
}

/* ---- the window ---- */

static int set_outputs(struct off_cpu *off_cpu, const struct off_cpu_output *outputs, size_t count)
{
	int map = bpf_map__fd(off_cpu->object->maps.outputs);

	for (size_t i = 0; i < count; i++) {
		if (bpf_map_update_elem(map, &outputs[i].cpu, &outputs[i].fd, BPF_ANY) < 0)
			return -errno;
	}
	return 0;
}

static int attach(struct bpf_program *program, struct bpf_link **ret_link)
{
	if (!bpf_program__autoload(program))
		return 0;
	*ret_link = bpf_program__attach(program);
	return *ret_link ? 0 : -errno;
}

static int attach_programs(struct off_cpu *off_cpu)
{
	struct off_cpu_bpf *object = off_cpu->object;
	int rc = 0;

#define ATTACH(name) rc = rc < 0 ? rc : attach(object->progs.name, &object->links.name);
	ATTACHED(ATTACH)
#undef ATTACH
	return rc;
}

static void detach(struct off_cpu *off_cpu)
{
#define DETACH(name)                                    \
	bpf_link__destroy(off_cpu->object->links.name); \
	off_cpu->object->links.name = NULL;
	ATTACHED(DETACH)
#undef DETACH
}

int off_cpu_attach(struct off_cpu *off_cpu, const struct off_cpu_output *outputs, size_t count,
		   struct err *err)
{
	int rc = set_outputs(off_cpu, outputs, count);

	if (rc == 0)
		rc = attach_programs(off_cpu);
	if (rc == 0)
		rc = bpf_iterate(off_cpu->object->progs.off_cpu_open, NULL);
	if (rc == 0)
		return 0;
	detach(off_cpu);
	return err_set(err, rc, "cannot watch the scheduler's events: %s", strerror(-rc));
}

int off_cpu_choose(struct off_cpu *off_cpu, int32_t id, enum chosen how, bool only, struct err *err)
{
	uint32_t value = how;

	off_cpu->object->bss->any_chosen = 1;
	off_cpu->object->bss->only_chosen |= only;
	if (bpf_map_update_elem(bpf_map__fd(off_cpu->object->maps.chosen), &id, &value, BPF_ANY) <
	    0)
		return err_set(err, -errno, "--off-cpu: at most %d processes and threads",
			       OFF_CPU_MAX_CHOSEN);
	return 0;
}

uint64_t off_cpu_open(struct off_cpu *off_cpu)
{
	return off_cpu->object->bss->opened_ns = clock_ns();
}

void off_cpu_set_window(struct off_cpu *off_cpu, uint64_t opened_ns, uint64_t closed_ns)
{
	if (opened_ns)
		off_cpu->object->bss->opened_ns = opened_ns;
	off_cpu->object->bss->closed_ns = closed_ns;
}

uint64_t off_cpu_stop(struct off_cpu *off_cpu)
{
	uint64_t closed_ns = clock_ns(), set_ns = off_cpu->object->bss->closed_ns;

	if (set_ns && set_ns < closed_ns)
		closed_ns = set_ns;
	off_cpu->object->bss->closed_ns = closed_ns;
	detach(off_cpu);
	return closed_ns;
}

/* The iterator writes whole records, one after the other. */
static size_t size_of(const union off_cpu_event *event)
{
	return event->kind == OFF_CPU_WAIT ? sizeof(event->wait) : sizeof(event->times);
}

void off_cpu_close(struct off_cpu *off_cpu,
		   void (*take)(void *context, const union off_cpu_event *event), void *context)
{
	struct buf records = { 0 };
	union off_cpu_event event;

	(void)bpf_iterate(off_cpu->object->progs.off_cpu_close, &records);
	for (size_t at = 0; off_cpu_event_read(records.bytes + at, records.size - at, &event);
	     at += size_of(&event))
		take(context, &event);
	buf_done(&records);
}

/* ---- questions ---- */

static void add_counts(struct off_cpu_counts *sum, const struct off_cpu_counts *more)
{
	const __u64 *from = (const __u64 *)more;
	__u64 *to = (__u64 *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

struct off_cpu_counts off_cpu_counts(const struct off_cpu *off_cpu)
{
	_cleanup_free_ struct off_cpu_cpu *cpus = xcalloc(off_cpu->cpus, sizeof(*cpus));
	struct off_cpu_counts sum = { 0 };
	uint32_t zero = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(off_cpu->object->maps.cpus), &zero, cpus) < 0)
		return sum;
	for (size_t i = 0; i < off_cpu->cpus; i++)
		add_counts(&sum, &cpus[i].counts);
	return sum;
}

uint64_t off_cpu_cost_ns(const struct off_cpu_counts *counts)
{
	return counts->measured_ns * OFF_CPU_MEASURE_EVERY;
}
