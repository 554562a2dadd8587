/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_ways.h"

#include <bpf/libbpf.h>
#include <stdint.h>
#include <unistd.h>

#include "perf/bpf_load.h"
#include "watch/probes/probe_links.h"
#include "watch/probes/probe_programs.h"

static bool has_multi(int type, bool (*has)(int program))
{
	int fd = probe_programs_load_empty(type, 0);
	bool yes = fd >= 0 && has(fd);

	if (fd >= 0)
		close(fd);
	return yes;
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
	int program =
		function > 0 ? probe_programs_load_empty(BPF_TRACE_FENTRY, (uint32_t)function) : -1;
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
		.kprobe_multi = has_multi(PROBE_LINK_KPROBE_MULTI, probe_link_has_kprobe_multi),
		.kprobe = probe_link_has_kprobe(),
		.uprobe_multi = has_multi(PROBE_LINK_UPROBE_MULTI, probe_link_has_uprobe_multi),
		.uprobe = probe_link_has_uprobe(),
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
