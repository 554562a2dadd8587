/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The enumerated words that all stages share, each list in one place with its names. The same texts
 * are printed, accepted by --select and stored in the profile file.
 */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include <stdbool.h>

/* The processor's mode: id, name */
#define MODES(X)        \
	X(USER, "user") \
	X(KERNEL, "kernel")

/* On whose behalf the kernel ran: TASK is the process's own doing, the others interrupted it. */
#define CONTEXTS(X)           \
	X(TASK, "task")       \
	X(SOFTIRQ, "softirq") \
	X(HARDIRQ, "hardirq")

/* How a frame's address was found:
 *   EXACT: a program counter
 *   RETURN: the address after a call; resolves at address - 1
 *   SIGNAL: was interrupted by a signal
 *   ENABLES: a program counter of the kernel where interrupts had just been enabled. The clock, an
 *     interrupt itself, waited for that: the time was spent before, with interrupts off */
#define FRAME_KINDS(X)      \
	X(EXACT, "exact")   \
	X(RETURN, "return") \
	X(SIGNAL, "signal") \
	X(ENABLES, "enables")

/* The largest --max-depth. */
#define STACK_MOST_USER_FRAMES 1024

/* Why a stack ends: id, name, what a person reads. The outermost frame of an incomplete stack is
 * the only place of the image "[cut:NAME]" (profile_cut). */
#define STACK_ENDS(X)                                                                     \
	X(COMPLETE, "complete", "reach the start of their thread")                        \
	X(NO_ROWS, "no rows", "no unwind table covers an address")                        \
	X(NO_MEMORY, "no memory", "the thread's stack could not be read")                 \
	X(BAD_FRAME, "bad frame", "an invalid address on the stack")                      \
	X(TOO_DEEP, "too deep", "more frames than --max-depth")                           \
	X(TOO_LARGE, "too large", "more stack than was copied")                           \
	X(IN_EXEC, "in exec", "the kernel was setting up a new program")                  \
	X(GONE, "process gone", "the thread was exiting and its memory was gone")         \
	X(STALE, "mappings changed", "its mappings had just changed")                     \
	X(LOST, "lost", "the record with the stack was lost")                             \
	X(FRAME_POINTERS, "frame pointers",                                               \
	  "found by frame pointers alone: frames may be missing")                         \
	X(UNKNOWN, "not seen", "the user part could not be seen")                         \
	X(SWITCHED, "other stack", "the program switched stacks and no table leads back") \
	X(DAMAGED, "damaged", "the rest was in a damaged part of the profile")

/* What an image is:
 *   BUCKET: stands for addresses without a file, named by its path: "[unmapped]", "[exec]" ...
 *   CUT: not code, but why a stack is not complete
 *   WAIT: not code, but what the thread did (WAITS) while it did not run; a frame's offset is the
 *     task that woke it */
#define IMAGE_KINDS(X)      \
	X(FILE, "file")     \
	X(KERNEL, "kernel") \
	X(MODULE, "module") \
	X(BPF, "bpf")       \
	X(VDSO, "vdso")     \
	X(ANON, "anon")     \
	X(BUCKET, "bucket") \
	X(CUT, "cut")       \
	X(WAIT, "wait")

/* Whether an image's addresses have names, or why not: id, name, what a person reads */
#define IMAGE_STATES(X)                                                                      \
	X(UNREAD, "unread", "not read")                                                      \
	X(READ, "read", "symbols read")                                                      \
	X(STRIPPED, "stripped", "only dynamic symbols: install the package's debug symbols") \
	X(REPLACED, "replaced", "the file was replaced while it was in use")                 \
	X(GONE, "gone", "the file was deleted before it could be opened")                    \
	X(DENIED, "denied", "no permission to open the file")                                \
	X(NOT_ELF, "not_elf", "not a program or library: its code has no symbols to read")   \
	X(UNPROVEN, "unproven",                                                              \
	  "not known which file of this name it was: give its folder with --symfs")          \
	X(HIDDEN, "hidden",                                                                  \
	  "kernel addresses are hidden: needs CAP_SYSLOG or kernel.kptr_restrict=0")         \
	X(LATE, "late", "not read in time: its file system does not answer")

/* How a symbol is known:
 *   NAMED: from a symbol table
 *   BRACKET: no symbol covers the address, the name is "a->b" between its neighbours
 *   PLT: "name@plt"
 *   NONE: no information; the name is a bucket, e.g. "[unknown]" or the image's own "[unmapped]" */
#define SYMBOL_KINDS(X)       \
	X(NAMED, "named")     \
	X(BRACKET, "bracket") \
	X(PLT, "plt")         \
	X(NONE, "none")

