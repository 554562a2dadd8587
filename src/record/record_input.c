/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/record_input.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attribute/chosen.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "model/who.h"
#include "names/lines/line_service.h"
#include "perf/cpu_list.h"
#include "proc/proc_scan.h"
#include "proc/who_find.h"
#include "record/record.h"
#include "store/record_output.h"

enum {
	LOOKS = 5, /* at the threads of a process that keeps creating new ones */
	RESCAN_MS = 1000,
};

/* ---- opening the sampler ---- */

/* Parses -e. The clock is always there and is not one of these events. */
static int parse_events(const struct record_options *options, struct event_spec *events,
			size_t *ret_count, struct err *err)
{
	int rc = event_names_parse_list(options->events, options->event_count, events,
					SAMPLER_MAX_EVENTS, ret_count, err);

	return rc < 0 ? err_prefix(err, rc, "-e") : 0;
}

/* Parses --stacks. */
static int parse_stacks(const struct record_options *options, enum stack_rung *ret_rung,
			struct err *err)
{
	static const struct {
		const char *word;
		enum stack_rung rung;
	} words[] = {
		{ "full", STACK_RUNG_INTERRUPT },
		{ "fp", STACK_RUNG_FRAME_POINTERS },
		{ "none", STACK_RUNG_NONE },
	};

	*ret_rung = STACK_RUNG_NONE;
	for (size_t i = 0; options->stacks && i < sizeof(words) / sizeof(words[0]); i++) {
		*ret_rung = words[i].rung;
		if (strcmp(options->stacks, words[i].word) == 0)
			return 0;
	}
	if (!options->stacks)
		return 0;
	return err_set(err, -EINVAL, "invalid --stacks '%s': expected full, fp or none",
		       options->stacks);
}

/* Other failures than a wrong name are those of the recording. */
static int check_names(const struct record_options *options, struct err *err)
{
	struct foreign *foreign;
	struct pids pids = { 0 };
	int rc;

	if (!options->who)
		return 0;
	foreign = foreign_new((struct pause){ 0 });
	rc = who_find(options->who, foreign, &pids, err);
	foreign_free(foreign);
	vec_free(&pids);
	return rc == -EINVAL ? rc : 0;
}

/* A thread that waits is on no CPU. */
static int check_cpus(const struct record_options *options, struct err *err)
{
	_cleanup_free_ int *cpus = NULL;
	size_t count;

	if (!options->cpus)
		return 0;
	if (options->off_cpu)
		return err_set(
			err, -EINVAL,
			"--off-cpu cannot be used with -C: a thread that waits is on no CPU");
	return cpu_list_choose("-C", options->cpus, &cpus, &count, err);
}

int record_check(const struct record_options *options, struct err *err)
{
	const struct line_options names = { .debug_folders = options->debug_folders,
					    .debug_folder_count = options->debug_folder_count };
	struct event_spec events[SAMPLER_MAX_EVENTS];
	enum stack_rung stacks;
	size_t count;

	if (record_output_check(options->output, err) < 0 ||
	    parse_stacks(options, &stacks, err) < 0 || line_service_check(&names, err) < 0 ||
	    check_cpus(options, err) < 0)
		return -EINVAL;
	return parse_events(options, events, &count, err) < 0 ? -EINVAL : check_names(options, err);
}

/* Thread ids, as pid_t. */
struct thread_lists {
	struct buf sampled; /* all threads of the chosen processes, and chosen ones of others */
	struct buf others;  /* the rest of those others: what they map, the chosen ones may run */
};

static void done_lists(struct thread_lists *lists)
{
	buf_done(&lists->sampled);
	buf_done(&lists->others);
}

static bool has_id(const pid_t *ids, size_t count, pid_t id)
{
	for (size_t i = 0; i < count; i++) {
		if (ids[i] == id)
			return true;
	}
	return false;
}

/* Adds the threads of a process that has only some chosen. */
static void list_others(pid_t pid, const struct who_tasks *chosen, struct buf *others)
{
	struct buf tids = { 0 };
	const pid_t *each;

	if (proc_scan_tids(pid, &tids) == 0) {
		each = (const pid_t *)tids.bytes;
		for (size_t i = 0; i < tids.size / sizeof(*each); i++) {
			if (!has_id(chosen->threads, chosen->thread_count, each[i]))
				buf_add(others, &each[i], sizeof(each[i]));
		}
	}
	buf_done(&tids);
}

