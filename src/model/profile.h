/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile in memory: the dictionaries that give samples their meaning, and the facts of the run.
 * The recorder fills it, the store writes and reads it, aggregate and present look at it. All
 * references are indices into the arrays below; index 0 of each is "none" (an all-zero row made by
 * profile_new) except for strings, where 0 is "", and events, which start at 0.
 *
 * Rows are only ever appended. `dirty` marks rows that changed after they were made, so that the
 * store writes them again. While a recorder runs, rows of processes and tasks that have ended and
 * are in the file are emptied (all zero).
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "model/branches.h"
#include "model/loss.h"
#include "model/sample.h"
#include "model/words.h"

enum {
	PROFILE_MAX_EVENTS = 32,
	BUILD_ID_MAX = 20,
};

/* A file (or kernel, module ...) whose code ran. Two images are the same file when their build ids
 * are equal or, where one lacks it, (dev, inode, size, mtime); see profile_image. */
struct image {
	enum image_kind kind;
	enum image_state state;
	str_id path; /* as mapped, without " (deleted)"; "[kernel]", "[name]" for modules and
			buckets */
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_size; /* bytes; 0: unknown */
	uint64_t dev;	  /* makedev(major, minor) as the kernel's mmap record has it; 0: unknown */
	uint64_t inode;	  /* 0: unknown; of IMAGE_ANON: the process it belongs to */
	uint64_t size;	  /* bytes; 0: unknown */
	int64_t mtime_ns; /* 0: unknown */
	bool dirty;
};

/* One program run: (pid, start time, exec count). fork makes a new one with the parent's program,
 * exec makes a new one with the same pid. Shown as program#instance. */
struct process {
	int32_t pid;
	uint32_t exec_count; /* execs seen in this pid since the recording began */
	uint64_t start_ns;   /* CLOCK_MONOTONIC of the fork (before the recording: from /proc) */
	uint64_t end_ns;     /* exit or the exec that replaced it; 0: still there at the end */
	uint32_t parent;     /* process; for an exec the one it replaced */
	uint32_t uid;
	str_id program; /* basename of the executable; a script: its name at exec; kernel: its comm
			 */
	uint32_t instance; /* 1, 2 ... in order of appearance among the same program */
	str_id cgroup; /* path in the unified hierarchy, else in the first named one; "" unknown */
	str_id container; /* short id or name taken from the cgroup path; "" none */
	bool kernel_thread;
	bool in_command; /* the profiled command or a descendant of it */
	bool dirty;
};

/* A thread under one name: (process, tid, comm at that time). */
struct task {
	uint32_t process;
	int32_t tid;
	str_id comm;
};

/* A function. Equal names at different starts are different functions. */
struct symbol {
	uint32_t image;
	str_id name;	/* as in the symbol table, mangled */
	uint64_t start; /* ELF virtual address; kernel: offset from _text; module: from its base */
	uint64_t size;	/* bytes; 0: unknown */
	enum symbol_kind kind;
};

/* A place in an image. */
struct frame {
	uint32_t image;
	uint64_t offset;  /* file offset for files, else as symbol.start; bucket: the raw address */
	uint64_t address; /* ELF virtual address as objdump shows it; equals offset for non-files,
			     but see place/jit/jit.h for IMAGE_ANON */
	bool address_known; /* the file's program headers were read */
	enum frame_kind kind;
	uint32_t symbol; /* 0: not resolved yet */
	bool dirty;
};

/* The bytes of a function that was sampled often, as they were: what ran is shown even when its
 * file is gone, or the kernel was patched since. */
struct kept_code {
	uint32_t image;
	uint64_t start;	  /* of the first byte: as frame.offset in images of the kind ANON, else as
			     frame.address */
	uint64_t address; /* of the first byte, as frame.address */
	uint32_t machine; /* EM_ of elf.h */
	bool is_64;
	uint8_t *bytes; /* owned by the profile */
	uint32_t size;
};

/* What a program told of a line of the code it made (IMAGE_ANON), which no file has: the code from
 * @start on is of it. Only of places that were sampled, and of whole functions that were often. */
