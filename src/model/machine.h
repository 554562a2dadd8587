/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live model of the system: which programs run, their threads, their names and their mappings,
 * as of the last event applied. Events come in order of time: first the /proc scan, then the
 * kernel's records. Lookups answer for "now". The model opens no file and makes no system call;
 * images arrive as ids.
 *
 * Rules (measured in the kernel's perf record order):
 *   fork      a new process row with the parent's program, mappings (shared until changed), cgroup,
 *             uid; a new thread of the same process is only a task
 *   exec      COMM with the exec flag: the pid's row ends, a new one begins with exec_count + 1 and
 *             an empty address space. The program is the name that was executed, a script's or a
 *             link's too: the comm. The first mapping that follows is the executable, which also
 *             completes a comm that the kernel cut
 *   mmap      replaces whatever it overlaps
 *   exit      a thread's end; the process ends with its last thread
 * If a pid is born while the model has it alive, it was reused: the old row is closed first. The
 * exception is a birth time equal to that in /proc: the scan was ahead of the record, and the row
 * starts over.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/address_space.h"
#include "model/container.h"
#include "model/profile.h"

struct machine;

/* What /proc says of a process that was there before us, or that no record announced. Texts are
 * borrowed for the call. */
struct machine_process {
	int32_t pid, parent_pid;
	uint64_t start_ns;
	uint32_t uid;
	const char *comm;
	const char *executable; /* path; NULL: kernel thread or not readable */
	const char *script;	/* basename of the script that an interpreter runs; NULL: none. Only
				   its first 15 characters count, as in its comm at exec */
	const char *link;	/* basename of the link by which the executable was started; NULL:
				   none, or not proven */
	const char *cgroup;	/* path; NULL: unknown */
	bool kernel_thread;
};

/* How machine_find_code answers. */
enum code_place {
	CODE_MAPPED,   /* *ret_mapping holds the address */
	CODE_EXEC,     /* in no mapping, and exec is still laying out the new program (until the
			  vdso, or a third range, is mapped): an address of the old program */
	CODE_UNMAPPED, /* the process is known, but no mapping of it holds the address */
};

/* The whole name of the link to the executable that was executed. @comm is what the kernel left of
 * that name, and not the beginning of the executable's own. Borrowed until the next call. NULL: no
 * link, or several, begin with it: then the program is the comm. NULL in machine_new: never. */
typedef const char *(*machine_complete)(void *context, const char *comm, uint32_t image);

/* @profile gets the rows; borrowed, must outlive the machine. */
struct machine *machine_new(struct profile *profile, machine_complete complete, void *context);
void machine_free(struct machine *machine);

/* The scan: a process, then its threads and mappings. For a pid known only from samples, the row is
 * filled in; any other known pid is left as it is. Returns the row. An empty text is the same as
 * NULL. */
uint32_t machine_add_process(struct machine *machine, const struct machine_process *info);
void machine_add_thread(struct machine *machine, int32_t pid, int32_t tid, const char *comm);

/* What /proc says now of a known process, after records were lost. A different start time means
 * that the pid was reused. A different program or executable under a different comm means that an
 * exec was missed. Both begin a new row. The caller passes its mappings to machine_map. An unknown process
 * is added. */
uint32_t machine_refresh_process(struct machine *machine, uint64_t time_ns,
				 const struct machine_process *info);

/* The records. A pid that was never announced is added with what the record says. */
void machine_fork(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t parent_pid,
		  int32_t tid, int32_t parent_tid);
void machine_comm(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t tid,
		  const char *comm, bool exec);
void machine_map(struct machine *machine, uint64_t time_ns, int32_t pid,
		 const struct mapping *mapping);
void machine_exit(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t tid);
/* The process has ended, with all of its threads that no record spoke of. */
void machine_exit_process(struct machine *machine, uint64_t time_ns, int32_t pid);

/* The task (row in profile.tasks) of a sample taken now. Unknown pids are added with the program
 * name "[unknown]"; *ret_known is false until a record or /proc names their program. A thread that
 * has just exited is still found. pid 0 is the idle task "[idle]" (program, comm "swapper"). A
 * negative pid (a task the kernel has taken off its lists) is the bucket "[exiting]". ret_known may
 * be NULL. */
uint32_t machine_task(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t tid,
		      bool *ret_known);
/* The current row of a pid; 0: not known. */
uint32_t machine_process_of(const struct machine *machine, int32_t pid);
/* True when this tid is alive in the model. */
bool machine_tid_alive(const struct machine *machine, int32_t tid);

/* The mappings of a process: looked up once per record, and passed to all that ask about its
 * addresses. Serials are the machine's own numbers, which only grow. */
struct machine_space {
	uint32_t process; /* the row; 0: the pid is not known, and the other fields are void */
	int32_t pid;
	uint64_t changed; /* serial of the last change of any kind */
	uint64_t begun;	  /* serial of the birth or exec that made the process; anything older is
			     void */
	const struct address_space *mappings; /* borrowed until the machine changes; NULL: none */
	bool in_exec;			      /* the kernel is still laying out the new program */
};
struct machine_space machine_space(const struct machine *machine, int32_t pid);

/* The machine must not have changed since machine_space gave @space. A pid that is not known has
 * nothing mapped. */
enum code_place machine_find_code(const struct machine_space *space, uint64_t address,
				  struct mapping *ret_mapping);

/* The task of a process with a fixed name, e.g. "[other namespace]", "[exiting]". Charge it for
 * samples that have no process of their own. */
uint32_t machine_bucket_task(struct machine *machine, const char *name);

/* Marks the process of @pid, and every later descendant, as part of the command: what the recording
 * is about. */
void machine_set_command(struct machine *machine, int32_t pid);
/* The same from the next exec of the process on: until then it runs our own code. */
void machine_await_command(struct machine *machine, int32_t pid);

/* Facts that no record carries: the row's uid or cgroup as /proc has them now. */
void machine_set_uid(struct machine *machine, int32_t pid, uint32_t uid);
void machine_set_cgroup(struct machine *machine, int32_t pid, const char *cgroup);

/* To be called after each flush, when all of the profile is in the file. Forgets the rows of ended
 * processes that no record can concern any more (profile_forget_processes). Works in batches: most
 * calls do nothing. */
void machine_forget(struct machine *machine);

/* Settles the programs of processes that still await a mapping after exec, or a kernel thread's
 * name. Processes that are still alive keep end_ns 0. */
void machine_finish(struct machine *machine);

#endif