/* A process that has ended meanwhile is no error if others remain. */
static int list_threads(const struct who_tasks *chosen, const struct pids *pids,
			struct thread_lists *lists, struct err *err)
{
	int rc = 0;

	*lists = (struct thread_lists){ 0 };
	for (size_t i = 0; i < chosen->process_count; i++) {
		rc = proc_scan_tids(chosen->processes[i], &lists->sampled);
		if (rc < 0)
			err_set(err, rc, "process %d: %s", (int)chosen->processes[i],
				rc == -ESRCH ? "no such process" : strerror(-rc));
	}
	buf_add(&lists->sampled, chosen->threads, chosen->thread_count * sizeof(pid_t));
	for (size_t i = 0; i < pids->count && chosen->thread_count; i++) {
		if (!has_id(chosen->processes, chosen->process_count, pids->items[i]))
			list_others(pids->items[i], chosen, &lists->others);
	}
	return lists->sampled.size ? 0 : rc;
}

static bool same_ids(const struct buf *a, const struct buf *b)
{
	return a->size == b->size && (!a->size || memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* Explains the most likely cause of a refusal in a sentence of its own. */
static void explain_foreign_process(const struct pids *pids, int rc, struct err *err)
{
	for (size_t i = 0; rc == -EACCES && i < pids->count; i++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d", (int)pids->items[i]);
		if (geteuid() != 0 && stat(path, &st) == 0 && st.st_uid != geteuid())
			err_set(err, rc, "process %d belongs to another user; run with sudo",
				(int)pids->items[i]);
	}
}

static void use_lists(const struct thread_lists *lists, struct sampler_options *wanted)
{
	wanted->tids = (const pid_t *)lists->sampled.bytes;
	wanted->tid_count = lists->sampled.size / sizeof(pid_t);
	wanted->other_tids = (const pid_t *)lists->others.bytes;
	wanted->other_count = lists->others.size / sizeof(pid_t);
}

/* Threads born between listing and opening would never be sampled, so this lists again until the
 * list does not change. Threads they create later inherit the events. */
static int open_listed(const struct who_tasks *chosen, const struct pids *pids,
		       struct sampler_options *wanted, struct sampler **ret_sampler,
		       struct err *err)
{
	struct thread_lists lists, again;
	int rc = list_threads(chosen, pids, &lists, err);
	bool settled = false;

	for (int look = 0; rc == 0; look++) {
		use_lists(&lists, wanted);
		rc = sampler_open(wanted, ret_sampler, err);
		explain_foreign_process(pids, rc, err);
		if (rc < 0 || !pids->count || sampler_rung(*ret_sampler) == RUNG_MACHINE ||
		    look == LOOKS)
			break;
		settled = list_threads(chosen, pids, &again, NULL) < 0 ||
			  (same_ids(&again.sampled, &lists.sampled) &&
			   same_ids(&again.others, &lists.others));
		done_lists(settled ? &again : &lists);
		if (settled)
			break;
		lists = again;
		sampler_free(*ret_sampler);
	}
	done_lists(&lists);
	return rc;
}

int record_input_open(const struct record_options *options, const struct who_tasks *chosen,
		      const struct pids *pids, enum sampler_waits waits,
		      struct sampler **ret_sampler, struct err *err)
{
	struct event_spec events[SAMPLER_MAX_EVENTS];
	_cleanup_free_ int *cpus = NULL;
	struct sampler_options wanted = {
		.rate_hz = options->rate_hz,
		.whole_machine = !options->who || who_follows(options->who),
		.machine_only = options->machine_only || (!options->argv && !pids->count),
		.others = options->who ? "chosen processes that start later" : NULL,
		.ring_bytes = (size_t)options->ring_kb * 1024,
		.seed = clock_ns() ^ (uint64_t)getpid() << 32,
		.events = events,
		.events_optional = options->event_count == 0,
		.waits = waits,
		.max_depth = (uint32_t)options->max_depth,
		.build_ids = options->build_ids && !options->no_build_ids,
		.verify_stacks = options->observer != NULL,
	};
	int rc = parse_events(options, events, &wanted.event_count, err);

	if (rc == 0)
		rc = parse_stacks(options, &wanted.stacks, err);
	if (rc == 0 && options->cpus)
		rc = cpu_list_choose("-C", options->cpus, &cpus, &wanted.cpu_count, err);
	wanted.cpus = cpus;
	if (rc < 0)
		return rc;
	if (wanted.events_optional) {
		event_names_parse("cycles", &events[0], NULL);
		wanted.event_count = 1;
	}
	rc = open_listed(chosen, pids, &wanted, ret_sampler, err);
	if (rc == 0 && wanted.verify_stacks &&
	    sampler_stack_rung(*ret_sampler) != STACK_RUNG_INTERRUPT)
		rc = err_set(err, -ENOTSUP, "stacks cannot be walked in the interrupt here: %s",
			     sampler_stacks_missing(*ret_sampler));
	return rc;
}

/* ---- the sampler as a source of records ---- */

static int declare(struct profile *profile, const struct event *event)
{
	profile->events[profile->event_count] = *event;
	return (int)profile->event_count++;
}

static enum clock_kind clock_of(const struct event_spec *spec)
{
	if (spec->hardware)
		return sampler_pmu_clock();
	return spec->counts_ns ? CLOCK_TIMER : CLOCK_SOFTWARE;
}

static double rate_of(const struct sampler *sampler, const struct event_spec *spec)
{
	if (spec->period)
		return 0;
	return spec->rate_hz > 0 ? spec->rate_hz : sampler_rate(sampler);
}

static int declare_named(const struct sampler *sampler, const struct event_spec *spec,
			 struct profile *profile)
{
	struct strpool *strings = &profile->strings;
	struct event event = {
		.name = strpool_intern(strings, spec->name),
		.unit = strpool_intern(strings, spec->counts_ns ? "ns" : "count"),
		.clock = clock_of(spec),
		.rate_hz = rate_of(sampler, spec),
		.period = spec->period,
	};

	return declare(profile, &event);
}

static void declare_events(struct record_input *input)
{
	struct profile *profile = input->profile;
	struct strpool *strings = &profile->strings;
	struct event clock = { .name = strpool_intern(strings, "cpu-clock"),
			       .unit = strpool_intern(strings, "ns"),
			       .clock = CLOCK_TIMER,
			       .rate_hz = sampler_rate(input->sampler) };

	input->clock_event = declare(profile, &clock);
	for (size_t i = 0; i < sampler_event_count(input->sampler); i++) {
		const struct event_spec *spec = sampler_event(input->sampler, i);

		input->named_events[i] =
			spec ? declare_named(input->sampler, spec, profile) : RECORD_NO_EVENT;
		input->is_time[i] = spec && spec->counts_ns;
	}
}

static struct record_origin origin(void *context, const struct perf_record *record)
{
	const struct record_input *input = context;
	struct sampler_source source = sampler_source(input->sampler, record->id);
	struct record_origin origin = { .event = RECORD_NO_EVENT };

	switch (source.stream) {
	case STREAM_CLOCK:
	case STREAM_IDLE:
		origin.event = input->clock_event;
		origin.is_time = true;
		origin.idle = source.stream == STREAM_IDLE;
		break;
	case STREAM_EVENT:
		origin.event = input->named_events[source.event];
		origin.is_time = input->is_time[source.event];
		break;
	case STREAM_WAITS:
		origin.waits = true;
		break;
	default:
		break;
	}
	if (origin.event != RECORD_NO_EVENT && record->type == PERF_RECORD_SAMPLE)
		origin.weight = sampler_weight(input->sampler, record);
	return origin;
}

struct record_source record_input_source(struct record_input *input)
{
	declare_events(input);
	return (struct record_source){ .origin = origin, .context = input };
}

/* ---- /proc ---- */

static struct machine_process told_by_proc(const struct proc_info *info)
{
	return (struct machine_process){
		.pid = info->pid,
		.parent_pid = info->parent_pid,
		.start_ns = info->start_ns,
		.uid = info->uid,
		.comm = info->comm,
		.executable = info->executable[0] ? info->executable : NULL,
		.script = info->script[0] ? info->script : NULL,
		.link = info->link[0] ? info->link : NULL,
		.cgroup = info->cgroup[0] ? info->cgroup : NULL,
		.kernel_thread = info->kernel_thread,
	};
}

static void scan_process(void *context, const struct proc_info *info)
{
	struct record_input *input = context;
	struct machine_process process = told_by_proc(info);
	char container[WHO_FIND_CONTAINER];
	struct who_facts facts;

	if (input->filled)
		machine_refresh_process(input->machine, clock_ns(), &process);
	else
		machine_add_process(input->machine, &process);
	if (input->options->who && who_find_facts(info, container, &facts) &&
	    who_matches(input->options->who, &facts))
		machine_set_command(input->machine, info->pid);
}

static void scan_thread(void *context, int32_t pid, int32_t tid, const char *comm)
{
	machine_add_thread(((struct record_input *)context)->machine, pid, tid, comm);
}

static void scan_map(void *context, int32_t pid, const struct proc_map *map)
{
	attribution_map(((struct record_input *)context)->attribution, pid, map);
}

static void scan_late(void *context, int32_t pid)
{
	(void)pid;
	((struct record_input *)context)->late++;
}

static struct proc_visitor scanner(struct record_input *input)
{
	return (struct proc_visitor){ .process = scan_process,
				      .thread = scan_thread,
				      .map = scan_map,
				      .late = scan_late,
				      .context = input,
				      .foreign = input->foreign };
}

static int scan_processes(struct record_input *input, struct err *err)
{
	const struct proc_visitor visitor = scanner(input);
	int rc = 0;

	if (sampler_rung(input->sampler) == RUNG_MACHINE)
		return proc_scan_all(&visitor, err);
	if (input->command > 0)
		rc = proc_scan_one(input->command, &visitor, err);
	for (size_t i = 0; rc == 0 && i < input->pids->count; i++)
		rc = proc_scan_one(input->pids->items[i], &visitor, err);
	return rc;
}

bool record_input_selects(const struct record_input *input)
{
	return input->options->who && sampler_rung(input->sampler) == RUNG_MACHINE;
}

static bool all_gone(const pid_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (kill(ids[i], 0) == 0 || errno != ESRCH)
			return false;
	}
	return true;
}

bool record_input_gone(const struct record_input *input)
{
	const struct who_tasks *chosen = &input->chosen;

	return input->pids->count > 0 && !record_input_selects(input) &&
	       all_gone(chosen->processes, chosen->process_count) &&
	       all_gone(chosen->threads, chosen->thread_count);
}

int record_input_fill(struct record_input *input, struct err *err)
{
	int rc = scan_processes(input, err);

	input->filled = rc == 0;
	input->looked_up = input->profile->processes.count;
	return rc;
}

/* Lost records may have been about processes and mappings, so /proc is read again. Not often: on a
 * machine that loses records, reading all of it causes more losses. */
void record_input_rescan(struct record_input *input, uint64_t now_ns)
{
	uint64_t ring_lost = attribution_counts(input->attribution).ring_lost;
	struct sampler_losses losses;
	uint64_t lost;

	if (ring_lost == input->ring_lost_seen || now_ns < input->next_rescan_ns)
		return;
	input->ring_lost_seen = ring_lost;
	losses = sampler_losses(input->sampler);
	lost = losses.known ? losses.streams[STREAM_TRACK] + losses.streams[STREAM_TRACK_ID]
			    : ring_lost;
	if (lost == input->tracking_lost_seen)
		return;
	input->tracking_lost_seen = lost;
	input->next_rescan_ns = now_ns + RESCAN_MS * NS_PER_MS;
	scan_processes(input, NULL);
}

static void take_owner(void *context, const struct proc_info *info)
{
	struct machine *machine = context;

	machine_set_uid(machine, info->pid, info->uid);
	if (info->cgroup[0])
		machine_set_cgroup(machine, info->pid, info->cgroup);
}

void record_input_read_owner(struct machine *machine, struct foreign *foreign,
			     const struct process *process)
{
	const struct proc_visitor visitor = { .process = take_owner,
					      .context = machine,
					      .foreign = foreign };

	if (process->end_ns == 0 && process->pid > 0)
		(void)proc_scan_one(process->pid, &visitor, NULL);
}

void record_input_refresh(struct record_input *input)
{
	const struct profile *profile = input->profile;

	for (; input->looked_up < profile->processes.count; input->looked_up++) {
		record_input_read_owner(input->machine, input->foreign,
					&profile->processes.items[input->looked_up]);
		if (record_input_selects(input))
			chosen_process(input->options->who, input->profile,
				       (uint32_t)input->looked_up);
	}
}

bool record_input_chose_later(const struct record_input *input)
{
	const struct pids *pids = input->pids;
	const struct process *rows = input->profile->processes.items;
	const struct vec_holes *holes = &input->profile->process_holes;

	for (size_t i = vec_after_hole(holes, 0); i < input->profile->processes.count;
	     i = vec_after_hole(holes, i + 1)) {
		if (rows[i].in_command && !rows[rows[i].parent].in_command &&
		    !has_id(pids->items, pids->count, rows[i].pid))
			return record_input_selects(input);
	}
	return false;
}
