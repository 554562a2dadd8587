/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probes: what the bodies of the probe programs take (bench/probes.bpf.c), as the kernel counts it:
 * ns of an empty program, of one that counts entries, of a timed pair; and how much faster two
 * pinned CPUs are than one at timed pairs. Two processors of a machine may be one core's, and are
 * slowed down by each other whatever they do; so the same is printed for a loop that never leaves the
 * program, and of an empty program. Every system call of the machine is a call meanwhile.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bpf/probe_wire.h"
#include "probes.skel.h"

enum { CALLS = 200000, CPUS = 2, ROUNDS = 300, ROUND_CALLS = 3000, TURNS = 100 };

/* What a thread does so many times on a processor of its own, and when, in s. */
struct task {
	void (*step)(void);
	int cpu, count;
	int *late; /* threads that are not ready yet */
	double began, ended;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void call(void)
{
	syscall(SYS_getppid);
}

/* As long as a call, about. */
static void turn(void)
{
	for (volatile int i = 0; i < TURNS; i++)
		;
}

static void *work(void *context)
{
	struct task *task = context;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)task->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	__atomic_fetch_sub(task->late, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(task->late, __ATOMIC_ACQUIRE) > 0)
		;
	task->began = now();
	for (int i = 0; i < task->count; i++)
		task->step();
	task->ended = now();
	return NULL;
}

/* Steps a second, from the first one's beginning to the last one's end. */
static double run(void (*step)(void), int count, int cpus)
{
	pthread_t threads[CPUS];
	struct task tasks[CPUS];
	double began = 0, ended = 0;
	int late = cpus;

	for (int i = 0; i < cpus; i++) {
		tasks[i] = (struct task){ .step = step, .cpu = i, .count = count, .late = &late };
		pthread_create(&threads[i], NULL, work, &tasks[i]);
	}
	for (int i = 0; i < cpus; i++) {
		pthread_join(threads[i], NULL);
		began = i == 0 || tasks[i].began < began ? tasks[i].began : began;
		ended = tasks[i].ended > ended ? tasks[i].ended : ended;
	}
	return cpus * (double)count / (ended - began);
}

/* The best of many short rounds of each, in turn: what else runs only slows down. */
static double speedup(void (*step)(void))
{
	double best[CPUS] = { 0 };

	for (int i = 0; i < ROUNDS * CPUS; i++) {
		double speed = run(step, ROUND_CALLS, i % CPUS + 1);

		if (speed > best[i % CPUS])
			best[i % CPUS] = speed;
	}
	return best[CPUS - 1] / best[0];
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

/* What the programs take together while all system calls run them, in ns; with @ret_speedup that of
 * two processors instead. */
static double measure(unsigned measures, const char *first, const char *second, double *ret_speedup)
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
	if (ret_speedup)
		*ret_speedup = speedup(call);
	else
		run(call, CALLS, 1);
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
	double empty, only, pair, histogram, empty_speedup = 0, pair_speedup = 0;

	libbpf_set_print(NULL);
	setpriority(PRIO_PROCESS, 0, -20); /* what else runs is not to be in the speeds */
	empty = measure(0, "bench_empty", NULL, NULL);
	only = measure(0, "bench_only", NULL, NULL);
	pair = measure(timed, "bench_enter", "bench_leave", NULL);
	histogram = measure(timed | PROBE_DO_LATENCY, "bench_enter", "bench_leave", NULL);
	if (stats >= 0)
		close(stats); /* the clock of these is not to be in the speeds */
	measure(0, "bench_empty", NULL, &empty_speedup);
	measure(timed, "bench_enter", "bench_leave", &pair_speedup);
	printf("empty %.1f\nentry %.1f\npair %.1f\nhistogram %.1f\n", empty, only - empty,
	       pair - 2 * empty, histogram - 2 * empty);
	printf("speedup_of_a_loop %.3f\nspeedup_of_empty %.3f\nspeedup_of_pairs %.3f\n",
	       speedup(turn), empty_speedup, pair_speedup);
	return empty < 0 || only < 0 || pair < 0;
}
