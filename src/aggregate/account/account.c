/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/account/account.h"

#include <string.h>

/* True for losses that take samples away. Others keep the samples but lose information about
 * them. */
static const bool takes_samples[LOSS_COUNT] = {
	[LOSS_RING_FULL] = true,     [LOSS_THROTTLED] = true,  [LOSS_MISSED_TICKS] = true,
	[LOSS_MALFORMED] = true,     [LOSS_NOT_STORED] = true, [LOSS_TRACKING] = false,
	[LOSS_UNKNOWN_TASK] = false, [LOSS_LATE] = false,      [LOSS_TABLE_FULL] = true,
	[LOSS_NOT_READ] = false,     [LOSS_DAMAGED] = true,
};

bool account_is_time(const struct profile *profile, uint8_t event)
{
	return strcmp(profile_text(profile, profile->events[event].unit), "ns") == 0;
}

bool account_is_of_threads(const struct profile *profile, uint8_t event)
{
	enum clock_kind clock = profile->events[event].clock;

	return clock == CLOCK_SCHEDULER || clock == CLOCK_EXACT;
}

uint8_t account_one_event(const struct profile *profile, const bool *wanted)
{
	uint8_t first = 0;

	for (size_t event = profile->event_count; event-- > 0;) {
		if (wanted[event])
			first = (uint8_t)event;
	}
	for (uint8_t event = 0; event < profile->event_count; event++) {
		if (wanted[event] && account_is_time(profile, event))
			return event;
	}
	return first;
}

uint8_t account_main_event(const struct profile *profile)
{
	bool wanted[PROFILE_MAX_EVENTS] = { false };

	for (uint8_t i = 0; i < profile->event_count; i++)
		wanted[i] = profile->events[i].samples && !account_is_of_threads(profile, i);
	return account_one_event(profile, wanted);
}

uint64_t account_wall_ns(const struct profile *profile)
{
	const struct run_facts *run = &profile->run;
	uint64_t least = account_is_import(profile) ? 2 : 1;

	return run->end_ns >= run->start_ns + least ? run->end_ns - run->start_ns : 0;
}

uint64_t account_real_ns(const struct profile *profile, uint64_t time_ns)
{
	const struct run_facts *run = &profile->run;

	return run->start_realtime_ns ? run->start_realtime_ns + (time_ns - run->start_ns) : 0;
}

uint64_t account_capacity_ns(const struct profile *profile)
{
	if (profile->run.capacity_ns)
		return profile->run.capacity_ns;
	return profile->run.cpus * account_wall_ns(profile);
}

bool account_takes_samples(enum loss_reason reason)
{
	return takes_samples[reason];
}

struct account_cost account_cost(const struct profile *profile)
{
	const struct run_facts *run = &profile->run;
	double capacity_ns = (double)account_capacity_ns(profile);
	struct account_cost cost = { .apart = run->recording_cpu_ns > 0,
				     .recording_ns = run->self_cpu_ns };
	uint64_t all_ns;

	if (cost.apart)
		cost.recording_ns = run->recording_cpu_ns;
	if (run->self_cpu_ns > cost.recording_ns)
		cost.once_ns = run->self_cpu_ns - cost.recording_ns;
	all_ns = cost.recording_ns + run->bpf_ns + (run->interrupt_known ? run->interrupt_ns : 0);
	cost.percent = capacity_ns > 0 ? 100.0 * (double)all_ns / capacity_ns : 0;
	return cost;
}

uint64_t account_lost_samples(const struct event *event)
{
	uint64_t lost = 0;

	for (int i = 0; i < LOSS_COUNT; i++) {
		if (takes_samples[i])
			lost += event->loss[i].count;
	}
	return lost;
}

bool account_is_import(const struct profile *profile)
{
	return profile->run.scope && strcmp(profile->run.scope, "perf") == 0;
}

