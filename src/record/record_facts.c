/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/record_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hashidx.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "model/profile.h"
#include "model/who.h"
#include "proc/cpu_stat.h"
#include "proc/proc_scan.h"
#include "record/record.h"
#include "sampling/interrupt_cost.h"
#include "sampling/sampler.h"

/* Idle times are in hundredths of a second. */
#define LEAST_PART_NS NS_PER_S

struct record_facts {
	struct profile *profile;
	const struct sampler *sampler;
	bool some_cpus; /* not all that are online are sampled */
	struct cpu_stat stat_begin, stat_end;
	struct cpu_stat stat_part; /* of the part of the time that is not in profile->cpu_times */
	uint64_t part_begin_ns, part_lost_ns;
	uint64_t self_begin_ns, self_end_ns; /* prospect's CPU time at these moments */
};

uint64_t record_facts_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * 1000;
}

static uint64_t self_cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return record_facts_ns(&usage.ru_utime) + record_facts_ns(&usage.ru_stime);
}

static void set_command(struct run_facts *run, char *const *argv)
{
	struct buf text = { 0 };

	for (size_t i = 0; argv && argv[i]; i++) {
		if (i)
			buf_add_char(&text, ' ');
		text_add_word(&text, argv[i]);
	}
	profile_set_text(&run->command, buf_text(&text));
	buf_done(&text);
}

static const char *scope_of(const struct record_options *options, const struct sampler *sampler)
{
	if (!sampler)
		return "command";
	if (options->who)
		return who_has_only(options->who, WHO_THREAD) ? "threads" : "processes";
	return sampler_rung(sampler) == RUNG_MACHINE ? "machine" : "command";
}

static const char *stacks_word(enum stack_rung rung)
{
	static const char *const words[STACK_RUNG_COUNT] = {
		[STACK_RUNG_NONE] = "none",
		[STACK_RUNG_FRAME_POINTERS] = "fp",
		[STACK_RUNG_DUMP] = "full",
		[STACK_RUNG_INTERRUPT] = "full",
	};

	return words[rung];
}

/* The first line of a file; the caller frees it. NULL: not there. */
static char *first_line(const char *path)
{
	_cleanup_(buf_done) struct buf text = { 0 };

	if (file_read(path, 256, &text) < 0)
		return NULL;
	return xasprintf("%.*s", (int)strcspn(buf_text(&text), "\n"), buf_text(&text));
}

/* /etc/machine-id is not to be published (machine-id(5)), so it is hashed. */
static void set_machine(struct run_facts *run)
{
	static const char use[] = "prospect profile";
	_cleanup_free_ char *boot = first_line("/proc/sys/kernel/random/boot_id");
	_cleanup_free_ char *machine = first_line("/etc/machine-id");
	char text[32] = "";

	profile_set_text(&run->boot_id, boot);
	if (machine && *machine)
		snprintf(text, sizeof(text), "%016" PRIx64,
			 hash_combine(hash_bytes(machine, strlen(machine)),
				      hash_bytes(use, sizeof(use))));
	profile_set_text(&run->machine_id, text);
}

static void describe_sampler(struct run_facts *run, const struct sampler *sampler)
{
	profile_set_text(&run->rung, rung_name(sampler_rung(sampler)));
	profile_set_text(&run->stacks, stacks_word(sampler_stack_rung(sampler)));
	profile_set_text(&run->not_visible, sampler_missing(sampler));
	run->cpus = sampler_cpus(sampler);
}

struct record_facts *record_facts_new(struct profile *profile, const struct sampler *sampler,
				      const struct record_options *options)
{
	struct record_facts *facts = xcalloc(1, sizeof(*facts));
	struct run_facts *run = &profile->run;
	struct utsname name;

	facts->profile = profile;
	facts->sampler = sampler;
	facts->some_cpus = options->cpus != NULL;
	uname(&name);
	profile_set_text(&run->prospect_version, PROSPECT_VERSION);
	profile_set_text(&run->hostname, name.nodename);
	profile_set_text(&run->kernel_release, name.release);
	profile_set_text(&run->machine, name.machine);
	set_machine(run);
	set_command(run, options->argv);
	profile_set_text(&run->scope, scope_of(options, sampler));
	profile_set_text(&run->only_cpus, options->cpus);
	run->prospect_pid = (uint64_t)getpid();
	if (sampler)
		describe_sampler(run, sampler);
	return facts;
}

void record_facts_free(struct record_facts *facts)
{
	free(facts);
}

