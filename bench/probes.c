/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probes: what the bodies of the probe programs take (bench/probes.bpf.c), as the kernel counts it:
 * ns of an empty program, of one that counts entries, of a timed pair; and how much faster two
 * pinned CPUs are than one at timed pairs. Every system call of the machine is a call meanwhile.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bpf/probe_wire.h"
#include "probes.skel.h"

enum { CALLS = 200000, CPUS = 2 };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *call(void *cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)(intptr_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return NULL;
}

/* Calls a second. */
static double run(int cpus)
{
	pthread_t threads[CPUS];
	double began = now();

	for (int i = 0; i < cpus; i++)
		pthread_create(&threads[i], NULL, call, (void *)(intptr_t)i);
	for (int i = 0; i < cpus; i++)
		pthread_join(threads[i], NULL);
	return cpus * (double)CALLS / (now() - began);
}

static struct probes_bench_bpf *load(unsigned measures)
{
	struct probes_bench_bpf *object = probes_bench_bpf__open();
	unsigned cpus = (unsigned)libbpf_num_possible_cpus();

	object->rodata->todo = measures;
	object->rodata->cpu_count = cpus;
	bpf_map__set_max_entries(object->maps.slots, cpus);
	bpf_map__set_max_entries(object->maps.latencies, cpus);
	if (probes_bench_bpf__load(object) != 0)
		return NULL;
	object->bss->opened_ns = 1;
	object->bss->phase = PROBE_OPEN;
	return object;
}

/* ns of a run. */
static double cost_of(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	unsigned size = sizeof(info);

	bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size);
	return info.run_cnt ? (double)info.run_time_ns / (double)info.run_cnt : 0;
}

/* What the programs take together while all system calls run them. */
static double measure(unsigned measures, const char *first, const char *second, double *speeds)
{
	struct probes_bench_bpf *object = load(measures);
	const char *names[] = { first, second };
	struct bpf_program *programs[2] = { NULL, NULL };
	struct bpf_link *links[2] = { NULL, NULL };
	double ns = 0;

	if (!object)
		return -1;
	for (int i = 0; i < 2 && names[i]; i++) {
		programs[i] = bpf_object__find_program_by_name(object->obj, names[i]);
		links[i] = bpf_program__attach(programs[i]);
	}
	for (int cpus = 1; cpus <= (speeds ? CPUS : 1); cpus++) {
		double speed = run(cpus);

		if (speeds)
			speeds[cpus - 1] = speed;
	}
	for (int i = 0; i < 2 && names[i]; i++) {
		ns += cost_of(programs[i]);
		bpf_link__destroy(links[i]);
	}
	probes_bench_bpf__destroy(object);
	return ns;
}

int main(void)
{
	const unsigned timed = PROBE_DO_EXITS | PROBE_DO_VIRTUAL;
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	double speeds[CPUS], empty, only, pair, histogram;

	libbpf_set_print(NULL);
	empty = measure(0, "bench_empty", NULL, NULL);
	only = measure(0, "bench_only", NULL, NULL);
	pair = measure(timed, "bench_enter", "bench_leave", NULL);
	histogram = measure(timed | PROBE_DO_LATENCY, "bench_enter", "bench_leave", NULL);
	if (stats >= 0)
		close(stats); /* the clock of these is not to be in the speeds */
	measure(timed, "bench_enter", "bench_leave", speeds);
	printf("empty %.1f\nentry %.1f\npair %.1f\nhistogram %.1f\nspeedup %.3f\n", empty,
	       only - empty, pair - 2 * empty, histogram - 2 * empty, speeds[1] / speeds[0]);
	return empty < 0 || only < 0 || pair < 0;
}
