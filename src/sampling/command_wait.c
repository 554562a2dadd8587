/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/command_wait.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "bpf/chosen_wire.h"
#include "bpf/command_wait.skel.h"
#include "model/who.h"
#include "perf/bpf_iterate.h"
#include "perf/bpf_load.h"

struct command_wait {
	struct command_wait_bpf *object;
};

/* The fork program comes first, so that no new thread is missed while the others are attached. */
#define ATTACHED(X)            \
	X(command_wait_fork)   \
	X(command_wait_waking) \
	X(command_wait_switch) \
	X(command_wait_exec)

static const struct bpf_load_words load_words = {
	.doing = "loading BPF programs",
	.programs = "the BPF programs",
	.release = "5.15",
	.types = true,
};

static int attach(struct command_wait_bpf *object)
{
#define ATTACH(name)                                                  \
	object->links.name = bpf_program__attach(object->progs.name); \
	if (!object->links.name)                                      \
		return -errno;
	ATTACHED(ATTACH)
#undef ATTACH
	return 0;
}

static void detach(struct command_wait_bpf *object)
{
#define DETACH(name)                           \
	bpf_link__destroy(object->links.name); \
	object->links.name = NULL;
	ATTACHED(DETACH)
#undef DETACH
}

int command_wait_new(struct command_wait **ret_wait, struct err *err)
{
	struct command_wait *wait = xcalloc(1, sizeof(*wait));
	_cleanup_(bpf_load_log_freep) struct bpf_load_log *log = bpf_load_log_new();
	BPF_LOAD_QUIETLY;
	int rc;

	wait->object = command_wait_bpf__open();
	rc = wait->object ? 0 : -errno;
	if (rc == 0) {
		bpf_load_without_modules(wait->object->obj);
		bpf_load_log_listen(log, wait->object->obj);
		rc = command_wait_bpf__load(wait->object);
	}
	if (rc == 0)
		rc = attach(wait->object);
	if (rc < 0) {
		command_wait_free(wait);
		return bpf_load_log_explain(log, &load_words, rc, err);
	}
	*ret_wait = wait;
	return 0;
}

void command_wait_free(struct command_wait *wait)
{
	if (!wait)
		return;
	command_wait_bpf__destroy(wait->object);
	free(wait);
}

static int put_chosen(struct command_wait *wait, const pid_t *ids, size_t count, enum chosen how)
{
	int map = bpf_map__fd(wait->object->maps.command_chosen);
	uint32_t value = how;

	for (size_t i = 0; i < count; i++) {
		if (bpf_map_update_elem(map, &ids[i], &value, BPF_ANY) < 0)
			return -errno;
	}
	return 0;
}

int command_wait_choose(struct command_wait *wait, const struct who_tasks *tasks, struct err *err)
{
	int rc = put_chosen(wait, tasks->processes, tasks->process_count, CHOSEN_PROCESS);

	if (rc == 0)
		rc = put_chosen(wait, tasks->threads, tasks->thread_count, CHOSEN_THREAD);
	if (rc == 0)
		rc = bpf_iterate(wait->object->progs.command_wait_open, NULL);
	if (rc == 0 && !wait->object->bss->totals.chosen)
		rc = -ESRCH;
	return rc < 0 ? err_set(err, rc, "cannot follow its threads: %s", strerror(-rc)) : 0;
}

uint64_t command_wait_open(struct command_wait *wait)
{
	return wait->object->bss->opened_ns = clock_ns();
}

void command_wait_open_at_exec(struct command_wait *wait)
{
	wait->object->bss->opens_at_exec = true;
}

/* The time that no thread was active when the window closed has no end that gives it a reason. */
static void add_open(const struct command_wait_bpf *object, uint64_t now_ns,
		     struct command_waits *waits)
{
	const struct command_wait_totals *totals = &object->bss->totals;
	uint64_t active = object->data->command_wait_active;
	uint64_t from_ns = active & ~COMMAND_WAIT_IDLE;

	if (!(active & COMMAND_WAIT_IDLE) || !totals->open || !object->bss->opened_ns ||
	    totals->open_reason >= COMMAND_WAIT_REASON_COUNT)
		return;
	if (from_ns < object->bss->opened_ns)
		from_ns = object->bss->opened_ns;
	if (from_ns < now_ns)
		waits->idle_ns[totals->open_reason] += now_ns - from_ns;
}

/* Corrections of the clock may have counted a little twice. */
static void keep_within(struct command_waits *waits, uint64_t window_ns)
{
	for (size_t i = 0; i < COMMAND_WAIT_REASON_COUNT; i++) {
		if (waits->idle_ns[i] > window_ns)
			waits->idle_ns[i] = window_ns;
		window_ns -= waits->idle_ns[i];
	}
}

int command_wait_end(struct command_wait *wait, uint64_t now_ns, struct command_waits *ret_waits)
{
	struct command_wait_bpf *object = wait->object;
	const struct command_wait_totals *totals = &object->bss->totals;

	object->bss->closed_ns = now_ns;
	detach(object);
	ret_waits->begin_ns = object->bss->opened_ns;
	if (bpf_iterate(object->progs.command_wait_close, NULL) < 0 || totals->missed)
		return -ENODATA;
	for (size_t i = 0; i < COMMAND_WAIT_REASON_COUNT; i++)
		ret_waits->idle_ns[i] = totals->idle_ns[i];
	ret_waits->lock_ns = totals->lock_ns;
	ret_waits->not_asked = totals->not_asked;
	add_open(object, now_ns, ret_waits);
	keep_within(ret_waits, ret_waits->begin_ns ? now_ns - ret_waits->begin_ns : 0);
	return 0;
}
