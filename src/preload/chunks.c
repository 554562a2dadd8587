/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/preload.h"

static struct preload_chunk *chunk_table(void)
{
	return (struct preload_chunk *)((char *)preload_head + PRELOAD_HEAD_BYTES);
}

static char *chunk_memory(uint32_t index)
{
	return (char *)preload_head + preload_chunk_at(preload_head->chunk_count, index);
}

/* The number of a chunk that is ours now; 0: there is none. The first one that is free: its pages are
 * likely to be mapped here already. */
static uint32_t claim_chunk(const struct preload_state *state)
{
	struct preload_chunk *table = chunk_table();
	uint32_t count = preload_head->chunk_count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t is_free = PRELOAD_CHUNK_FREE;

		if (!__atomic_compare_exchange_n(&table[i].state, &is_free, PRELOAD_CHUNK_OWNED,
						 false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		table[i].pid_namespace = state->pid_namespace;
		__atomic_store_n(&table[i].pid, state->pid, __ATOMIC_RELEASE);
		return i + 1;
	}
	return 0;
}

static void leave_chunk(struct preload_slot *slot)
{
	if (slot->chunk)
		__atomic_store_n(&chunk_table()[slot->chunk - 1].state, PRELOAD_CHUNK_FULL,
				 __ATOMIC_RELEASE);
	slot->chunk = 0;
	slot->used = 0;
}

/* True if the slot's chunk has room for @bytes. */
static bool make_room(const struct preload_state *state, struct preload_slot *slot, size_t bytes)
{
	if (slot->chunk && PRELOAD_CHUNK_BYTES - slot->used >= bytes)
		return true;
	leave_chunk(slot);
	slot->chunk = claim_chunk(state);
	return slot->chunk != 0;
}

void preload_leave_chunks(struct preload_state *state)
{
	for (size_t i = 0; i < PRELOAD_SLOTS; i++) {
		struct preload_slot *slot = &state->slots[i];

		if (__atomic_exchange_n(&slot->claimed, 1, __ATOMIC_ACQUIRE))
			continue;
		leave_chunk(slot);
		__atomic_store_n(&slot->claimed, 0, __ATOMIC_RELEASE);
	}
}

void *preload_begin(struct preload_state *state, size_t bytes, struct preload_slot **ret_slot)
{
	if (bytes > PRELOAD_CHUNK_BYTES || preload_is_over())
		return NULL;
	for (size_t i = 0; i < PRELOAD_SLOTS; i++) {
		struct preload_slot *slot = &state->slots[i];

		if (__atomic_exchange_n(&slot->claimed, 1, __ATOMIC_ACQUIRE))
			continue;
		if (make_room(state, slot, bytes)) {
			*ret_slot = slot;
			return chunk_memory(slot->chunk - 1) + slot->used;
		}
		__atomic_store_n(&slot->claimed, 0, __ATOMIC_RELEASE);
		return NULL;
	}
	return NULL;
}

void preload_end(struct preload_slot *slot, size_t bytes)
{
	slot->used += (uint32_t)bytes;
	__atomic_store_n(&chunk_table()[slot->chunk - 1].used, slot->used, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->claimed, 0, __ATOMIC_RELEASE);
}

void preload_trail(struct preload_trailer *trailer, int32_t tid, uint64_t time_ns)
{
	*trailer = (struct preload_trailer){ .pid = preload_state->pid,
					     .tid = tid,
					     .time_ns = time_ns };
}

void preload_lose_record(void)
{
	if (!preload_is_over())
		__atomic_add_fetch(&preload_head->dropped_records, 1, __ATOMIC_RELAXED);
}

/* A record of type PERF_RECORD_FORK or PERF_RECORD_EXIT. */
struct task_record {
	struct perf_event_header header;
	int32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
	struct preload_trailer trailer;
};

static void put_task(struct preload_state *state, const struct task_record *task)
{
	struct preload_slot *slot;
	struct task_record *record = preload_begin(state, sizeof(*record), &slot);

	if (!record) {
		preload_lose_record();
		return;
	}
	*record = *task;
	record->header.size = sizeof(*record);
	preload_trail(&record->trailer, task->tid, task->time_ns);
	preload_end(slot, sizeof(*record));
}

void preload_put_fork(struct preload_state *state, int32_t pid, int32_t parent_pid, int32_t tid,
		      int32_t parent_tid, uint64_t time_ns)
{
	put_task(state, &(struct task_record){ .header = { .type = PERF_RECORD_FORK },
					       .pid = pid,
					       .parent_pid = parent_pid,
					       .tid = tid,
					       .parent_tid = parent_tid,
					       .time_ns = time_ns });
}

void preload_put_thread_exit(struct preload_state *state, int32_t tid, uint64_t time_ns)
{
	put_task(state, &(struct task_record){ .header = { .type = PERF_RECORD_EXIT },
					       .pid = state->pid,
					       .tid = tid,
					       .time_ns = time_ns });
}

void preload_put_comm(struct preload_state *state, int32_t tid, const char *comm, bool exec,
		      uint64_t time_ns)
{
	struct comm_record {
		struct perf_event_header header;
		int32_t pid, tid;
		char comm[16];
		struct preload_trailer trailer;
	} * record;
	struct preload_slot *slot;

	record = preload_begin(state, sizeof(*record), &slot);
	if (!record) {
		preload_lose_record();
		return;
	}
	*record = (struct comm_record){
		.header = { .type = PERF_RECORD_COMM,
			    .misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
			    .size = sizeof(*record) },
		.pid = state->pid,
		.tid = tid,
	};
	raw_copy(record->comm, comm, sizeof(record->comm));
	record->comm[sizeof(record->comm) - 1] = '\0';
	preload_trail(&record->trailer, tid, time_ns);
	preload_end(slot, sizeof(*record));
}
