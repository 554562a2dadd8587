/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/open_limit.h"
#include "base/xalloc.h"
#include "perf/cpu_list.h"
#include "perf/event_names.h"
#include "perf/event_sources.h"
#include "perf/perf_limits.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum {
	CPUMASK_BYTES = 4096,
	SW_CGROUP_SWITCHES = 11,
	OTHER_FILES = 64, /* that counting opens besides its events */
};

/* What read(2) returns with the read_format below. */
struct reading {
	uint64_t value, enabled_ns, running_ns;
};

struct target {
	pid_t tid;
	int cpu;
	int fds[COUNTS_MAX_EVENTS];
};

struct counters {
	struct event_spec specs[COUNTS_MAX_EVENTS];
	struct count_event events[COUNTS_MAX_EVENTS];
	size_t event_count;
	struct target *targets;
	size_t target_count;
	bool inherit, on_exec, may_restrict;
};

/* ---- what an event is called ---- */

/* True for events that happen only in the kernel: in user mode there are none. */
static bool is_kernels(const struct event_spec *spec)
{
	static const uint64_t software[] = { PERF_COUNT_SW_CONTEXT_SWITCHES,
					     PERF_COUNT_SW_CPU_MIGRATIONS, SW_CGROUP_SWITCHES };

	if (spec->type == PERF_TYPE_TRACEPOINT)
		return true;
	for (size_t i = 0; spec->type == PERF_TYPE_SOFTWARE && i < COUNT_OF(software); i++) {
		if (software[i] == spec->config)
			return true;
	}
	return false;
}

/* The name without modifiers: from the tables, else as typed. */
static void name_plainly(const struct event_spec *spec, char *ret_name, size_t size)
{
	event_names_of(spec->type, spec->config, ret_name, size);
	if (strchr(ret_name, ':') || spec->type == PERF_TYPE_RAW)
		snprintf(ret_name, size, "%s", spec->name);
}

static void describe(const struct event_spec *spec, unsigned group, struct count_event *event)
{
	*event = (struct count_event){ .counts_ns = spec->counts_ns,
				       .hardware = spec->hardware,
				       .user = !spec->exclude_user,
				       .kernel = !spec->exclude_kernel,
				       .scale = spec->scale,
				       .group = group };
	snprintf(event->name, sizeof(event->name), "%s", spec->name);
	snprintf(event->unit, sizeof(event->unit), "%s", spec->unit);
	name_plainly(spec, event->plain, sizeof(event->plain));
}

static void set_state(struct count_event *event, enum count_state state, const char *why)
{
	event->state = state;
	snprintf(event->why, sizeof(event->why), "%s", why);
}

/* ---- opening ---- */

