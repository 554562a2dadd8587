/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live model of the system: which programs run, their threads, their names and what is mapped
 * where, as of the moment of the event last applied. Events come in order of time (from the /proc
 * scan at the start, then from the kernel's records); lookups answer for "now". It knows no files
 * and makes no system call: images arrive as ids.
 *
 * Rules (measured in the kernel's perf record order):
 *   fork      a new process row with the parent's program, mappings (shared until changed), cgroup,
 *             uid; a new thread of the same process is only a task
 *   exec      COMM with the exec flag: the pid's row ends, a new one begins with exec_count + 1 and
 *             an empty address space; its program is settled by the first mapping that follows
 *             (basename of the executable), or is the comm when that is a script
 *   mmap      replaces whatever it overlaps
 *   exit      a thread's end; the process ends with its last thread
 * A pid that is born while it is thought alive was reused: the old row is closed first. Except when
 * /proc gave that very birth time: the scan was ahead of the record, and the row starts over.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/address_space.h"
#include "model/container.h"
#include "model/profile.h"

struct machine;

/* What /proc tells of a process that was there before us, or that no record announced. Texts are
 * borrowed for the call. */
struct machine_process {
	int32_t pid, parent_pid;
	uint64_t start_ns;
	uint32_t uid;
	const char *comm;
	const char *executable; /* path; NULL: kernel thread or not readable */
	const char *script;	/* basename of the script an interpreter runs; NULL: none. Its first
				   15 characters count, as in its comm at exec */
	const char *cgroup;	/* path; NULL: unknown */
	bool kernel_thread;
};

/* How machine_find_code answers. */
enum code_place {
	CODE_MAPPED,   /* *ret_mapping holds the address */
	CODE_EXEC,     /* in no mapping, and exec is still laying out the new program (until the
			  vdso, or a third range, is mapped): left over from the old one */
	CODE_UNMAPPED, /* the process is known, the address is in no mapping of it */
};

/* Is this executable's file also reachable under that name, next to it or on PATH? Asked when a
 * program's comm differs from its executable's basename: yes means a link (the program is the
 * basename), no means a script (the program is the comm). NULL in machine_new: never. */
typedef bool (*machine_is_link)(void *context, const char *comm, uint32_t image);

/* @profile receives the rows; borrowed, must outlive the machine. */
struct machine *machine_new(struct profile *profile, machine_is_link is_link, void *context);
void machine_free(struct machine *machine);

/* The scan: a process, then its threads and mappings. Adding a pid that is known updates nothing
 * and returns its row; one that only samples spoke of is filled in; else the new row. An empty text
 * is as good as NULL. */
uint32_t machine_add_process(struct machine *machine, const struct machine_process *info);
void machine_add_thread(struct machine *machine, int32_t pid, int32_t tid, const char *comm);

/* What /proc says now of a process that is known, after records were lost: another start time means
 * that the pid was reused, another program under another name that an exec was missed; both begin a
 * new row. Its mappings follow by machine_map. One that is not known is added. */
uint32_t machine_refresh_process(struct machine *machine, uint64_t time_ns,
				 const struct machine_process *info);

/* The records. A pid never announced is added on the fly with what the record tells. */
void machine_fork(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t parent_pid,
		  int32_t tid, int32_t parent_tid);
void machine_comm(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t tid,
		  const char *comm, bool exec);
void machine_map(struct machine *machine, uint64_t time_ns, int32_t pid,
		 const struct mapping *mapping);
void machine_exit(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t tid);

/* The task (row in profile.tasks) of a sample taken now. Unknown pids are added with the program
 * name "[unknown]"; *ret_known is false as long as nothing has told their program. A thread that
 * has just exited is still found. pid 0 is the idle task "[idle]" (program, comm "swapper"), a
 * negative one (a task the kernel has taken off its lists) the bucket "[exiting]". ret_known may be
 * NULL. */
uint32_t machine_task(struct machine *machine, uint64_t time_ns, int32_t pid, int32_t tid,
		      bool *ret_known);
/* The row of a pid as it is now; 0: not known. */
uint32_t machine_process_of(const struct machine *machine, int32_t pid);
/* True when this tid is alive in the model. */
bool machine_tid_alive(const struct machine *machine, int32_t tid);

/* What a process has mapped: looked up once per record, and handed to all that ask about its
 * addresses. Serials are numbers of the machine's own that only grow. */
struct machine_space {
	uint32_t process; /* the row; 0: the pid is not known, the rest is void */
	int32_t pid;
	uint64_t changed; /* serial of the last change of any kind */
	uint64_t begun;	  /* of the birth or exec that made it: what it was before is void */
	const struct address_space *mappings; /* borrowed until the machine changes; NULL: none */
	bool in_exec;			      /* the kernel is still laying out the new program */
};
struct machine_space machine_space(const struct machine *machine, int32_t pid);

/* @space as the machine is now. A pid that is not known has nothing mapped. */
enum code_place machine_find_code(const struct machine_space *space, uint64_t address,
				  struct mapping *ret_mapping);

/* A process with a fixed name that stands for what has none of its own, e.g. "[other namespace]",
 * "[exiting]": the task to charge. */
uint32_t machine_bucket_task(struct machine *machine, const char *name);

/* Marks the process of @pid, and every descendant from now on, as belonging to the command. */
void machine_set_command(struct machine *machine, int32_t pid);

/* Updates of facts that have no record: the row's uid or cgroup as read from /proc now. */
void machine_set_uid(struct machine *machine, int32_t pid, uint32_t uid);
void machine_set_cgroup(struct machine *machine, int32_t pid, const char *cgroup);

/* Everything of the profile is in the file: forgets the rows of processes that have ended, once no
 * record can be of them any more (profile_forget_processes). To be called after each flush; it
 * works only when enough have come together. */
void machine_forget(struct machine *machine);

/* Settles programs whose exec was still waiting for its first mapping. Processes still alive keep
 * end_ns 0. */
void machine_finish(struct machine *machine);

#endif
