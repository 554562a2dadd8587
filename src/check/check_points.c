/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "perf/event_sources.h"
#include "perf/perf_limits.h"
#include "place/kernel/kernel_symbols.h"
#include "proc/exec_watch.h"
#include "proc/module_watch.h"
#include "proc/proc_scan.h"
#include "sampling/sampler.h"

static void __attribute__((format(printf, 3, 4)))
say(struct check_point *point, enum check_state state, const char *format, ...)
{
	va_list args;

	point->state = state;
	va_start(args, format);
	vsnprintf(point->text, sizeof(point->text), format, args);
	va_end(args);
}

static void suggest(struct check_point *point, const char *text)
{
	snprintf(point->fix, sizeof(point->fix), "%s", text);
}

/* Opens the events of a recording of the whole machine or, failing that, of prospect itself. NULL:
 * not permitted. */
static struct sampler *try_sampler(const struct event_spec *event, struct err *err)
{
	pid_t self = getpid();
	struct sampler_options options = {
		.rate_hz = 100,
		.whole_machine = true,
		.tids = &self,
		.tid_count = 1,
		.events = event,
		.event_count = event != NULL,
	};
	struct sampler *sampler;

	return sampler_open(&options, &sampler, err) == 0 ? sampler : NULL;
}

static void look_at_permission(struct check_point *point)
{
	struct err err;
	struct sampler *sampler = try_sampler(NULL, &err);

	if (!sampler) {
		say(point, CHECK_MISSING, "nothing can be sampled: %.400s", err.text);
		suggest(point,
			"sudo prospect ..., or once: sudo sysctl -w kernel.perf_event_paranoid=2");
		return;
	}
	say(point, sampler_rung(sampler) == RUNG_MACHINE ? CHECK_OK : CHECK_LIMITED,
	    "%s (kernel.perf_event_paranoid is %lld)", rung_text(sampler_rung(sampler)),
	    (long long)perf_limits_paranoid());
	if (sampler_rung(sampler) == RUNG_OWN_USER)
		suggest(point, "sudo prospect ..., or once for the kernel's part: sudo sysctl -w "
			       "kernel.perf_event_paranoid=1");
	else if (point->state != CHECK_OK)
		suggest(point, "sudo prospect ..., or capabilities: prospect check --fix");
	sampler_free(sampler);
}

static void look_at_stacks(struct check_point *point)
{
	const pid_t self = getpid();
	const struct sampler_options options = { .rate_hz = 100,
						 .whole_machine = true,
						 .tids = &self,
						 .tid_count = 1,
						 .stacks = STACK_RUNG_INTERRUPT };
	struct sampler *sampler;
	struct err err;

	if (sampler_open(&options, &sampler, &err) < 0) {
		say(point, CHECK_MISSING, "nothing can be sampled");
		return;
	}
	say(point, sampler_stack_rung(sampler) == STACK_RUNG_INTERRUPT ? CHECK_OK : CHECK_LIMITED,
	    "%s", stack_rung_text(sampler_stack_rung(sampler)));
	suggest(point, sampler_stacks_missing(sampler));
	sampler_free(sampler);
}

static bool nmi_watchdog_on(void)
{
	int64_t value;

	return file_read_i64("/proc/sys/kernel/nmi_watchdog", &value) == 0 && value == 1;
}

static void look_at_clock(struct check_point *point)
{
	struct event_spec cycles;
	struct sampler *sampler;
	struct err err = { "" };

	event_names_parse("cycles", &cycles, NULL);
	sampler = try_sampler(&cycles, &err);
	if (sampler) {
		say(point, CHECK_OK,
		    "%s, in addition to the timer: code that runs with interrupts off is %s",
		    clock_kind_name(sampler_pmu_clock()),
		    sampler_pmu_clock() == CLOCK_PMU_NMI ? "sampled"
							 : "charged to the code that enables them");
		sampler_free(sampler);
		return;
	}
	say(point, CHECK_LIMITED,
	    "timer (cpu-clock): code that runs with interrupts off is charged to the code that "
	    "enables them; %.300s",
	    err.text);
	if (nmi_watchdog_on())
		suggest(point, "the NMI watchdog uses a counter; once: sudo sysctl -w "
			       "kernel.nmi_watchdog=0");
}

static void look_at_rate(struct check_point *point)
{
	int64_t limit = perf_limits_max_rate();

	if (limit <= 0 || limit >= 1000) {
		say(point, CHECK_OK, "up to %lld samples per second and CPU", (long long)limit);
		return;
	}
	say(point, CHECK_LIMITED, "only %lld samples per second and CPU", (long long)limit);
	suggest(point, "sudo sysctl -w kernel.perf_event_max_sample_rate=100000");
}

static void look_at_kernel_symbols(struct check_point *point)
{
	const struct kernel_symbols_options options = { 0 };
	struct profile *profile = profile_new();
	struct kernel_symbols *symbols = NULL;
	struct err err;

	if (kernel_symbols_new(profile, &options, &symbols, &err) < 0) {
		say(point, CHECK_MISSING, "%.400s", err.text);
	} else if (kernel_symbols_hidden(symbols)) {
		say(point, CHECK_LIMITED, "kernel addresses are hidden: kernel code has no names");
		suggest(point, "sudo prospect ..., or once: sudo sysctl -w kernel.kptr_restrict=0 "
			       "kernel.perf_event_paranoid=1");
	} else {
		say(point, CHECK_OK, "kernel functions have names");
	}
	kernel_symbols_free(symbols);
	profile_free(profile);
}

