/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library that is preloaded into profiled processes: what its files share. It uses no other library,
 * and nothing of the rest of prospect but the layout of the shared memory.
 *
 *   start.c    when a program loads it, and after fork
 *   chunks.c   records into the shared memory
 *   threads.c  a timer for each thread, and pthread_create
 *   calls.c    processes and threads that are made by system calls, and filters of them
 *   sample.c   the signal handler
 *   maps.c     executable mappings
 *   signals.c  the C library's signal functions, so that ours stays unseen and unblocked
 *   waits.c    those that wait for signals
 *   execs.c    those that execute programs, so that these are profiled as well
 *   wall.c     threads that wait
 *   control.c  prospect.h, for programs that choose what is profiled
 *
 * A function that is called in a signal handler says so. They take no locks and allocate nothing. What
 * two threads must not do at once is claimed, and who cannot claim it leaves it undone.
 */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/preload_wire.h"
#include "preload/raw.h"

/* Seen by the program: everything else is hidden. */
#define PRELOAD_EXPORT __attribute__((visibility("default")))

enum {
	PRELOAD_SLOTS = 16,	 /* chunks in use at the same time, by threads on different CPUs */
	PRELOAD_THREADS = 8192,	 /* with a timer at the same time */
	PRELOAD_GROUP = 64,	 /* of their rows */
	PRELOAD_RANGES = 1024,	 /* executable mappings that are remembered */
	PRELOAD_TEXT = 16 * 1024 /* of /proc/self/maps at a time; a line has at most 4200 bytes */
};

/* A chunk that the process fills. */
struct preload_slot {
	uint32_t claimed;
	uint32_t chunk; /* its number + 1; 0: none */
	uint32_t used;
};

struct preload_thread {
	int32_t tid;	    /* 0: free */
	int32_t timer;	    /* -1: it could get none */
	uint64_t seen_ns;   /* its CPU time at the last sample, or when it got the timer */
	uint64_t first_ns;  /* what its first sample stands for; */
	uint64_t due_ns;    /* that comes at this CPU time at the latest */
	uint64_t stack_end; /* 0: not known */
	bool sampled;
	bool named;
	char comm[16]; /* as last reported */
};

struct preload_range {
	uint64_t start, end, hash;
};

/* Of one process. The kernel clears this memory in a child after fork (MADV_WIPEONFORK), however that was
 * made. A child of vfork shares it. */
struct preload_state {
	uint32_t ready;
	int32_t pid;
	uint32_t pid_namespace;
	uint64_t main_stack_end;
	int32_t looker;			/* the thread of wall.c; 0: none */
	uint32_t sampling;		/* threads in the signal handler */
	uint32_t looking;		/* at /proc/self/task: claimed */
	uint64_t look_ns, look_wait_ns; /* when to look again; the time in between */
	uint32_t mapping;		/* claimed: what follows */
	uint32_t table;			/* which of `ranges` is current */
	uint32_t range_count[2];
	uint64_t mapped_ns; /* when the mappings were last read; */
	uint64_t map_took_ns;
	uint64_t unloaded_ns;  /* when a library was unloaded since; 0: none was */
	bool unmapped_samples; /* there were samples since */
	struct preload_slot slots[PRELOAD_SLOTS];
	struct preload_range ranges[2][PRELOAD_RANGES];
	char text[PRELOAD_TEXT];
	uint8_t used[PRELOAD_THREADS /
		     PRELOAD_GROUP]; /* groups of rows that are no longer untouched */
	struct preload_thread threads[PRELOAD_THREADS];
};

/* NULL: the process is not profiled. */
extern struct preload_head *preload_head;
extern struct preload_state *preload_state;

/* ---- start.c ---- */

/* The state of this process, which is set up first if it is a child that has none. NULL: it is not
 * profiled, or the memory is that of the parent of a child of vfork. */
struct preload_state *preload_own(void);
/* True if the recording has ended, and this process goes on, or if the library has retired. In signal
 * handlers. */
bool preload_is_over(void);
/* From now on there are no samples of this process and of those that it forks, for a reason that is reported: the
 * library makes no more system calls. In signal handlers. */
void preload_retire(enum preload_refusal why);
bool preload_has_retired(void);
/* Now, by the reader's CLOCK_MONOTONIC. In signal handlers. */
uint64_t preload_now(void);

/* ---- chunks.c; in signal handlers ---- */

/* Room for a record of at most @bytes, a multiple of 8. NULL: none; the caller counts what is lost. */
void *preload_begin(struct preload_state *state, size_t bytes, struct preload_slot **ret_slot);
/* The record has @bytes; 0: there is none after all. */
void preload_end(struct preload_slot *slot, size_t bytes);
/* The process ends, or executes a program: its chunks can be taken back. */
void preload_leave_chunks(struct preload_state *state);
/* The fields at the end of the kernel's records. */
void preload_trail(struct preload_trailer *trailer, int32_t tid, uint64_t time_ns);
/* A thread or process was made; @pid and @tid are the new one's. */
void preload_put_fork(struct preload_state *state, int32_t pid, int32_t parent_pid, int32_t tid,
		      int32_t parent_tid, uint64_t time_ns);
