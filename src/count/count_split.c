/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count_split.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "bpf/count.skel.h"
#include "perf/bpf_iterate.h"
#include "perf/bpf_load.h"
#include "perf/cpu_list.h"

/* Missing in some distributions' linux/bpf.h: runs a BPF program on a chosen CPU. */
#ifndef BPF_F_TEST_RUN_ON_CPU
#define BPF_F_TEST_RUN_ON_CPU (1U << 0)
#endif

enum { SW_CGROUP_SWITCHES = 11 };

struct count_split {
	struct count_bpf *object;
	int *cpus;
	size_t cpu_count;
	unsigned by;
	bool everybody;
};

_Static_assert((int)COUNT_EVENTS == (int)COUNTS_MAX_EVENTS, "every event has a place in a row");
_Static_assert((int)COUNT_PATH_BYTES == (int)COUNTS_PATH, "paths are the same");

static const struct bpf_load_words load_words = {
	.doing = "loading BPF programs",
	.programs = "the BPF programs that split counts",
	.release = "5.14",
	.types = true,
};

/* True if the kernel counts the event only after the sched_switch tracepoint. */
static bool is_late(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE &&
	       (spec->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		spec->config == SW_CGROUP_SWITCHES);
}

static int configure(struct count_split *split, const struct count_split_options *options)
{
	struct count_bpf *object = split->object;
	size_t cpus = cpu_list_room();

	if (!cpus)
		return -EINVAL;
	object->rodata->cpus = (uint32_t)cpus;
	object->rodata->events = (uint32_t)options->event_count;
	object->rodata->by = options->by;
	object->rodata->everybody = options->everybody;
	/* A cgroup switch is counted only if the cgroup changes, so it cannot be known in
	 * advance. */
	for (size_t i = 0; i < options->event_count; i++) {
		if (is_late(&options->specs[i]) && options->specs[i].config != SW_CGROUP_SWITCHES)
			object->rodata->late_events |= 1U << i;
	}
	return bpf_map__set_max_entries(object->maps.counters,
					(uint32_t)(options->event_count * cpus));
}

static int give_counters(struct count_split *split, const struct count_split_options *options)
{
	int map = bpf_map__fd(split->object->maps.counters);
	uint32_t cpus = split->object->rodata->cpus;

	for (size_t i = 0; i < counters_targets(options->counters); i++) {
		uint32_t cpu = (uint32_t)counters_cpu(options->counters, i);

		for (size_t j = 0; j < options->event_count; j++) {
			int fd = counters_fd(options->counters, i, j);
			uint32_t index = (uint32_t)j * cpus + cpu;

			if (fd >= 0 && bpf_map_update_elem(map, &index, &fd, BPF_ANY) < 0)
				return -errno;
		}
	}
	return 0;
}

/* Rows for idle time and for tasks without a row. */
static int make_special_rows(struct count_split *split)
{
	static const char *const names[] = { [COUNT_IDLE] = "[idle]", [COUNT_REST] = "[others]" };
	int rc = 0;

	for (uint64_t i = COUNT_IDLE; rc == 0 && i < COUNT_SPECIALS; i++) {
		struct count_row_key key = { .program = i };
		struct count_row_value value = { 0 };

		snprintf(value.path, sizeof(value.path), "%s", names[i]);
		if (bpf_map_update_elem(bpf_map__fd(split->object->maps.rows), &key, &value,
					BPF_ANY) < 0)
			rc = -errno;
	}
	return rc;
}

static int load(struct count_split *split, const struct count_split_options *options)
{
	int rc;

	split->object = count_bpf__open();
	if (!split->object)
		return -errno;
	bpf_load_without_modules(split->object->obj);
	rc = configure(split, options);
	if (rc == 0)
		rc = count_bpf__load(split->object);
	if (rc == 0)
		rc = give_counters(split, options);
	return rc == 0 ? make_special_rows(split) : rc;
}

int count_split_new(const struct count_split_options *options, struct count_split **ret_split,
		    struct err *err)
{
	struct count_split *split = xcalloc(1, sizeof(*split));
	BPF_LOAD_QUIETLY;
	int rc;

