/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/command_time.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "model/profile.h"
#include "model/who.h"
#include "proc/proc_scan.h"
#include "proc/thread_names.h"
#include "record/record_facts.h"
#include "sampling/command_switches.h"
#include "sampling/command_wait.h"

struct command_time {
	struct profile *profile;
	struct command_wait *wait; /* NULL: not available, */
	struct command_switches
		*switches;	   /* then this is used; NULL: that is not available either */
	struct err missing;	   /* why @wait is not available */
	uint64_t begin_ns, end_ns; /* 0: not yet */
	bool waits_known;
	struct command_waits waits;
};

struct command_time *command_time_new(struct profile *profile)
{
	struct command_time *time = xcalloc(1, sizeof(*time));

	time->profile = profile;
	if (command_wait_new(&time->wait, &time->missing) < 0)
		time->switches = command_switches_new();
	return time;
}

void command_time_free(struct command_time *time)
{
	if (!time)
		return;
	command_wait_free(time->wait);
	command_switches_free(time->switches);
	free(time);
}

enum sampler_waits command_time_source(const struct command_time *time, enum sampler_waits waits)
{
	return time && time->switches && waits == SAMPLER_WAITS_NONE ? SAMPLER_WAITS_OWN : waits;
}

/* ---- begin and end ---- */

static void add_threads(struct command_switches *switches, pid_t pid)
{
	_cleanup_(buf_done) struct buf tids = { 0 };
	const int32_t *each;

	if (proc_scan_tids(pid, &tids) < 0)
		return;
	each = (const int32_t *)tids.bytes;
	for (size_t i = 0; i < tids.size / sizeof(*each); i++)
		command_switches_add(switches, each[i], thread_facts_runs(each[i]));
}

static void tell_missing(const struct command_time *time)
{
	_cleanup_free_ char *sentence =
		xasprintf("what the command waited for (%s)", time->missing.text);

	profile_not_visible(time->profile, sentence);
}

static void give_up(struct command_time *time)
{
	command_wait_free(time->wait);
	time->wait = NULL;
}

static void add_tasks(struct command_switches *switches, const struct who_tasks *tasks)
{
	for (size_t i = 0; i < tasks->process_count; i++)
		add_threads(switches, tasks->processes[i]);
	for (size_t i = 0; i < tasks->thread_count; i++)
		command_switches_add(switches, tasks->threads[i],
				     thread_facts_runs(tasks->threads[i]));
}

static void choose(struct command_time *time, const struct who_tasks *tasks)
{
	if (time->wait && command_wait_choose(time->wait, tasks, &time->missing) < 0)
		give_up(time);
	if (!time->wait)
		tell_missing(time);
	if (time->switches)
		add_tasks(time->switches, tasks);
}

void command_time_begin(struct command_time *time, const struct who_tasks *tasks)
{
	if (!time)
		return;
	time->begin_ns = clock_ns();
	if (!tasks->process_count && !tasks->thread_count) {
		give_up(time);
		command_switches_free(time->switches);
		time->switches = NULL;
		return;
	}
	choose(time, tasks);
	time->begin_ns = time->wait ? command_wait_open(time->wait) : clock_ns();
	if (time->switches)
		command_switches_open(time->switches, time->begin_ns);
}

void command_time_await(struct command_time *time, const struct who_tasks *tasks)
{
	if (!time)
		return;
	choose(time, tasks);
	time->begin_ns = clock_ns();
	if (time->wait)
		command_wait_open_at_exec(time->wait);
	if (time->switches)
		command_switches_open_at_exec(time->switches);
}

void command_time_take(struct command_time *time, const struct perf_record *record)
{
	if (time && time->switches)
		command_switches_take(time->switches, record);
}

bool command_time_gives_up(struct command_time *time)
{
	if (!time || !time->switches || !command_switches_too_many(time->switches, clock_ns()))
		return false;
	profile_not_visible(time->profile, "how long the command waited (its threads switch too "
					   "often for records of that); run with sudo");
	command_switches_free(time->switches);
	time->switches = NULL;
	return true;
}

void command_time_end(struct command_time *time)
{
	if (!time || !time->begin_ns || time->end_ns)
		return;
	time->end_ns = clock_ns();
	if (time->wait)
		time->waits_known = command_wait_end(time->wait, time->end_ns, &time->waits) == 0;
	if (time->waits.begin_ns)
		time->begin_ns = time->waits.begin_ns;
	give_up(time);
	if (time->switches)
		command_switches_close(time->switches, time->end_ns);
}

/* ---- facts ---- */

enum { TOTAL_KNOWN = 1, REASONS_KNOWN = 2 }; /* waited_known */

static void write_waits(struct run_facts *run, const struct command_waits *waits)
{
#define WRITE(id, name) run->waited_##name##_ns = waits->idle_ns[COMMAND_WAIT_##id];
	COMMAND_WAIT_REASONS(WRITE)
#undef WRITE
	run->lock_wait_ns = waits->lock_ns;
	run->waits_not_asked = waits->not_asked;
	run->waited_known = REASONS_KNOWN;
}

static void write_total(struct command_time *time, uint64_t lost)
{
	struct run_facts *run = &time->profile->run;
	uint64_t begin_ns = command_switches_opened(time->switches);

	if (begin_ns)
		run->command_begin_ns = begin_ns;
	if (lost) {
		profile_not_visible(time->profile, "how long the command waited (records of its "
						   "switches were lost)");
		return;
	}
	run->waited_unknown_ns = command_switches_idle(time->switches);
	run->waited_known = TOTAL_KNOWN;
}

void command_time_settle(struct command_time *time, const struct rusage *usage, uint64_t lost,
			 bool more)
{
	struct run_facts *run;

	if (!time)
		return;
	run = &time->profile->run;
	run->command_begin_ns = time->begin_ns;
	run->command_end_ns = time->end_ns;
	if (usage) {
		run->command_user_ns = record_facts_ns(&usage->ru_utime);
		run->command_system_ns = record_facts_ns(&usage->ru_stime);
	}
	if (more)
		profile_not_visible(time->profile,
				    "how long the chosen processes waited (some of them started "
				    "later on their own, and only those that ran at the start and "
				    "what these started were followed)");
	else if (time->waits_known)
		write_waits(run, &time->waits);
	else if (time->switches)
		write_total(time, lost);
}