/* With copies of stacks all callers are found. */
static void stacks_not_visible(struct record_facts *facts)
{
	const char *missing = sampler_stacks_missing(facts->sampler);
	bool copied = sampler_stack_rung(facts->sampler) == STACK_RUNG_DUMP;
	_cleanup_free_ char *text =
		xasprintf("%s: %s",
			  copied ? "the stack is copied with each sample"
				 : "callers that can only be found with unwind tables",
			  missing);

	if (*missing && copied)
		profile_set_text(&facts->profile->run.costs_more, text);
	else if (*missing)
		profile_not_visible(facts->profile, text);
}

void record_facts_not_visible(struct record_facts *facts, bool kernel_hidden)
{
	enum rung rung = sampler_rung(facts->sampler);

	stacks_not_visible(facts);
	if (kernel_hidden && rung != RUNG_OWN_USER)
		profile_not_visible(
			facts->profile,
			"the names of kernel code, and which part of it ran in interrupts "
			"(kernel.kptr_restrict, CAP_SYSLOG); run with sudo, or once: sudo sysctl "
			"-w "
			"kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
	if (rung == RUNG_MACHINE && !proc_scan_sees_other_users())
		profile_not_visible(facts->profile,
				    "the code of other users' processes that started earlier "
				    "(CAP_SYS_PTRACE): it is [unmapped]; run with sudo");
}

/* A CPU that is gone takes its times along: then nothing is known. */
static void read_stat(const struct record_facts *facts, struct cpu_stat *ret_stat)
{
	const int *cpus = NULL;
	size_t count = facts->sampler ? sampler_cpu_numbers(facts->sampler, &cpus) : 0;

	(void)cpu_stat_read(cpus, facts->some_cpus ? count : 0, ret_stat, NULL);
}

void record_facts_begin(struct record_facts *facts, uint64_t start_ns)
{
	struct run_facts *run = &facts->profile->run;

	run->start_realtime_ns = clock_read(CLOCK_REALTIME);
	read_stat(facts, &facts->stat_begin);
	facts->self_begin_ns = self_cpu_ns();
	run->start_ns = clock_ns();
	if (start_ns) {
		run->start_realtime_ns += start_ns - run->start_ns;
		run->start_ns = start_ns;
	}
	facts->stat_part = facts->stat_begin;
	facts->part_begin_ns = run->start_ns;
}

static void add_time(struct record_facts *facts, uint64_t now_ns, const struct cpu_stat *now)
{
	struct cpu_stat stat = cpu_stat_since(&facts->stat_part, now);
	uint64_t lost_ns = sampler_losses(facts->sampler).clock_weight_ns;
	struct cpu_time time = { .from_ns = facts->part_begin_ns,
				 .to_ns = now_ns,
				 .idle_ns = stat.idle,
				 .iowait_ns = stat.iowait,
				 .lost_ns = lost_ns - facts->part_lost_ns };

	time.capacity_ns = facts->profile->run.cpus * (time.to_ns - time.from_ns);
	time.steal_ns = cpu_stat_steal(&stat, time.capacity_ns);
	profile_add_cpu_time(facts->profile, &time);
	facts->stat_part = *now;
	facts->part_begin_ns = now_ns;
	facts->part_lost_ns = lost_ns;
}

void record_facts_add_time(struct record_facts *facts)
{
	uint64_t now_ns = clock_ns();
	struct cpu_stat now;

	if (sampler_rung(facts->sampler) != RUNG_MACHINE ||
	    now_ns < facts->part_begin_ns + LEAST_PART_NS)
		return;
	read_stat(facts, &now);
	add_time(facts, now_ns, &now);
}

void record_facts_end(struct record_facts *facts)
{
	facts->profile->run.end_ns = clock_ns();
	facts->self_end_ns = self_cpu_ns();
	read_stat(facts, &facts->stat_end);
}

static void settle_account(struct run_facts *run, const struct cpu_stat *stat)
{
	uint64_t wall_ns = (run->end_ns - run->start_ns) * run->cpus;
	uint64_t sum_ns = cpu_stat_sum(stat);

	run->idle_ns = stat->idle;
	run->iowait_ns = stat->iowait;
	run->steal_ns = cpu_stat_steal(stat, wall_ns);
	run->stat_busy_ns = cpu_stat_busy(stat);
	run->stat_irq_ns = stat->irq + stat->softirq;
	run->stat_shortfall_ns = wall_ns > sum_ns ? wall_ns - sum_ns : 0;
}

static double mean_weight(const struct event *event)
{
	if (event->samples)
		return (double)event->weight / (double)event->samples;
	return event->rate_hz > 0 ? NS_PER_S / event->rate_hz : (double)event->period;
}

static void add_ring_loss(struct event *event, uint64_t count, double weight)
{
	event->loss[LOSS_RING_FULL].count += count;
	event->loss[LOSS_RING_FULL].weight += (uint64_t)weight;
}

/* Losses of the rings. A lost sample of an event weighs as much as the mean sample of that event.
 * Before Linux 6.0 the kernel does not say which event lost a sample: losses that the stack program
 * does not know either are counted as the clock's. */
static void settle_ring_losses(struct record_facts *facts, const struct record_end *end)
{
	struct event *events = facts->profile->events;
	struct sampler_losses losses = sampler_losses(facts->sampler);
	uint64_t told = losses.streams[STREAM_CLOCK] + losses.streams[STREAM_EVENT];
	size_t next = 1; /* after the clock: the named events that were opened, in order */

	add_ring_loss(&events[0], losses.streams[STREAM_CLOCK], (double)losses.clock_weight_ns);
	if (!losses.known && end->ring_lost > told)
		add_ring_loss(&events[0], end->ring_lost - told,
			      (double)(end->ring_lost - told) * mean_weight(&events[0]));
	events[0].loss[LOSS_TRACKING].count =
		losses.streams[STREAM_TRACK] + losses.streams[STREAM_TRACK_ID];
	for (size_t i = 0; i < sampler_event_count(facts->sampler); i++) {
		if (sampler_event(facts->sampler, i)) {
			add_ring_loss(&events[next], losses.events[i],
				      (double)losses.events[i] * mean_weight(&events[next]));
			next++;
		}
	}
}

/*
 * A timer that fires late by more than its period skips the ticks in between silently. On virtual
 * CPUs that sleep and wake thousands of times a second it skips many, and so does the tick that
 * /proc/stat counts with. The idle stream reveals this: it ticks whether the CPU is idle or not, so
 * its ticks must add up to CPUs x wall time. If they fall short, busy time without samples (CPUs x
 * wall time less idle and steal, which NO_HZ kernels measure by the clock, not by ticks) is
 * reported as missed, up to the shortfall. Otherwise it stays in the residue.
 */
static double witnessed_ns(const struct record_facts *facts, const struct record_end *end)
{
	const struct run_facts *run = &facts->profile->run;
	double period_ns = (double)sampler_idle_period_ns(facts->sampler);
	double wall_ns = (double)(run->end_ns - run->start_ns) * (double)run->cpus;
	struct sampler_losses losses = sampler_losses(facts->sampler);
	double missing_ns = wall_ns - (double)end->idle_stream_weight_ns -
			    (double)losses.streams[STREAM_IDLE] * period_ns;

	/* Each CPU may miss the ticks around its first and last; another 3 % is noise. */
	if (missing_ns <= 3 * period_ns * (double)run->cpus + 0.03 * wall_ns)
		return 0;
	return missing_ns;
}

/* As the clock of an idle CPU has it, on virtual machines. */
enum { MOST_INTERRUPT_NS = 30000 };

/* An interrupt makes an idle CPU busy for some microseconds, in which no other one comes: no tick is
 * missed there. Most of these interrupts are our own ticks. */
static double interrupts_of_idle_ns(const struct record_facts *facts)
{
	const struct run_facts *run = &facts->profile->run;
	double ticks_hz = facts->profile->events[0].rate_hz +
			  NS_PER_S / (double)sampler_idle_period_ns(facts->sampler);

	return (double)(run->idle_ns + run->iowait_ns) / NS_PER_S * ticks_hz * MOST_INTERRUPT_NS;
}

static void settle_missed_ticks(struct record_facts *facts, const struct record_end *end)
{
	struct event *clock = &facts->profile->events[0];
	const struct run_facts *run = &facts->profile->run;
	double wall_ns = (double)(run->end_ns - run->start_ns) * (double)run->cpus;
	double busy_ns = wall_ns - (double)(run->idle_ns + run->iowait_ns + run->steal_ns);
	double seen_ns = (double)clock->weight + (double)clock->loss[LOSS_RING_FULL].weight +
			 (double)clock->loss[LOSS_THROTTLED].weight;
	double missed_ns = fmin(busy_ns - seen_ns, witnessed_ns(facts, end));
	double period_ns = NS_PER_S / clock->rate_hz;
	/* From counting ticks, and from idle time in hundredths of a second. */
	double noise_ns = 4 * sqrt(fmax(busy_ns, 0) * period_ns) +
			  (double)run->cpus * NS_PER_S / (double)sysconf(_SC_CLK_TCK) +
			  interrupts_of_idle_ns(facts);

	if (missed_ns <= noise_ns)
		return;
	clock->loss[LOSS_MISSED_TICKS].weight = (uint64_t)missed_ns;
	clock->loss[LOSS_MISSED_TICKS].count = (uint64_t)(missed_ns * clock->rate_hz / NS_PER_S);
}

/* Only a recording of the whole machine has /proc/stat's account. For a command there is its
 * rusage. That omits children the command did not wait for, so it can only be too small, and does not
 * say on which CPUs they ran. */
static void settle_missed_of_command(struct record_facts *facts, const struct record_end *end)
{
	struct event *clock = &facts->profile->events[0];
	double period_ns = NS_PER_S / clock->rate_hz;
	double took_ns, missing_ns;

	if (!end->usage || facts->some_cpus)
		return;
	took_ns = (double)record_facts_ns(&end->usage->ru_utime);
	if (sampler_rung(facts->sampler) != RUNG_OWN_USER)
		took_ns += (double)record_facts_ns(&end->usage->ru_stime);
	missing_ns = took_ns - (double)clock->weight - (double)clock->loss[LOSS_RING_FULL].weight;
	/* The kernel splits user from system time by ticks: allow 5 % and a tenth of a second. */
	if (missing_ns < 0.05 * took_ns + NS_PER_S / 10.0 + 4 * sqrt(took_ns * period_ns))
		return;
	clock->loss[LOSS_MISSED_TICKS].weight = (uint64_t)missing_ns;
	clock->loss[LOSS_MISSED_TICKS].count = (uint64_t)(missing_ns / period_ns);
}

/* Every tick interrupted a thread, also ticks that were dropped or not kept. Software events (page
 * faults, switches) cause no interrupt. */
static void settle_interrupts(struct record_facts *facts, const struct record_end *end)
{
	struct run_facts *run = &facts->profile->run;
	struct interrupt_cost cost;
	uint64_t ticks = end->idle_stream_weight_ns / sampler_idle_period_ns(facts->sampler);

	if (interrupt_cost_load(&cost) < 0)
		return;
	for (size_t i = 0; i < facts->profile->event_count; i++) {
		const struct event *event = &facts->profile->events[i];

		if (event->clock != CLOCK_SOFTWARE && event->clock != CLOCK_SCHEDULER &&
		    event->clock != CLOCK_EXACT)
			ticks += event->samples + event->loss[LOSS_RING_FULL].count;
	}
	run->interrupt_known = 1;
	run->interrupt_ns = (uint64_t)((double)ticks * cost.ns);
}

/* Only some runs were timed; the others are assumed to take as long on average. */
static uint64_t bpf_time_ns(const struct sampler *sampler)
{
	struct sampler_stack_counts counts = sampler_stack_counts(sampler);
	double timed = (double)counts.counters[STACK_COUNTER_TIMED_RUNS];

	if (timed <= 0)
		return 0;
	return (uint64_t)((double)counts.counters[STACK_COUNTER_TIMED_NS] / timed *
			  (double)counts.counters[STACK_COUNTER_RUNS]);
}

void record_facts_settle_self(struct record_facts *facts)
{
	struct run_facts *run = &facts->profile->run;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	run->max_rss_kb = (uint64_t)usage.ru_maxrss;
	run->self_cpu_ns = self_cpu_ns();
	run->recording_cpu_ns = facts->self_end_ns - facts->self_begin_ns;
}

static void settle_cost(struct record_facts *facts)
{
	struct sampler_ring_use use = sampler_ring_use(facts->sampler);
	struct run_facts *run = &facts->profile->run;

	run->bpf_ns = bpf_time_ns(facts->sampler);
	record_facts_settle_self(facts);
	run->ring_kb = use.bytes / 1024;
	run->ring_high_water_permille = (uint64_t)(use.high_water * 1000 + 0.5);
	run->ring_mean_permille = (uint64_t)(use.mean * 1000 + 0.5);
}

void record_facts_settle_late(struct record_facts *facts, uint64_t processes)
{
	const struct profile *profile = facts->profile;
	uint64_t late = processes;

	for (size_t i = 0; i < profile->images.count; i++)
		late += profile_is_late(profile, (uint32_t)i);
	facts->profile->events[0].loss[LOSS_NOT_READ].count = late;
}

void record_facts_settle(struct record_facts *facts, const struct record_end *end)
{
	struct record_queue_counts counts = sampler_queue_counts(facts->sampler);
	struct run_facts *run = &facts->profile->run;
	struct cpu_stat stat = cpu_stat_since(&facts->stat_begin, &facts->stat_end);
	struct loss *loss = facts->profile->events[0].loss;

	run->command_status = (uint64_t)(unsigned)end->status;
	loss[LOSS_LATE].count = counts.late;
	loss[LOSS_MALFORMED].count = counts.malformed;
	settle_ring_losses(facts, end);
	if (sampler_rung(facts->sampler) == RUNG_MACHINE) {
		if (run->end_ns > facts->part_begin_ns)
			add_time(facts, run->end_ns, &facts->stat_end);
		settle_account(run, &stat);
		settle_missed_ticks(facts, end);
	} else {
		settle_missed_of_command(facts, end);
	}
	settle_interrupts(facts, end);
	settle_cost(facts);
}