/* What makes a sampling event tick:
 *   PMU_NMI: sees code that runs with interrupts off; the others charge it to the instruction
 *     that enables them
 *   SOFTWARE: no clock, the kernel's own code counts
 *   SCHEDULER: a sample is one of a thread's waits
 *   EXACT: everything was counted, nothing sampled
 * SCHEDULER and EXACT are about threads, not processors. */
#define CLOCKS(X)                 \
	X(PMU_NMI, "pmu-nmi")     \
	X(PMU_IRQ, "pmu-irq")     \
	X(TIMER, "timer")         \
	X(SOFTWARE, "software")   \
	X(SCHEDULER, "scheduler") \
	X(EXACT, "exact")

/* What a thread did while it did not run, or that it ran: id, name, what a person reads. The
 * innermost frame of such samples has an image (IMAGE_WAIT) whose path is the name in brackets. */
#define WAITS(X)                                                                       \
	X(RUNNING, "running", "on a processor")                                        \
	X(RUNNABLE, "runnable", "ready, waiting for a processor")                      \
	X(BLOCKED, "blocked", "something that was not recorded")                       \
	X(DISK, "disk", "a file system or block device")                               \
	X(NETWORK, "network", "a socket")                                              \
	X(LOCK, "lock", "a lock or condition: futex, mutex, semaphore")                \
	X(PIPE, "pipe", "a pipe, FIFO or message queue")                               \
	X(TERMINAL, "terminal", "a terminal")                                          \
	X(POLL, "poll", "any of several files: poll, select, epoll")                   \
	X(SLEEP, "sleep", "a timer")                                                   \
	X(CHILD, "child", "a child process")                                           \
	X(SIGNAL, "signal", "a signal")                                                \
	X(STOPPED, "stopped", "to be continued after a stop signal, or by its tracer") \
	X(MEMORY, "memory", "memory to become free")                                   \
	X(WORK, "work", "work for a kernel thread")                                    \
	X(OTHER, "other", "something its kernel stack does not show")

#define MODE_ENUM(id, ...) MODE_##id,
enum mode { MODES(MODE_ENUM) MODE_COUNT };

#define CONTEXT_ENUM(id, ...) CONTEXT_##id,
enum context { CONTEXTS(CONTEXT_ENUM) CONTEXT_COUNT };

#define FRAME_ENUM(id, ...) FRAME_##id,
enum frame_kind { FRAME_KINDS(FRAME_ENUM) FRAME_KIND_COUNT };

#define STACK_END_ENUM(id, ...) STACK_##id,
enum stack_end { STACK_ENDS(STACK_END_ENUM) STACK_END_COUNT };

#define IMAGE_ENUM(id, ...) IMAGE_##id,
enum image_kind { IMAGE_KINDS(IMAGE_ENUM) IMAGE_KIND_COUNT };

#define IMAGE_STATE_ENUM(id, ...) IMAGE_STATE_##id,
enum image_state { IMAGE_STATES(IMAGE_STATE_ENUM) IMAGE_STATE_COUNT };

#define SYMBOL_ENUM(id, ...) SYMBOL_##id,
enum symbol_kind { SYMBOL_KINDS(SYMBOL_ENUM) SYMBOL_KIND_COUNT };

#define CLOCK_ENUM(id, ...) CLOCK_##id,
enum clock_kind { CLOCKS(CLOCK_ENUM) CLOCK_KIND_COUNT };

#define WAIT_ENUM(id, ...) WAIT_##id,
enum wait { WAITS(WAIT_ENUM) WAIT_COUNT };

/* The name of a word; the value must be below its _COUNT. */
const char *mode_name(enum mode mode);
const char *context_name(enum context context);
const char *frame_kind_name(enum frame_kind kind);
const char *stack_end_name(enum stack_end end);
const char *stack_end_text(enum stack_end end);
const char *image_kind_name(enum image_kind kind);
const char *image_state_name(enum image_state state);
const char *image_state_text(enum image_state state);
const char *symbol_kind_name(enum symbol_kind kind);
const char *clock_kind_name(enum clock_kind kind);
const char *wait_name(enum wait wait);
const char *wait_text(enum wait wait);

/* True for the kernel, its modules and BPF programs. */
bool image_kind_is_kernel(enum image_kind kind);

/* The word with this name, or the list's _COUNT. */
enum mode mode_by_name(const char *name);
enum context context_by_name(const char *name);
enum frame_kind frame_kind_by_name(const char *name);
enum stack_end stack_end_by_name(const char *name);
enum image_kind image_kind_by_name(const char *name);
enum image_state image_state_by_name(const char *name);
enum symbol_kind symbol_kind_by_name(const char *name);
enum clock_kind clock_kind_by_name(const char *name);
enum wait wait_by_name(const char *name);

#endif
