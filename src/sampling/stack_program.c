/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/stack_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/stacks.skel.h"
#include "bpf/unwind_rows.h"
#include "perf/bpf_load.h"

struct stack_program {
	struct stacks_bpf *object;
	struct bpf_program *loaded; /* the selected one */
	struct stack_cpu *cpus;	    /* mapped */
	size_t cpu_count;
	VEC(int) links;
	struct stack_tables *tables;
};

/* ---- loading ---- */

static const struct bpf_load_words load_words = {
	.doing = "loading a BPF program",
	.programs = "the BPF program",
	.release = "5.15",
	.types = true,
};

/* Selects one of the four programs for this kernel. */
static struct bpf_program *choose(struct stacks_bpf *object, bool loop, bool context)
{
	if (loop)
		return context ? object->progs.stacks_by_loop : object->progs.stacks_by_loop_bare;
	return context ? object->progs.stacks_by_calls : object->progs.stacks_by_calls_bare;
}

static void configure(struct stack_program *program, const struct stack_program_options *options,
		      bool context)
{
	struct stacks_bpf *object = program->object;
	struct bpf_program *each;

	program->loaded = choose(object, !options->calls && bpf_load_has_loop(), context);
	bpf_object__for_each_program(each, object->obj)
		bpf_program__set_autoload(each, each == program->loaded);
	bpf_map__set_max_entries(object->maps.scratches, (uint32_t)options->cpus);
	bpf_map__set_max_entries(object->maps.cpus, (uint32_t)options->cpus);
	bpf_map__set_max_entries(object->maps.outputs, (uint32_t)options->cpus);
	object->rodata->max_depth = options->max_depth;
	object->rodata->dump_bytes = options->dump_bytes / 8 * 8;
	object->rodata->verify = options->verify;
	program->cpu_count = options->cpus;
}

static int load_object(struct stack_program *program, const struct stack_program_options *options,
		       bool context, struct bpf_load_log *log)
{
	int rc;

	program->object = stacks_bpf__open();
	if (!program->object)
		return -errno;
	configure(program, options, context);
	bpf_load_without_modules(program->object->obj);
	bpf_load_log_listen(log, program->object->obj);
	rc = stacks_bpf__load(program->object);
	if (rc < 0) {
		stacks_bpf__destroy(program->object);
		program->object = NULL;
	}
	return rc;
}

/* The elements of an array map are contiguous and 8-byte aligned. */
static int map_cpus(struct stack_program *program)
{
	void *memory =
		mmap(NULL, program->cpu_count * sizeof(struct stack_cpu), PROT_READ | PROT_WRITE,
		     MAP_SHARED, bpf_map__fd(program->object->maps.cpus), 0);

	if (memory == MAP_FAILED)
		return -errno;
	program->cpus = memory;
	return 0;
}

/* x86: without CONFIG_KALLSYMS_ALL a kernel hides the per-CPU variable with the preempt count. */
static bool lacks_context(void)
{
#if defined(__x86_64__)
	return bpf_load_lacks_symbol("__preempt_count") && bpf_load_lacks_symbol("pcpu_hot");
#else
	return false;
#endif
}

static int load(struct stack_program *program, const struct stack_program_options *options,
		struct bpf_load_log *log)
{
	bool context = !lacks_context();
	struct stack_maps maps;
	int rc = load_object(program, options, context, log);

	/* -ENOENT: the symbol is missing, and the kernel did not say so above. */
	if (rc == -ENOENT && context)
		rc = load_object(program, options, false, log);
	if (rc == 0)
		rc = map_cpus(program);
	if (rc < 0)
		return rc;
	maps = (struct stack_maps){ .segments_fd = bpf_map__fd(program->object->maps.segments),
				    .spaces_fd = bpf_map__fd(program->object->maps.spaces),
				    .rules = program->object->bss->rules,
				    .known_hashes = (uint64_t *)program->object->bss->known_hashes,
				    .cpus = program->cpus,
				    .cpu_count = program->cpu_count };
	program->tables = stack_tables_new(&maps);
	return 0;
}

