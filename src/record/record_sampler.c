/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/record_sampler.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "names/lines/line_service.h"
#include "proc/proc_scan.h"
#include "record/record.h"
#include "sampling/sampler.h"
#include "store/record_output.h"

enum {
	MAX_STATUS_BYTES = 65536,
	LOOKS = 5, /* at the threads of a process that keeps creating new ones */
};

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

int record_check(const struct record_options *options, struct err *err)
{
	const struct line_options names = { .debug_folders = options->debug_folders,
					    .debug_folder_count = options->debug_folder_count };
	struct event_spec events[SAMPLER_MAX_EVENTS];
	enum stack_rung stacks;
	size_t count;

	if (record_output_check(options->output, err) < 0 ||
	    parse_stacks(options, &stacks, err) < 0 || line_service_check(&names, err) < 0)
		return -EINVAL;
	return parse_events(options, events, &count, err) < 0 ? -EINVAL : 0;
}

/* The process of a thread; 0: not found. */
static pid_t process_of(pid_t tid)
{
	struct buf text = { 0 };
	const char *line = NULL;
	char path[64];
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (file_read(path, MAX_STATUS_BYTES, &text) == 0)
		line = strstr(buf_text(&text), "\nTgid:");
	pid = line ? (pid_t)strtol(line + 6, NULL, 10) : 0;
	buf_done(&text);
	return pid;
}

static int add_threads(pid_t pid, struct buf *tids, struct err *err)
{
	pid_t process = process_of(pid);
	int rc = proc_scan_tids(pid, tids);

	if (rc < 0)
		return err_set(err, rc, "process %d: %s", (int)pid,
			       rc == -ESRCH ? "no such process" : strerror(-rc));
	if (process && process != pid)
		return err_set(err, -EINVAL, "%d is a thread of process %d; use -p %d", (int)pid,
			       (int)process, (int)process);
	return 0;
}

/* All threads of the chosen processes, or the waiting command. */
static int find_tids(const struct record_options *options, pid_t command, struct buf *tids,
		     struct err *err)
{
	int rc = 0;

	buf_clear(tids);
	if (command > 0)
		buf_add(tids, &command, sizeof(command));
	for (size_t i = 0; rc == 0 && i < options->pid_count; i++)
		rc = add_threads(options->pids[i], tids, err);
	return rc;
}

bool record_sampler_gone(const struct record_options *options)
{
	for (size_t i = 0; i < options->pid_count; i++) {
		if (kill(options->pids[i], 0) == 0 || errno != ESRCH)
			return false;
	}
	return options->pid_count > 0;
}

/* Explains the most likely cause of a refusal in a sentence of its own. */
static void explain_foreign_process(const struct record_options *options, int rc, struct err *err)
{
	for (size_t i = 0; rc == -EACCES && i < options->pid_count; i++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d", (int)options->pids[i]);
		if (geteuid() != 0 && stat(path, &st) == 0 && st.st_uid != geteuid())
			err_set(err, rc, "process %d belongs to another user; run with sudo",
				(int)options->pids[i]);
	}
}

/* Threads born between listing and opening would never be sampled, so this lists again until the
 * list does not change. Threads they create later inherit the events. */
static int open_listed(const struct record_options *options, pid_t command,
		       struct sampler_options *wanted, struct sampler **ret_sampler,
		       struct err *err)
{
	struct buf tids = { 0 }, again = { 0 };
	int rc = find_tids(options, command, &tids, err);

	for (int look = 0; rc == 0; look++) {
		wanted->tids = (const pid_t *)tids.bytes;
		wanted->tid_count = tids.size / sizeof(pid_t);
		rc = sampler_open(wanted, ret_sampler, err);
		explain_foreign_process(options, rc, err);
		if (rc < 0 || !options->pid_count || look == LOOKS ||
		    find_tids(options, command, &again, NULL) < 0 ||
		    (again.size == tids.size && memcmp(again.bytes, tids.bytes, tids.size) == 0))
			break;
		sampler_free(*ret_sampler);
		buf_clear(&tids);
		buf_add(&tids, again.bytes, again.size);
	}
	buf_done(&tids);
	buf_done(&again);
	return rc;
}

int record_sampler_open(const struct record_options *options, pid_t command,
			enum sampler_waits waits, struct sampler **ret_sampler, struct err *err)
{
	struct event_spec events[SAMPLER_MAX_EVENTS];
	struct sampler_options wanted = {
		.rate_hz = options->rate_hz,
		.whole_machine = options->pid_count == 0,
		.machine_only = options->machine_only || (!options->argv && !options->pid_count),
		.ring_bytes = (size_t)options->ring_kb * 1024,
		.seed = clock_ns() ^ (uint64_t)getpid() << 32,
		.events = events,
		.events_optional = options->event_count == 0,
		.waits = waits,
		.max_depth = (uint32_t)options->max_depth,
		.no_build_ids = options->no_build_ids,
		.verify_stacks = options->observer != NULL,
	};
	int rc = parse_events(options, events, &wanted.event_count, err);

	if (rc == 0)
		rc = parse_stacks(options, &wanted.stacks, err);
	if (rc < 0)
		return rc;
	if (wanted.events_optional) {
		event_names_parse("cycles", &events[0], NULL);
		wanted.event_count = 1;
	}
	rc = open_listed(options, command, &wanted, ret_sampler, err);
	if (rc == 0 && wanted.verify_stacks &&
	    sampler_stack_rung(*ret_sampler) != STACK_RUNG_INTERRUPT)
		rc = err_set(err, -ENOTSUP, "stacks cannot be walked in the interrupt here: %s",
			     sampler_stacks_missing(*ret_sampler));
	return rc;
}