struct told_line {
	uint32_t image;
	uint64_t start, size; /* bytes; as frame.offset */
	str_id file;
	uint32_t line;
};

/* A trie of stacks: the node is the innermost frame, its parent the caller. parent id < child id.
 */
struct stack_node {
	uint32_t parent; /* 0: root */
	uint32_t frame;
	uint32_t depth; /* frames up to here: root has 1 */
};

/* What was sampled and what came of it. Samples and weights of lost ticks are in loss[]. */
struct event {
	str_id name; /* "cpu-clock", "cycles" ... */
	str_id unit; /* "ns" or "count" */
	enum clock_kind clock;
	double rate_hz;	 /* samples asked for per second and CPU; 0: a fixed period */
	uint64_t period; /* the period asked for, in the unit; 0: a rate */
	uint64_t samples, user_samples, kernel_samples;
	uint64_t weight; /* sum over all samples */
	struct loss loss[LOSS_COUNT];
};

/* Layer 2: all samples alike in everything but time and CPU, added up. */
struct total {
	uint32_t task;
	uint32_t stack;
	uint8_t event;
	uint8_t mode;
	uint8_t context;
	uint64_t samples;
	uint64_t weight;
	double weight_squared; /* sum of the squares: gives the effective sample size */
};

/* Facts of the run, one value each: type, name. They become header rows of the file by that name.
 */
#define RUN_FACTS(X)                                                                               \
	X(TEXT, prospect_version)                                                                  \
	X(TEXT, hostname)                                                                          \
	X(TEXT, kernel_release)                                                                    \
	X(TEXT, machine)                                                                           \
	X(TEXT, command) /* as typed, blanks between */                                            \
	X(TEXT,                                                                                    \
	  scope)      /* "machine", "command", "processes"; "perf": imported, rung: its version */ \
	X(TEXT, rung) /* the rung of the privilege ladder, see sampling/sampler.h */               \
	X(TEXT, stacks) /* "full", "fp" by frame pointers, else "none" or NULL: leaves only */     \
	X(TEXT,                                                                                    \
	  not_visible) /* sentences joined by newlines: what was not seen, why, the          \
				mend */     \
	X(TEXT, names_added) /* lines, one for each image named later: when, from which file */    \
	X(NUMBER, cpus)                                                                            \
	X(NUMBER, start_ns) /* CLOCK_MONOTONIC */                                                  \
	X(NUMBER, start_realtime_ns)                                                               \
	X(NUMBER, end_ns) /* 0: not finished properly */                                           \
	X(NUMBER, command_pid)                                                                     \
	X(NUMBER, command_status) /* as from wait(2) */                                            \
	X(NUMBER, prospect_pid)                                                                    \
	X(NUMBER, idle_ns)                                                                         \
	X(NUMBER, iowait_ns)                                                                       \
	X(NUMBER, steal_ns)	     /* /proc/stat over the run */                                 \
	X(NUMBER, stat_busy_ns)	     /* user+nice+system+irq+softirq of /proc/stat */              \
	X(NUMBER, stat_irq_ns)	     /* irq+softirq of it */                                       \
	X(NUMBER, stat_shortfall_ns) /* CPUs x wall less everything /proc/stat accounts for */     \
	X(NUMBER, self_cpu_ns)	     /* prospect's own user + system time, start to finish */      \
	X(NUMBER, recording_cpu_ns)  /* of it from start_ns to end_ns; 0: not told apart */        \
	X(NUMBER, interrupt_ns)	     /* samples x calibrated cost; 0 with interrupt_known 0 */     \
	X(NUMBER, interrupt_known)                                                                 \
	X(NUMBER, bpf_ns)                                                                          \
	X(NUMBER, max_rss_kb)                                                                      \
	X(NUMBER, ring_kb) /* of one CPU */                                                        \
	X(NUMBER, ring_high_water_permille)                                                        \
	X(NUMBER, ring_mean_permille)                                                              \
	X(NUMBER, flushes)                                                                         \
	X(NUMBER, file_inode) /* see store/origin.h */                                             \
	X(NUMBER, file_birth_ns)