int stack_program_load(const struct stack_program_options *options,
		       struct stack_program **ret_program, struct err *err)
{
	_cleanup_(bpf_load_log_freep) struct bpf_load_log *log = bpf_load_log_new();
	struct stack_program *program = xcalloc(1, sizeof(*program));
	BPF_LOAD_QUIETLY;
	int rc = load(program, options, log);

	if (rc < 0) {
		stack_program_free(program);
		return bpf_load_log_explain(log, &load_words, rc, err);
	}
	*ret_program = program;
	return 0;
}

void stack_program_free(struct stack_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->links.count; i++)
		close(program->links.items[i]);
	vec_free(&program->links);
	stack_tables_free(program->tables);
	if (program->cpus)
		munmap(program->cpus, program->cpu_count * sizeof(struct stack_cpu));
	stacks_bpf__destroy(program->object);
	free(program);
}

/* ---- running ---- */

int stack_program_set_output(struct stack_program *program, int cpu, int fd, struct err *err)
{
	if (bpf_map_update_elem(bpf_map__fd(program->object->maps.outputs), &cpu, &fd, BPF_ANY) < 0)
		return err_set(err, -errno, "cannot give the BPF program its output: %s",
			       strerror(errno));
	return 0;
}

int stack_program_attach(struct stack_program *program, int fd, uint64_t id, struct err *err)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = id);
	int link = bpf_link_create(bpf_program__fd(program->loaded), fd, BPF_PERF_EVENT, &options);

	if (link < 0)
		return err_set(err, link, "cannot attach the BPF program to an event: %s",
			       strerror(-link));
	*vec_push(&program->links) = link;
	return 0;
}

struct stack_program_maps stack_program_maps(const struct stack_program *program)
{
	const struct stacks_bpf *object = program->object;

	return (struct stack_program_maps){
		.segments_fd = bpf_map__fd(object->maps.segments),
		.spaces_fd = bpf_map__fd(object->maps.spaces),
		.memory_fd = bpf_map__fd(object->maps.bss),
		.rules_offset =
			(uint64_t)((const char *)object->bss->rules - (const char *)object->bss),
		.max_depth = object->rodata->max_depth,
	};
}

void stack_program_allow_copies(struct stack_program *program, size_t bytes)
{
	for (size_t i = 0; i < program->cpu_count; i++) {
		struct stack_cpu *cpu = &program->cpus[i];
		uint64_t copied = __atomic_load_n(&cpu->copied, __ATOMIC_RELAXED);

		__atomic_store_n(&cpu->copy_limit, copied + bytes, __ATOMIC_RELAXED);
	}
}

struct stack_tables *stack_program_tables(const struct stack_program *program)
{
	return program->tables;
}

uint64_t stack_program_counter(const struct stack_program *program, enum stack_counter counter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < program->cpu_count; i++)
		sum += __atomic_load_n(&program->cpus[i].counters[counter], __ATOMIC_RELAXED);
	return sum;
}

void stack_program_losses(const struct stack_program *program,
			  void (*add)(void *context, uint64_t event, uint64_t count), void *context)
{
	for (size_t i = 0; i < program->cpu_count; i++) {
		for (size_t j = 0; j < STACK_LOSSES; j++) {
			const struct stack_loss *loss = &program->cpus[i].losses[j];
			uint64_t event = __atomic_load_n(&loss->event, __ATOMIC_RELAXED);

			if (event)
				add(context, event,
				    __atomic_load_n(&loss->count, __ATOMIC_RELAXED));
		}
	}
}

struct loss_of {
	uint64_t event, count;
};

static void add_if_of(void *context, uint64_t event, uint64_t count)
{
	struct loss_of *loss = context;

	if (event == loss->event)
		loss->count += count;
}

uint64_t stack_program_lost(const struct stack_program *program, uint64_t event)
{
	struct loss_of loss = { event, 0 };

	stack_program_losses(program, add_if_of, &loss);
	return loss.count;
}
