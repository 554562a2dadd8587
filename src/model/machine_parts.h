/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the machine_*.c files, and private to them. */
#ifndef MODEL_MACHINE_PARTS_H
#define MODEL_MACHINE_PARTS_H

#include "base/clock.h"
#include "base/vec.h"
#include "model/living.h"
#include "model/machine.h"

/* /proc has start times in clock ticks of 10 ms, on another clock. */
#define BIRTH_TOLERANCE_NS (20 * NS_PER_MS)

struct bucket {
	str_id name;
	uint32_t task;
};

struct orphan {
	uint32_t row;
	int32_t parent_pid;
};

struct machine {
	struct profile *profile;
	struct programs programs;
	struct living living;
	VEC(struct bucket) buckets;
	VEC(struct orphan) orphans; /* scanned before their parents */
	uint64_t serial;	    /* of the last change to an address space */
	VEC(uint32_t) ended;	    /* rows of processes that ended and are not yet forgotten */
	size_t ended_before;	    /* how many of them had ended by the last flush */
	int32_t launched;	    /* pid of what will execute the command; 0: none */
};

str_id machine_intern(struct machine *machine, const char *text);
/* Borrowed until the next row is added. */
struct process *machine_row_of(const struct machine *machine, const struct live_process *process);
/* The pid of @row must not be alive. */
struct live_process *machine_add_row(struct machine *machine, const struct process *row);
/* The living process of @pid. If there is none, adds one as unknown, born at @time_ns. */
struct live_process *machine_find_or_add(struct machine *machine, int32_t pid, uint64_t time_ns);
/* Ends the row and frees the process with its threads. */
void machine_end_process(struct machine *machine, struct live_process *process, uint64_t time_ns);
/* A tid begins. A thread that had it before must be gone, although no record said so. */
struct live_thread *machine_begin_thread(struct machine *machine, struct live_process *process,
					 int32_t tid, str_id comm, uint64_t time_ns);
/* Later samples of the thread get this comm. */
void machine_name_thread(struct live_thread *thread, str_id comm);

#endif
