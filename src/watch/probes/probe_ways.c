/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_ways.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <link.h>
#include <unistd.h>

#include "base/clock.h"
#include "perf/bpf_load.h"
#include "watch/probes/probe_links.h"

/* ---- what the kernel has ---- */

/* Loads a program that does nothing, for trials. @function: the id of a kernel function in its types,
 * for fentry; 0: a program for kprobes or uprobes. Returns a descriptor or a negative errno. */
static int load_empty(int attach_type, uint32_t function)
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

/* A link that cannot succeed fails in another way if the kernel has it. */
static bool has_kprobe_multi(int program)
{
	const char *const symbols[] = { "prospect_no_such_function" };
	uint64_t cookie = 0;
	int rc = probe_link_kprobe_multi(program, symbols, NULL, &cookie, 1, false);

	if (rc >= 0)
		close(rc);
	return rc >= 0 || rc == -ESRCH || rc == -ENOENT;
}

/* A folder has no instructions. A kernel that has uprobe.multi looks at the path and refuses it. */
static bool has_uprobe_multi(int program)
{
	const unsigned long offset = 0;
	uint64_t cookie = 0;
	int rc = probe_link_uprobe_multi(program, "/", &offset, &cookie, 1, false, 0);

	if (rc >= 0)
		close(rc);
	return rc == -EBADF;
}

bool probe_ways_has_multi(bool user)
{
	int fd = load_empty(user ? PROBE_LINK_UPROBE_MULTI : PROBE_LINK_KPROBE_MULTI, 0);
	bool has = fd >= 0 && (user ? has_uprobe_multi(fd) : has_kprobe_multi(fd));

	if (fd >= 0)
		close(fd);
	return has;
}

/* The first exists in kernels with BPF self tests. The others are called now and then, which does
 * no harm. */
static int find_trial_function(void)
{
	static const char *const names[] = { "bpf_fentry_test1", "vfs_statfs", "vfs_fallocate" };
	BPF_LOAD_QUIETLY;
	int id = -1;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && id <= 0; i++)
		id = libbpf_find_vmlinux_btf_id(names[i], BPF_TRACE_FENTRY);
	return id;
}

/* A kernel may have types and load the program, yet its functions have no room for a call: without
 * CONFIG_DYNAMIC_FTRACE, or on arm64 before Linux 6.4. */
static bool takes_fentry(void)
{
	int function = find_trial_function();
	int program = function > 0 ? load_empty(BPF_TRACE_FENTRY, (uint32_t)function) : -1;
	int link = program >= 0 ? probe_link_tracing(program, 0, false) : -1;

	if (link >= 0)
		close(link);
	if (program >= 0)
		close(program);
	return link >= 0;
}

struct probe_ways probe_ways_find(bool try_fentry)
{
	return (struct probe_ways){
		.fentry = access("/sys/kernel/btf/vmlinux", R_OK) == 0 &&
			  (!try_fentry || takes_fentry()),
		.kprobe_multi = probe_ways_has_multi(false),
		.kprobe = probe_link_has_device("kprobe"),
		.uprobe_multi = probe_ways_has_multi(true),
		.uprobe = probe_link_has_device("uprobe"),
	};
}

enum probe_mechanism probe_ways_choose(const struct probe_ways *ways, bool user, size_t count)
{
	if (user && ways->uprobe_multi)
		return PROBE_UPROBE_MULTI;
	if (user)
		return ways->uprobe ? PROBE_UPROBE : PROBE_NONE;
	if (ways->fentry && count <= PROBE_MAX_FENTRY)
		return PROBE_FENTRY;
	if (ways->kprobe_multi)
		return PROBE_KPROBE_MULTI;
	return ways->kprobe ? PROBE_KPROBE : PROBE_NONE;
}

/* ---- what they cost ---- */

enum { CALLS = 100, ROUNDS = 3 };

/*
 * Kernel probes: from the kernel's benchmark of triggers
 * (tools/testing/selftests/bpf/benchs/bench_trigger.c) on x86 machines of 2020 to 2025. Attaching
 * one by one: measured in virtual machines, Linux 6.1 to 6.18.
 */
static const struct probe_way_cost costs[PROBE_MECHANISM_COUNT] = {
	[PROBE_FENTRY] = { 15, 25 * NS_PER_MS, 145 * NS_PER_MS },
	[PROBE_KPROBE_MULTI] = { 40, NS_PER_MS / 10, NS_PER_MS / 10 },
	[PROBE_KPROBE] = { 60, 50 * NS_PER_MS, 100 * NS_PER_MS },
	[PROBE_UPROBE_MULTI] = { 3000, NS_PER_MS / 20, NS_PER_MS / 10 },
	[PROBE_UPROBE] = { 3000, NS_PER_MS / 2, 100 * NS_PER_MS },
};

const struct probe_way_cost *probe_ways_cost(enum probe_mechanism mechanism)
{
	return &costs[mechanism];
}

/* The function that is probed; the barrier keeps each call a call. */
__attribute__((noinline)) static void probed(void)
{
	__asm__ volatile("" ::: "memory");
}

struct place {
	uintptr_t address;
	unsigned long offset; /* in the file; 0: not found */
};

/* The first object is prospect itself. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *context)
{
	struct place *place = context;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && place->address >= start &&
		    place->address - start < segment->p_filesz)
			place->offset = place->address - start + segment->p_offset;
	}
	return 1;
}

/* The best of several rounds: other load only adds time. */
static uint64_t time_calls(void)
{
	uint64_t best_ns = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t began_ns = clock_ns(), took_ns;

		for (int i = 0; i < CALLS; i++)
			probed();
		took_ns = clock_ns() - began_ns;
		if (took_ns < best_ns)
			best_ns = took_ns;
	}
	return best_ns / CALLS;
}

static int link_probe(int program, unsigned long offset, bool multi)
{
	const char *self = "/proc/self/exe";
	uint64_t cookie = 0;

	if (multi)
		return probe_link_uprobe_multi(program, self, &offset, &cookie, 1, false, getpid());
	return probe_link_uprobe(program, self, offset, 0, false, getpid());
}

uint64_t probe_ways_measure_ns(bool multi)
{
	struct place place = { .address = (uintptr_t)probed };
	uint64_t without_ns = time_calls(), with_ns = 0;
	int program = load_empty(multi ? PROBE_LINK_UPROBE_MULTI : 0, 0), link = -1;

	dl_iterate_phdr(find_offset, &place);
	if (program >= 0 && place.offset)
		link = link_probe(program, place.offset, multi);
	if (link >= 0) {
		with_ns = time_calls();
		close(link);
	}
	if (program >= 0)
		close(program);
	return with_ns > without_ns ? with_ns - without_ns : 0;
}
