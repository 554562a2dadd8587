/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_trap.h"

#include <link.h>
#include <unistd.h>

#include "base/clock.h"
#include "watch/probes/probe_links.h"
#include "watch/probes/probe_programs.h"

enum { CALLS = 100, ROUNDS = 3 };

/*
 * ns for one run; attach, detach: for one target, both ends. Kernel probes: from the kernel's
 * benchmark of triggers (tools/testing/selftests/bpf/benchs/bench_trigger.c) on x86 machines of
 * 2020 to 2025. Attaching one by one: measured in virtual machines, Linux 6.1 to 6.18.
 */
static const struct {
	uint64_t run_ns, attach_ns, detach_ns;
} typical[PROBE_MECHANISM_COUNT] = {
	[PROBE_FENTRY] = { 15, 25 * NS_PER_MS, 145 * NS_PER_MS },
	[PROBE_KPROBE_MULTI] = { 40, NS_PER_MS / 10, NS_PER_MS / 10 },
	[PROBE_KPROBE] = { 60, 50 * NS_PER_MS, 100 * NS_PER_MS },
	[PROBE_UPROBE_MULTI] = { 3000, NS_PER_MS / 20, NS_PER_MS / 10 },
	[PROBE_UPROBE] = { 3000, NS_PER_MS / 2, 100 * NS_PER_MS },
};

uint64_t probe_trap_typical_ns(enum probe_mechanism mechanism)
{
	return typical[mechanism].run_ns;
}

uint64_t probe_trap_attach_ns(enum probe_mechanism mechanism)
{
	return typical[mechanism].attach_ns;
}

uint64_t probe_trap_detach_ns(enum probe_mechanism mechanism)
{
	return typical[mechanism].detach_ns;
}

/* ---- measured ---- */

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

uint64_t probe_trap_measure_ns(bool multi)
{
	struct place place = { .address = (uintptr_t)probed };
	uint64_t without_ns = time_calls(), with_ns = 0;
	int program = probe_programs_load_empty(multi ? PROBE_LINK_UPROBE_MULTI : 0, 0), link = -1;

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
