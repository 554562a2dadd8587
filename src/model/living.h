/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is alive: processes and their threads by number, with what the machine must remember of each.
 * Only bookkeeping; what the records mean is machine.c's business. Private to the model.
 */
#ifndef MODEL_LIVING_H
#define MODEL_LIVING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strpool.h"
#include "model/address_space.h"
#include "model/pid_table.h"

/* What must still be seen before a row's program is certain. */
enum awaited {
	AWAITED_NOTHING,
	AWAITED_MAPPING, /* after exec: the first file that is mapped */
	AWAITED_COMM,	 /* a new kernel thread: its name */
};

struct live_thread {
	int32_t tid;
	str_id comm;
	uint32_t task; /* in the profile, under the present comm and row; 0: not made yet */
	struct live_process *process;
	struct live_thread *next, *previous; /* of the process */
};

struct live_process {
	int32_t pid;
	uint32_t row; /* in the profile */
	struct address_space *space;
	uint64_t changed, begun; /* see struct machine_space */
	struct live_thread *threads;
	enum awaited awaited;
	str_id exec_comm; /* as of the last exec */
	bool in_exec;	  /* the kernel is still laying out the new program */
	bool scanned;	  /* known from /proc, no record of its birth was seen */
	bool unknown;	  /* nothing has told its program */
};

/* A thread that is gone: samples are taken until its last switch, behind its exit record. */
struct dead_thread {
	int32_t pid, tid;
	uint32_t row;
	str_id comm;
};

enum { LIVING_DEAD_KEPT = 512 };

/* Zero-initialised is empty. */
struct living {
	struct pid_table processes, threads;
	struct dead_thread dead[LIVING_DEAD_KEPT]; /* a ring */
	size_t dead_count;			   /* ever */
};

/* NULL: not alive. Borrowed until it is removed. */
struct live_process *living_process(const struct living *living, int32_t pid);
struct live_thread *living_thread(const struct living *living, int32_t tid);
/* The pid must not be alive. */
struct live_process *living_add_process(struct living *living, int32_t pid, uint32_t row);
/* The tid must not be alive. */
struct live_thread *living_add_thread(struct living *living, struct live_process *process,
				      int32_t tid, str_id comm);
/* Remembers the thread among the dead and frees it. */
void living_remove_thread(struct living *living, struct live_thread *thread);
/* With all of its threads, which are remembered, and its reference to its address space. */
void living_remove_process(struct living *living, struct live_process *process);
/* Frees all threads of a process without remembering them: they became its one thread (exec). */
void living_forget_threads(struct living *living, struct live_process *process);
/* The last one that died with these numbers; NULL: none remembered. */
const struct dead_thread *living_dead(const struct living *living, int32_t pid, int32_t tid);
void living_done(struct living *living);

#endif