static const char *why_none_of_part(const struct profile *profile, uint8_t event)
{
	const struct run_facts *run = &profile->run;

	if (account_is_import(profile))
		return "idle time was not recorded";
	if (!run->scope || strcmp(run->scope, "machine") != 0)
		return "only profiles of the whole machine have one";
	if (!profile->event_count || !account_is_time(profile, event))
		return "no event counts time";
	return NULL;
}

static const char *why_none(const struct profile *profile, uint8_t event)
{
	const struct run_facts *run = &profile->run;
	const char *why = why_none_of_part(profile, event);

	if (why)
		return why;
	if (!run->end_ns)
		return "the recording did not finish";
	return account_wall_ns(profile) && run->cpus ? NULL : "the run has no duration";
}

static void add_losses(struct account *account, const struct event *event)
{
	for (int i = 0; i < LOSS_COUNT; i++) {
		if (!takes_samples[i])
			continue;
		account->lost_by_reason_ns[i] = event->loss[i].weight;
		account->lost_ns += event->loss[i].weight;
	}
}

static void settle(struct account *account)
{
	account->residue_ns =
		(int64_t)(account->capacity_ns - account->sampled_ns - account->idle_ns -
			  account->iowait_ns - account->steal_ns - account->lost_ns);
	account->residue_percent =
		100.0 * (double)account->residue_ns / (double)account->capacity_ns;
}

struct account account_of_part(const struct profile *profile, uint64_t from_ns, uint64_t to_ns,
			       uint64_t sampled_ns)
{
	const struct run_facts *run = &profile->run;
	uint8_t event = account_main_event(profile);
	struct account account = { .sampled_ns = sampled_ns };
	uint64_t whole_ns = to_ns > from_ns ? run->cpus * (to_ns - from_ns) : 0;
	struct cpu_time sum;

	account.missing = why_none_of_part(profile, event);
	if (account.missing)
		return account;
	sum = profile_cpu_time(profile, from_ns, to_ns);
	account.capacity_ns = sum.capacity_ns;
	account.idle_ns = sum.idle_ns;
	account.iowait_ns = sum.iowait_ns;
	account.steal_ns = sum.steal_ns;
	account.lost_ns = sum.lost_ns;
	if (!account.capacity_ns)
		account.missing = "nothing was recorded in that time";
	if (account.missing)
		return account;
	if (whole_ns > account.capacity_ns)
		account.not_recorded_ns = whole_ns - account.capacity_ns;
	settle(&account);
	return account;
}

struct account account_of(const struct profile *profile)
{
	const struct run_facts *run = &profile->run;
	uint8_t event = account_main_event(profile);
	struct account account = { .missing = why_none(profile, event) };

	if (!run->end_ns && profile->cpu_times.count)
		return account_of_part(profile, run->start_ns,
				       profile->cpu_times.items[profile->cpu_times.count - 1].to_ns,
				       profile->events[event].weight);
	if (account.missing)
		return account;
	account.not_recorded_ns = run->gap_ns;
	account.capacity_ns = account_capacity_ns(profile);
	account.sampled_ns = profile->events[event].weight;
	account.idle_ns = run->idle_ns;
	account.iowait_ns = run->iowait_ns;
	account.steal_ns = run->steal_ns;
	add_losses(&account, &profile->events[event]);
	settle(&account);
	account.shortfall_ns = run->stat_shortfall_ns;
	account.shortfall_percent =
		100.0 * (double)account.shortfall_ns / (double)account.capacity_ns;
	return account;
}

struct naming naming_of(const struct profile *profile, const struct total *totals, size_t count,
			uint8_t event)
{
	struct naming naming = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct total *total = &totals[i];
		const struct stack_node *node = &profile->stacks.items[total->stack];
		const struct frame *frame = &profile->frames.items[node->frame];
		enum symbol_kind kind = profile->symbols.items[frame->symbol].kind;

		if (total->event != event)
			continue;
		naming.whole += total->weight;
		naming.unresolved += kind == SYMBOL_NONE ? total->weight : 0;
		naming.bracketed += kind == SYMBOL_BRACKET ? total->weight : 0;
	}
	return naming;
}
