/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_repeats.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum { MAX_THREADS = 1 << 22 };

/* The last record of a thread, and the event that wrote it first. */
struct told {
	int32_t tid, pid;
	uint32_t type; /* PERF_RECORD_*; 0: nothing that could be repeated */
	bool exec;
	int32_t parent_pid, parent_tid;
	char comm[16]; /* TASK_COMM_LEN */
	size_t event;
};

struct import_repeats {
	VEC(struct told) list;
	struct hashidx index; /* by tid */
};

struct import_repeats *import_repeats_new(void)
{
	return xcalloc(1, sizeof(struct import_repeats));
}

void import_repeats_free(struct import_repeats *repeats)
{
	if (!repeats)
		return;
	vec_free(&repeats->list);
	hashidx_done(&repeats->index);
	free(repeats);
}

static bool has_tid(const void *owner, uint32_t index, const void *key)
{
	const struct import_repeats *repeats = owner;

	return repeats->list.items[index].tid == *(const int32_t *)key;
}

/* NULL: too many threads. */
static struct told *find_or_add(struct import_repeats *repeats, int32_t tid)
{
	uint64_t hash = hash_u64((uint32_t)tid);
	struct told *told;
	uint32_t index;

	if (hashidx_find(&repeats->index, hash, has_tid, repeats, &tid, &index))
		return &repeats->list.items[index];
	if (repeats->list.count >= MAX_THREADS)
		return NULL;
	hashidx_add(&repeats->index, hash, (uint32_t)repeats->list.count);
	told = vec_push(&repeats->list);
	*told = (struct told){ .tid = tid };
	return told;
}

static struct told told_by(const struct perf_record *record, size_t event)
{
	struct told told = {
		.tid = record->tid, .pid = record->pid, .type = record->type, .event = event
	};

	if (record->type == PERF_RECORD_COMM) {
		told.exec = record->comm.exec;
		strncpy(told.comm, record->comm.comm, sizeof(told.comm) - 1);
	} else {
		told.parent_pid = record->task.parent_pid;
		told.parent_tid = record->task.parent_tid;
	}
	return told;
}

static bool says_the_same(const struct told *a, const struct told *b)
{
	return a->type == b->type && a->pid == b->pid && a->exec == b->exec &&
	       a->parent_pid == b->parent_pid && a->parent_tid == b->parent_tid &&
	       strcmp(a->comm, b->comm) == 0;
}

static bool could_be_repeated(uint32_t type)
{
	return type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT || type == PERF_RECORD_COMM;
}

bool import_repeats_is(struct import_repeats *repeats, const struct perf_record *record,
		       size_t event)
{
	/* perf describes the state at the start only once. */
	bool is_other = record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2 ||
			record->time_ns == 0;
	struct told *last, now;

	if (!is_other && !could_be_repeated(record->type))
		return false;
	last = find_or_add(repeats, record->tid);
	if (!last)
		return false;
	if (is_other) {
		last->type = 0; /* what follows is of another moment */
		return false;
	}
	now = told_by(record, event);
	if (says_the_same(last, &now) && last->event != event)
		return true;
	*last = now;
	return false;
}