struct run_facts {
#define FACT_TEXT	       char *
#define FACT_NUMBER	       uint64_t
#define FACT_FIELD(type, name) FACT_##type name;
	RUN_FACTS(FACT_FIELD)
#undef FACT_FIELD
#undef FACT_TEXT
#undef FACT_NUMBER
	/* texts are owned by the profile; NULL means "" */
};

struct profile {
	struct strpool strings;
	VEC(struct image) images;
	VEC(struct process) processes;
	VEC(struct task) tasks;
	VEC(struct symbol) symbols;
	VEC(struct frame) frames;
	VEC(struct stack_node) stacks;
	VEC(struct kept_code) codes;
	VEC(struct told_line) lines;
	struct event events[PROFILE_MAX_EVENTS];
	size_t event_count;
	struct branches branches; /* only of imports; a reader leaves them in the file */
	struct run_facts run;
	size_t forgotten_processes, forgotten_tasks; /* how many rows are empty for that */
	/* private to profile.c: find rows by their key */
	struct hashidx image_index, task_index, symbol_index, frame_index, stack_index, line_index;
};

struct profile *profile_new(void);
void profile_free(struct profile *profile); /* NULL is fine */
/* Leaves the run, the events and the strings. There are no rows any more, not even those at 0, and
 * none can be made. */
void profile_forget_rows(struct profile *profile);
/* The same of stacks alone. */
void profile_forget_stacks(struct profile *profile);

/* Each returns the index of the row equal to *key in its identity, made if it was not there.
 * Identity: image: kind, path, build id, dev, inode, size, mtime; task: all; symbol: image, start,
 * name, kind; frame: image, offset, kind; stack: parent, frame (depth is filled in); line: image,
 * start. */
uint32_t profile_image(struct profile *profile, const struct image *key);
uint32_t profile_task(struct profile *profile, const struct task *key);
uint32_t profile_symbol(struct profile *profile, const struct symbol *key);
uint32_t profile_frame(struct profile *profile, const struct frame *key);
uint32_t profile_stack(struct profile *profile, uint32_t parent, uint32_t frame);
uint32_t profile_line(struct profile *profile, const struct told_line *key);

/* Makes the symbols of a profile that was loaded be found by profile_symbol. */
void profile_index_symbols(struct profile *profile);

/* Appends a row; nothing is shared. process: the instance number is the caller's business. */
uint32_t profile_add_process(struct profile *profile, const struct process *process);

/* Empties the rows of processes that have ended and are in the file, and those of their tasks; the
 * memory they took is given back. Their indices stay theirs, and are not looked up any more. */
void profile_forget_processes(struct profile *profile, const uint32_t *processes, size_t count);

/* Appends code; @code->bytes are copied. */
void profile_add_code(struct profile *profile, const struct kept_code *code);
/* The code that has a frame's address; NULL: none was kept. */
const struct kept_code *profile_code(const struct profile *profile, uint32_t frame);

/* A bucket image by its bracketed name, e.g. "[unmapped]". */
uint32_t profile_bucket(struct profile *profile, const char *name);

/* Was this image not read in time? Of several by one name (a mapping told with its build id, and one
 * without) only the first counts. */
bool profile_is_late(const struct profile *profile, uint32_t image);

/* The one frame that stands at the root of stacks that end for this reason; 0 for
 * STACK_COMPLETE. */
uint32_t profile_cut(struct profile *profile, enum stack_end end);
/* How a stack (its innermost node) ends, told from its outermost frame. */
enum stack_end profile_stack_end(const struct profile *profile, uint32_t stack);

/* Replaces a text fact with a copy. */
void profile_set_text(char **fact, const char *value);

/* Shorthands that never fail: text of an id. */
const char *profile_text(const struct profile *profile, str_id id);

/* Loss of all events added up, by reason. */
struct loss profile_loss(const struct profile *profile, enum loss_reason reason);

#endif