	split->by = options->by;
	split->everybody = options->everybody;
	rc = load(split, options);
	rc = rc < 0 ? bpf_load_explain(&load_words, rc, err)
		    : cpu_list_online(&split->cpus, &split->cpu_count, err);
	if (rc < 0) {
		count_split_free(split);
		return rc;
	}
	*ret_split = split;
	return 0;
}

void count_split_free(struct count_split *split)
{
	if (!split)
		return;
	count_bpf__destroy(split->object);
	free(split->cpus);
	free(split);
}

/* FNV-1a with 64 bits, as the BPF programs do. */
static uint64_t hash_path(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *path; path++) {
		hash ^= (unsigned char)*path;
		hash *= 0x100000001b3ULL;
	}
	return hash < COUNT_SPECIALS ? COUNT_SPECIALS : hash;
}

int count_split_add(struct count_split *split, pid_t pid, const char *program, bool waits,
		    struct err *err)
{
	struct count_program value = { .counts = !waits };
	uint32_t key = (uint32_t)pid;

	/* Truncates like the kernel: one byte less than there is room for. */
	snprintf(value.path, sizeof(value.path), "%s", program);
	value.program = hash_path(value.path);
	if (bpf_map_update_elem(bpf_map__fd(split->object->maps.starting), &key, &value, BPF_ANY) <
	    0)
		return err_set(err, -errno, "too many processes to count by program: %s",
			       strerror(errno));
	return 0;
}

/* Adds what the running tasks have counted so far to their rows. */
static void flush(struct count_split *split)
{
	for (size_t i = 0; i < split->cpu_count; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, options, .flags = BPF_F_TEST_RUN_ON_CPU,
			    .cpu = (uint32_t)split->cpus[i]);

		(void)bpf_prog_test_run_opts(bpf_program__fd(split->object->progs.count_flush),
					     &options);
	}
}

int count_split_begin(struct count_split *split, struct err *err)
{
	BPF_LOAD_QUIETLY;
	int rc = count_bpf__attach(split->object);

	if (rc == 0)
		rc = bpf_iterate(split->object->progs.count_begin, NULL);
	if (rc < 0)
		return bpf_load_explain(&load_words, rc, err);
	/* Finds out which task runs on each CPU before counting starts. */
	flush(split);
	split->object->bss->counting = 1;
	return 0;
}

static void take_row(const struct count_split *split, const struct count_row_key *key,
		     const struct count_row_value *value, struct counts *counts)
{
	struct count_row *row = counts_add_row(counts);

	if (split->by & COUNT_BY_PROGRAM || key->program < COUNT_SPECIALS || key->pid)
		memcpy(row->key.program, value->path, sizeof(row->key.program));
	row->key.program[sizeof(row->key.program) - 1] = '\0';
	snprintf(row->key.comm, sizeof(row->key.comm), "%.15s", value->comm);
	row->key.pid = key->pid ? (int32_t)key->pid : -1;
	row->key.tid = key->tid ? (int32_t)key->tid : -1;
	row->runs = value->runs;
	for (size_t i = 0; i < counts->event_count; i++)
		row->values[i] =
			(struct count_value){ value->sums[i].count, value->sums[i].enabled_ns,
					      value->sums[i].running_ns };
}

int count_split_read(struct count_split *split, struct counts *counts, struct err *err)
{
	int map = bpf_map__fd(split->object->maps.rows);
	struct count_row_key key, next;
	void *from = NULL;

	flush(split);
	while (bpf_map_get_next_key(map, from, &next) == 0) {
		struct count_row_value value;

		key = next;
		from = &key;
		if (bpf_map_lookup_elem(map, &key, &value) < 0)
			continue;
		if (value.used || value.runs)
			take_row(split, &key, &value, counts);
	}
	if (errno != ENOENT)
		return err_set(err, -errno, "cannot read the counts: %s", strerror(errno));
	counts->complete = split->object->bss->full == 0;
	return 0;
}
