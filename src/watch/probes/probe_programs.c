/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/probe_wire.h"
#include "bpf/probes.skel.h"
#include "perf/bpf_load.h"
#include "watch/probes/probe_functions.h"
#include "watch/probes/probe_links.h"
#include "watch/probes/probe_setup.h"

enum { NO_TYPE = 0 }; /* for a kprobe or uprobe by perf event */

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
	programs->object = probes_bpf__open();
	if (!programs->object)
		return -errno;
	probe_setup(programs->object, options, room, conditions);
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
	struct probes_bpf *object = probes_bpf__open();
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

int probe_programs_load_empty(int attach_type, uint32_t function)
{
	/* mov r0, 0; exit */
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	BPF_LOAD_QUIETLY;
	int fd;

	options.expected_attach_type = (enum bpf_attach_type)attach_type;
	options.attach_btf_id = function;
	fd = bpf_prog_load(function ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_KPROBE, "probe_empty",
			   "Dual BSD/GPL", nothing, sizeof(nothing) / sizeof(nothing[0]), &options);
	return fd < 0 ? -errno : fd;
}