/* A thread of the process has ended. Of the process, the reader finds that out. */
void preload_put_thread_exit(struct preload_state *state, int32_t tid, uint64_t time_ns);
void preload_put_comm(struct preload_state *state, int32_t tid, const char *comm, bool exec,
		      uint64_t time_ns);

/* A record other than a sample found no room. */
void preload_lose_record(void);

/* ---- control.c ---- */

extern uint32_t preload_stopped; /* the program wants no samples */

/* ---- threads.c ---- */

/* Gives the calling thread a timer. */
void preload_add_thread(struct preload_state *state);
/* Gives thread @tid a timer, which another one has just made, with a stack that ends at @stack_end; 0: not known. */
void preload_add_new_thread(struct preload_state *state, int32_t tid, uint64_t stack_end);
/* In signal handlers. */
void preload_remove_timer(struct preload_thread *thread);
void preload_remove_timers(struct preload_state *state); /* all; likewise */
/* Gives a timer to all threads that have none, and takes those of ended ones away, if it is time: after a
 * tenth of a second, or after up to 1.6 s while there are none. In signal handlers. */
void preload_look(struct preload_state *state, uint64_t now_ns);
/* The CPU time of the calling thread, as the timers count it. In signal handlers. */
uint64_t preload_cpu_ns(int32_t tid);

/* ---- wall.c ---- */

/* Starts the thread that looks at waiting threads. */
void preload_start_looker(struct preload_state *state);

/* ---- maps.c; in signal handlers ---- */

/* Reads the mappings and reports new ones. They may have been there since the last call. */
void preload_read_maps(struct preload_state *state, uint64_t now_ns);
/* The same if @pc is in no mapping that is known, unless the last time was just now, or if a library was
 * unloaded. */
void preload_follow_maps(struct preload_state *state, uint64_t now_ns, uint64_t pc);

/* ---- sample.c ---- */

/* Installs the signal handler. True if the signal was ignored. */
bool preload_catch(void);
/* True if 8 bytes can be read there. In signal handlers. */
bool preload_is_readable(uint64_t address);
/* True if one of our timers sent the signal, or had before it was removed. @info: a siginfo_t. */
bool preload_is_timers(const void *info);

/* ---- signals.c ---- */

/* What came with our signal and is not ours: the program's own handler, or what the kernel would do. In
 * signal handlers. */
void preload_pass_on(int signal, void *info, void *context);
/* The calling thread lets our signal come. @blocked: it would not. That it does not let it come now says the
 * same. */
void preload_unblock(bool blocked);
/* The program wants our signal to be blocked in the calling thread. */
bool preload_program_blocks(void);
/* The program was executed with the signal ignored. */
void preload_ignore(void);
/* Around a call that executes a program or makes a process that does: it inherits what the program has set for
 * our signal. @in_exec: the calling process itself executes it. */
void preload_show_signal(bool in_exec);
void preload_hide_signal(bool in_exec);

/* ---- waits.c ---- */

/* Blocks our signal in the calling thread, as the program wants, and sends this one again. In signal handlers. */
void preload_yield(void *info, void *context);
/* The calling thread has done so, and its mask is what the program says; until this is over. */
bool preload_thread_yields(void);
void preload_thread_ends_yield(void);

/* ---- execs.c ---- */

/* Keeps what programs that are executed need: the path of this library, and the variable. */
void preload_keep_environment(char *const *environment);
/* What is to be known before the process ends or executes another program. In signal handlers. */
void preload_finish(void);
/* Reports that the program has no samples from now on. In signal handlers. */
void preload_report_end(enum preload_refusal why);

/* ---- the functions that this library stands before ---- */

/* clang-format off */
#define PRELOAD_NEXTS(X) \
	X(pthread_create) X(thrd_create) X(clone) X(_Fork) X(prctl) \
	X(sigaction) X(__sigaction) X(signal) X(bsd_signal) X(sysv_signal) X(__sysv_signal) X(sigset) \
	X(sigprocmask) X(pthread_sigmask) X(sigwait) X(sigwaitinfo) X(sigtimedwait) X(signalfd) \
	X(execve) X(execvpe) X(fexecve) X(posix_spawn) X(posix_spawnp) X(quick_exit) \
	X(dlclose)
/* clang-format on */

#define PRELOAD_NEXT_ENUM(name) PRELOAD_NEXT_##name,
enum preload_next { PRELOAD_NEXTS(PRELOAD_NEXT_ENUM) PRELOAD_NEXT_COUNT };

/* The C library's function of that name; NULL: it has none, and no program calls ours. All are looked up
 * when the library is loaded: later that might wait for a lock. */
#define PRELOAD_NEXT(name) preload_next(PRELOAD_NEXT_##name)
void *preload_next(enum preload_next which);

#endif
