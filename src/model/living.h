/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The living processes and threads by number, with what the machine must remember of each, and the
 * rules for their programs. Only bookkeeping: machine.c interprets the records. Private to the
 * model.
 */
#ifndef MODEL_LIVING_H
#define MODEL_LIVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strpool.h"
#include "base/vec.h"
#include "model/address_space.h"
#include "model/machine.h"

/*
 * A hash table from a pid or tid to an object of the caller's. It supports deletion, so it stays as
 * small as the set of living tasks. Zero-initialised is empty.
 */
struct pid_table {
	struct pid_table_slot *slots;
	size_t size; /* slots: 0 or a power of two */
	size_t count;
};

/* The object of the key, borrowed; NULL: no such key. */
void *pid_table_find(const struct pid_table *table, int32_t key);
/* Adds the key or replaces its object, which is not NULL and stays the caller's. */
void pid_table_put(struct pid_table *table, int32_t key, void *object);
/* An unknown key is fine. */
void pid_table_remove(struct pid_table *table, int32_t key);
/* Returns every object once, in no order, then NULL. *cursor starts at 0. The table must not change
 * during the walk. */
void *pid_table_next(const struct pid_table *table, size_t *cursor);
void pid_table_done(struct pid_table *table);

/* What must be seen before a row's program is certain. */
enum awaited {
	AWAITED_NOTHING,
	AWAITED_MAPPING, /* after exec: its first mapped file */
	AWAITED_COMM,	 /* a new kernel thread: its name */
};

struct live_thread {
	int32_t tid;
	str_id comm;
	uint32_t task; /* row in the profile for the current comm and process; 0: not made yet */
	struct live_process *process;
	struct live_thread *next, *previous; /* threads of the process */
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
	bool scanned;	  /* known from /proc; no record of its birth was seen */
	bool unknown;	  /* its program is not known */
};

/* An exited thread: it can still be sampled after its exit record, until its last switch. */
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

/* NULL: not alive. Borrowed until removed. */
struct live_process *living_process(const struct living *living, int32_t pid);
struct live_thread *living_thread(const struct living *living, int32_t tid);
/* The pid must not be alive. */
struct live_process *living_add_process(struct living *living, int32_t pid, uint32_t row);
/* The tid must not be alive. */
struct live_thread *living_add_thread(struct living *living, struct live_process *process,
				      int32_t tid, str_id comm);
/* Frees the thread and remembers it among the dead. */
void living_remove_thread(struct living *living, struct live_thread *thread);
/* Removes it with all its threads, which are remembered, and its reference to its address space. */
void living_remove_process(struct living *living, struct live_process *process);
/* Frees all threads of a process without remembering them: exec merged them into one. */
void living_forget_threads(struct living *living, struct live_process *process);
/* The last thread that died with these numbers; NULL: none remembered. */
const struct dead_thread *living_dead(const struct living *living, int32_t pid, int32_t tid);
void living_done(struct living *living);

/*
 * Which program a process runs, by the rules at the top of machine.h, and its instance number among
 * those of that name.
 */
struct programs {
	struct profile *profile; /* borrowed */
	machine_complete complete;
	void *context;
	VEC(uint32_t) instances; /* by program: instances so far */
};

/* Sets the program of the process's row for good, and its instance number. */
void programs_settle(struct programs *programs, struct live_process *process, str_id program);
/* The awaited mapping or name will not come: settles on the provisional program. */
void programs_settle_as_is(struct programs *programs, struct live_process *process);
/* The process's row is about to be overwritten: frees its instance number if it was the last. */
void programs_take_back(struct programs *programs, const struct live_process *process);

/* The program as /proc shows it. */
str_id programs_of_scan(struct programs *programs, const struct machine_process *info);
/* The program after an exec, from the comm of the exec and the first mapped file. */
str_id programs_of_exec(struct programs *programs, const struct live_process *process,
			uint32_t image);
void programs_done(struct programs *programs);

#endif