static void look_at_modules(struct check_point *point)
{
	struct module_watch *watch;

	if (module_watch_new(&watch) == 0) {
		module_watch_free(watch);
		say(point, CHECK_OK, "modules that are loaded or unloaded are noticed at once");
		return;
	}
	say(point, CHECK_LIMITED,
	    "no kernel uevents: modules that are loaded or unloaded are noticed only at the next "
	    "flush");
}

static void look_at_deleted_files(struct check_point *point)
{
	struct exec_watch *watch;
	struct err err = { "" };

	if (exec_watch_new(&watch, &err) == 0) {
		exec_watch_free(watch);
		say(point, CHECK_OK,
		    "programs that are deleted right after they start keep their names");
		return;
	}
	say(point, CHECK_LIMITED, "programs that are deleted while they start lose their names");
	if (geteuid() != 0)
		suggest(point, "sudo prospect ...");
}

static void look_at_other_users(struct check_point *point)
{
	if (proc_scan_sees_other_users()) {
		say(point, CHECK_OK, "the files of every process can be read");
		return;
	}
	say(point, CHECK_LIMITED,
	    "the programs of other users are seen only if they start while recording (no "
	    "CAP_SYS_PTRACE)");
	suggest(point, "sudo prospect ...");
}

static void look_at_tracepoints(struct check_point *point)
{
	struct err why;
	int rc = event_tracepoints_hidden(&why);

	if (rc == 0) {
		say(point, CHECK_OK, "tracepoints can be sampled by name");
		return;
	}
	say(point, CHECK_LIMITED, "tracepoints cannot be seen: %.200s", why.text);
	suggest(point, rc == -EACCES ? "sudo prospect ..."
				     : "sudo mount -t tracefs tracefs /sys/kernel/tracing");
}

/* The active mode is the word in brackets in /sys/kernel/security/lockdown. */
static void look_at_lockdown(struct check_point *point)
{
	struct buf text = { 0 };
	const char *open;

	if (file_read("/sys/kernel/security/lockdown", 4096, &text) < 0) {
		say(point, CHECK_OK, "no lockdown reported");
		buf_done(&text);
		return;
	}
	open = strchr(buf_text(&text), '[');
	if (!open || strncmp(open, "[none]", 6) == 0) {
		say(point, CHECK_OK, "none");
	} else {
		say(point, strncmp(open, "[confid", 7) == 0 ? CHECK_LIMITED : CHECK_OK, "%.*s",
		    (int)strcspn(open + 1, "]"), open + 1);
		if (point->state == CHECK_LIMITED)
			suggest(point, "kernel memory cannot be read; boot without "
				       "lockdown=confidentiality");
	}
	buf_done(&text);
}

static void look_at_seccomp(struct check_point *point)
{
	struct buf text = { 0 };
	const char *line = NULL;

	if (file_read("/proc/self/status", 65536, &text) == 0)
		line = strstr(buf_text(&text), "\nSeccomp:");
	if (line && strtol(line + 9, NULL, 10) == 2) {
		say(point, CHECK_LIMITED,
		    "a seccomp filter is active; it may refuse perf_event_open");
		suggest(point,
			"in a container: --security-opt seccomp=unconfined, or run on the host");
	} else {
		say(point, CHECK_OK, "no filter");
	}
	buf_done(&text);
}

static void look_at_namespace(struct check_point *point)
{
	if (proc_scan_sees_all_pids()) {
		say(point, CHECK_OK, "all processes have their pids");
		return;
	}
	say(point, CHECK_LIMITED,
	    "inside a PID namespace: processes outside it appear as [other namespace]");
	suggest(point, "run on the host");
}

static const struct {
	const char *name;
	void (*look)(struct check_point *point);
} points[] = {
	{ "permission", look_at_permission },
	{ "stacks", look_at_stacks },
	{ "clock", look_at_clock },
	{ "rate", look_at_rate },
	{ "kernel names", look_at_kernel_symbols },
	{ "modules", look_at_modules },
	{ "deleted programs", look_at_deleted_files },
	{ "other users", look_at_other_users },
	{ "tracepoints", look_at_tracepoints },
	{ "lockdown", look_at_lockdown },
	{ "seccomp", look_at_seccomp },
	{ "namespace", look_at_namespace },
};

_Static_assert(sizeof(points) / sizeof(points[0]) <= CHECK_MAX_POINTS, "room for every point");

size_t check_points_look(struct check_point ret_points[CHECK_MAX_POINTS])
{
	const size_t count = sizeof(points) / sizeof(points[0]);

	for (size_t i = 0; i < count; i++) {
		ret_points[i] = (struct check_point){ .name = points[i].name };
		points[i].look(&ret_points[i]);
	}
	return count;
}