static struct perf_event_attr attr_of(const struct counters *counters,
				      const struct event_spec *spec, bool leads)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = spec->type,
		.config = spec->config,
		.config1 = spec->config1,
		.config2 = spec->config2,
		.exclude_user = spec->exclude_user,
		.exclude_kernel = spec->exclude_kernel,
		.exclude_hv = spec->exclude_kernel,
		.inherit = counters->inherit,
		.disabled = leads,
		.enable_on_exec = leads && counters->on_exec,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static int open_one(const struct counters *counters, const struct target *target, size_t event,
		    int leader)
{
	struct perf_event_attr attr = attr_of(counters, &counters->specs[event], leader < 0);
	int fd = (int)syscall(SYS_perf_event_open, &attr, target->tid, target->cpu, leader,
			      PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* The first open event of the same group; -1: none, or no group. */
static int leader_of(const struct counters *counters, const struct target *target, size_t event)
{
	unsigned group = counters->events[event].group;

	for (size_t i = 0; group && i < event; i++) {
		if (counters->events[i].group == group && target->fds[i] >= 0)
			return target->fds[i];
	}
	return -1;
}

static bool is_permission(int rc)
{
	return rc == -EACCES || rc == -EPERM;
}

/* The event counts only user mode from now on. */
static void restrict_event(struct counters *counters, size_t event)
{
	struct count_event *described = &counters->events[event];
	char name[COUNTS_NAME];

	snprintf(name, sizeof(name), "%.*s%s", (int)sizeof(name) - 3, described->name,
		 described->user && described->kernel ? ":u" : "");
	memcpy(described->name, name, sizeof(name));
	described->kernel = false;
	counters->specs[event].exclude_kernel = true;
	snprintf(
		described->why, sizeof(described->why),
		"user mode only (kernel.perf_event_paranoid is %lld); run with sudo, or once: sudo "
		"sysctl -w kernel.perf_event_paranoid=1",
		(long long)perf_limits_paranoid());
}

static bool may_restrict(const struct counters *counters, size_t event)
{
	const struct event_spec *spec = &counters->specs[event];

	return counters->may_restrict && !spec->exclude_kernel && !spec->exclude_user &&
	       !is_kernels(spec);
}

static void explain_permission(struct count_event *event, const struct event_spec *spec,
			       bool machine)
{
	struct err err = { "" };

	if (is_kernels(spec) && !machine && perf_limits_paranoid() >= 2 && perf_limits_own())
		err_set(&err, -EACCES,
			"it happens in the kernel, which only root may observe here "
			"(kernel.perf_event_paranoid is %lld); run with sudo, or once: sudo sysctl "
			"-w kernel.perf_event_paranoid=1",
			(long long)perf_limits_paranoid());
	else
		perf_limits_explain(-EACCES, machine, &err);
	set_state(event, COUNT_NOT_PERMITTED, err.text);
}

static void explain(struct count_event *event, const struct event_spec *spec,
		    const struct target *target, bool grouped, int rc)
{
	char why[COUNTS_WHY];

	if (is_permission(rc)) {
		explain_permission(event, spec, target->tid == -1);
		return;
	}
	if (rc == -EINVAL && grouped)
		snprintf(why, sizeof(why),
			 "its group has more events than there are counters, or "
			 "events that exclude each other");
	else if (rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV || rc == -ENXIO)
		snprintf(why, sizeof(why), "this machine cannot count it%s",
			 spec->hardware ? " (no such counter; a virtual machine?)" : "");
	else
		snprintf(why, sizeof(why), "the kernel refused it: %s", strerror(-rc));
	set_state(event, COUNT_NOT_SUPPORTED, why);
}

/* Opens an event for one target. Returns only failures of the target, not of the event. */
static int open_event(struct counters *counters, struct target *target, size_t event)
{
	struct count_event *described = &counters->events[event];
	int leader = leader_of(counters, target, event);
	int fd = open_one(counters, target, event, leader);

	if (is_permission(fd) && may_restrict(counters, event)) {
		const struct count_event before = *described;

		restrict_event(counters, event);
		fd = open_one(counters, target, event, leader);
		if (fd < 0)
			*described = before;
	}
	if (fd == -EMFILE || fd == -ENFILE || fd == -ESRCH)
		return fd;
	if (fd < 0)
		explain(described, &counters->specs[event], target, leader >= 0, fd);
	target->fds[event] = fd < 0 ? -1 : fd;
	return 0;
}

static bool is_listed(const int *cpus, size_t count, int cpu)
{
	for (size_t i = 0; i < count; i++) {
		if (cpus[i] == cpu)
			return true;
	}
	return false;
}

/* An event that covers several CPUs is opened on one of them, as its PMU's cpumask says. */
static bool is_meant(const struct event_spec *spec, int cpu)
{
	char list[CPUMASK_BYTES];
	bool meant = true;
	size_t count;
	int *cpus;

	if (spec->whole_cpus &&
	    event_pmus_cpus(EVENT_PMUS_FOLDER, spec->type, list, sizeof(list)) &&
	    cpu_list_parse(list, &cpus, &count, NULL) == 0) {
		meant = is_listed(cpus, count, cpu);
		free(cpus);
	}
	return meant;
}

static int open_target(struct counters *counters, struct target *target)
{
	for (size_t i = 0; i < counters->event_count; i++) {
		int rc;

		if (counters->events[i].state != COUNT_GOOD ||
		    (target->tid == -1 && !is_meant(&counters->specs[i], target->cpu)))
			continue;
		rc = open_event(counters, target, i);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Refuses what is known to fail without asking the kernel. */
static void refuse_beforehand(struct counters *counters, bool tasks)
{
	for (size_t i = 0; i < counters->event_count; i++) {
		const struct event_spec *spec = &counters->specs[i];

		if (spec->whole_cpus && tasks)
			set_state(&counters->events[i], COUNT_NOT_SUPPORTED,
				  "it counts whole packages, not processes: use -a");
		else if (is_kernels(spec) && spec->exclude_kernel)
			set_state(&counters->events[i], COUNT_NOT_SUPPORTED,
				  "it happens only in the kernel, never in user mode");
	}
}

static void make_targets(struct counters *counters, const struct counters_options *options)
{
	size_t tids = options->tids ? options->tid_count : 1;
	size_t cpus = options->cpus ? options->cpu_count : 1;
	size_t at = 0;

	counters->target_count = tids * cpus;
	counters->targets = xcalloc(counters->target_count + 1, sizeof(*counters->targets));
	for (size_t i = 0; i < tids; i++) {
		for (size_t j = 0; j < cpus; j++) {
			struct target *target = &counters->targets[at++];

			target->tid = options->tids ? options->tids[i] : -1;
			target->cpu = options->cpus ? options->cpus[j] : -1;
			memset(target->fds, -1, sizeof(target->fds));
		}
	}
}

static int open_targets(struct counters *counters, struct err *err)
{
	size_t gone = 0;

	for (size_t i = 0; i < counters->target_count; i++) {
		int rc = open_target(counters, &counters->targets[i]);

		if (rc == -ESRCH)
			gone++;
		else if (rc == -EMFILE || rc == -ENFILE)
			return open_limit_explain(
				rc, OTHER_FILES + counters->target_count * counters->event_count,
				"counting so many threads and CPUs", err);
		else if (rc < 0)
			return perf_limits_explain(rc, false, err);
	}
	if (gone && gone == counters->target_count)
		return perf_limits_explain(-ESRCH, false, err);
	return 0;
}

int counters_open(const struct counters_options *options, struct counters **ret_counters,
		  struct err *err)
{
	struct counters *counters = xcalloc(1, sizeof(*counters));
	int rc;

	counters->inherit = options->inherit;
	counters->on_exec = options->on_exec;
	counters->may_restrict = options->may_restrict;
	counters->event_count = options->count;
	for (size_t i = 0; i < options->count; i++) {
		counters->specs[i] = options->specs[i];
		describe(&options->specs[i], options->groups ? options->groups[i] : 0,
			 &counters->events[i]);
	}
	refuse_beforehand(counters, options->tids);
	make_targets(counters, options);
	rc = open_targets(counters, err);
	if (rc < 0) {
		counters_free(counters);
		return rc;
	}
	*ret_counters = counters;
	return 0;
}

void counters_free(struct counters *counters)
{
	if (!counters)
		return;
	for (size_t i = 0; i < counters->target_count; i++) {
		for (size_t j = 0; j < counters->event_count; j++) {
			if (counters->targets[i].fds[j] >= 0)
				close(counters->targets[i].fds[j]);
		}
	}
	free(counters->targets);
	free(counters);
}

/* ---- counting ---- */

size_t counters_targets(const struct counters *counters)
{
	return counters->target_count;
}

pid_t counters_tid(const struct counters *counters, size_t target)
{
	return counters->targets[target].tid;
}

int counters_cpu(const struct counters *counters, size_t target)
{
	return counters->targets[target].cpu;
}

const struct count_event *counters_event(const struct counters *counters, size_t event)
{
	return &counters->events[event];
}

int counters_fd(const struct counters *counters, size_t target, size_t event)
{
	return counters->targets[target].fds[event];
}

/* Only leaders are switched: their groups follow. */
static void switch_all(struct counters *counters, unsigned long request)
{
	for (size_t i = 0; i < counters->target_count; i++) {
		const struct target *target = &counters->targets[i];

		for (size_t j = 0; j < counters->event_count; j++) {
			if (target->fds[j] >= 0 && leader_of(counters, target, j) < 0)
				ioctl(target->fds[j], request, 0);
		}
	}
}

void counters_enable(struct counters *counters)
{
	switch_all(counters, PERF_EVENT_IOC_ENABLE);
}

void counters_disable(struct counters *counters)
{
	switch_all(counters, PERF_EVENT_IOC_DISABLE);
}

struct count_value counters_read(const struct counters *counters, size_t target, size_t event)
{
	int fd = counters->targets[target].fds[event];
	struct reading reading;

	if (fd < 0 || read(fd, &reading, sizeof(reading)) != sizeof(reading))
		return (struct count_value){ 0 };
	return (struct count_value){ reading.value, reading.enabled_ns, reading.running_ns };
}
