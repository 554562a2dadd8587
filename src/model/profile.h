/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile in memory: the dictionaries that samples refer to, and facts of the run. The recorder
 * fills it, the store writes and reads it, aggregate and present read it. All references are
 * indices into the arrays below. Index 0 of each array means "none" (an all-zero row made by
 * profile_new), with two exceptions: string 0 is "", and events start at 0.
 *
 * Rows are only ever appended. `dirty` marks a row that changed after it was made, so the store
 * writes it again. During a recording, rows of ended processes and their tasks are emptied (all
 * zero) once they are in the file.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "model/loss.h"
#include "model/words.h"

enum {
	PROFILE_MAX_EVENTS = 32,
	BUILD_ID_MAX = 20,
};

/* A file (or kernel, module ...) whose code ran. For two images to be one file, either their build
 * ids are equal or, where one lacks it, their (dev, inode, size, mtime); see profile_image. */
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

/* One run of a program: (pid, start time, exec count). fork makes a new one with the parent's
 * program, exec makes a new one with the same pid. Shown as program#instance. */
struct process {
	int32_t pid;
	uint32_t exec_count; /* execs seen in this pid since the recording began */
	uint64_t start_ns;   /* CLOCK_MONOTONIC of the fork (before the recording: from /proc) */
	uint64_t end_ns;     /* exit or the exec that replaced it; 0: still there at the end */
	uint32_t parent;     /* process; for an exec the one it replaced */
	uint32_t uid;
	str_id program; /* the name that was executed, without folders; kernel: its comm */
	str_id exe;	/* path of the executable, of a script that of its interpreter; "": unknown,
			   or none */
	uint32_t instance; /* 1, 2 ... in order of appearance among the same program */
	str_id cgroup; /* path in the unified hierarchy, else in the first named one; "": unknown */
	str_id container; /* short id or name taken from the cgroup path; "": none */
	bool kernel_thread;
	bool in_command; /* the profiled command, one chosen with -p, or a descendant */
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
			     except IMAGE_ANON: see place/jit/jit.h */
	bool address_known; /* the file's program headers were read */
	enum frame_kind kind;
	uint32_t symbol; /* 0: not resolved yet */
	bool dirty;
};

/* The original bytes of a frequently sampled function. A view can show the code that ran even if
 * its file is gone or the kernel has since been patched. */
struct kept_code {
	uint32_t image;
	uint64_t start;	  /* of the first byte: as frame.offset if the image is IMAGE_ANON, else as
			     frame.address */
	uint64_t address; /* of the first byte, as frame.address */
	uint32_t machine; /* EM_ of elf.h */
	bool is_64;
	uint8_t *bytes; /* owned by the profile */
	uint32_t size;
};

/* A source line of JIT code (IMAGE_ANON), as the program reported it: it covers the code from
 * @start on. No file has these lines. Kept for sampled places, and for the whole of frequently
 * sampled functions. */
struct source_line {
	uint32_t image;
	uint64_t start, size; /* bytes; as frame.offset */
	str_id file;
	uint32_t line;
};

/* What a person noted while it was recorded: "before-deploy". */
enum { MARKS_MAX = 1 << 20, MARK_MAX_BYTES = 1024 };

struct mark {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	str_id text;	  /* at most MARK_MAX_BYTES */
};

/* What the kernel says of all CPUs together in a part of the recording. */
enum { CPU_TIMES_MAX = 1 << 20 };

struct cpu_time {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
	uint64_t capacity_ns;	 /* CPUs x time; parts of it: */
	uint64_t idle_ns, iowait_ns, steal_ns;
	uint64_t lost_ns; /* of samples that did not fit into a ring */
};

/* A trie of stacks: a node stands for the innermost frame, its parent is the caller. parent id <
 * child id. */
struct stack_node {
	uint32_t parent; /* 0: root */
	uint32_t frame;
	uint32_t depth; /* frames up to here: root has 1 */
};

/* A sampled event and its sums. Losses of samples and weight are in loss[]. */
/* The time of threads, whether they run or wait (preload/wall.c). */
#define EVENT_WALL_CLOCK "wall-clock"

struct event {
	str_id name; /* "cpu-clock", "cycles", EVENT_WALL_CLOCK ... */
	str_id unit; /* "ns" or "count" */
	enum clock_kind clock;
	double rate_hz;	 /* requested samples per second and CPU; 0: a fixed period */
	uint64_t period; /* the requested period, in the unit; 0: a rate */
	uint64_t samples, user_samples, kernel_samples;
	uint64_t weight; /* sum over all samples */
	struct loss loss[LOSS_COUNT];
};

/*
 * Sums of branches that the processor recorded (LBR and the like): how often it branched from one
 * place to another while an event was sampled. Zero-initialised is empty.
 */
enum { BRANCHES_MAX = 1 << 22 }; /* pairs of places; more are left out and counted */

struct branch {
	uint32_t event;
	uint32_t from, to;     /* frames of the profile */
	uint64_t count;	       /* number of recordings */
	uint64_t mispredicted; /* of @count; 0 also if the processor does not say */
	uint64_t cycles;       /* sum of cycles since the previous branch; 0: not recorded */
};

struct branches {
	VEC(struct branch) list;
	struct hashidx index;
	uint64_t left_out; /* records dropped because the list was full */
};

/* Fields of a sample that a reader may leave out; reading fewer is faster. */
enum sample_field {
	SAMPLE_TIME = 1,
	SAMPLE_CPU = 2,
	SAMPLE_TASK = 4,
	SAMPLE_STACK = 8,
	SAMPLE_MODE = 16,
	SAMPLE_CONTEXT = 32,
	/* Fields that totals lack. */
	SAMPLE_NOT_IN_TOTALS = SAMPLE_TIME | SAMPLE_CPU,
	SAMPLE_ALL = 63,
};

/* One sample, as every stage passes it on: who ran what, where and when, and its weight. */
struct sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t weight;  /* the period it was taken with: ns for a clock, events for a counter */
	uint32_t task;	  /* index into profile.tasks */
	uint32_t stack;	  /* index into profile.stacks; the node is the leaf frame */
	uint16_t cpu;
	uint8_t event;	 /* index into profile.events */
	uint8_t mode;	 /* enum mode */
	uint8_t context; /* enum context */
};

/* Layer 2: the sum of all samples that differ only in time and CPU. */
struct total {
	uint32_t task;
	uint32_t stack;
	uint8_t event;
	uint8_t mode;
	uint8_t context;
	uint64_t samples;
	uint64_t weight;
	double weight_squared; /* sum of squared weights: gives the effective sample size */
};

/* Facts of the run, one value each: type, name, and what becomes of it when profiles are merged
 * (enum fact_merge). They become header rows of those names in the file. */
#define RUN_FACTS(X)                                                                               \
	X(TEXT, prospect_version, OWN)                                                             \
	X(TEXT, hostname, LIST)                                                                    \
	X(TEXT, kernel_release, LIST)                                                              \
	X(TEXT, machine, LIST)                                                                     \
	X(TEXT, machine_id, LIST) /* stays when it starts anew; "" or NULL: unknown */             \
	X(TEXT, boot_id, LIST)	  /* from one start of the machine to the next, likewise */        \
	X(TEXT, command, LIST)	  /* words for a shell, in quotes if need be */                    \
	/* "machine", "command", "processes", "threads"; "perf": imported; "mixed" */              \
	X(TEXT, scope, SAME)                                                                       \
	X(TEXT, rung, LIST) /* the rung of the privilege ladder, see sampling/sampler.h */         \
	/* "full", "fp" by frame pointers, "none" or NULL: leaves only; "mixed" */                 \
	X(TEXT, stacks, SAME)                                                                      \
	/* sentences joined by newlines: what was not seen, why, how to fix it */                  \
	X(TEXT, not_visible, LINES)                                                                \
	X(TEXT, costs_more, LINES) /* as not_visible: what was seen at a higher cost */            \
	/* one line for each image named later: when, from which file */                           \
	X(TEXT, names_added, LINES)                                                                \
	X(TEXT, only_cpus, LIST) /* the CPUs that were sampled, as typed; "" or NULL: all */       \
	X(NUMBER, cpus, OWN)	 /* how many were sampled */                                       \
	X(NUMBER, start_ns, OWN) /* CLOCK_MONOTONIC */                                             \
	X(NUMBER, start_realtime_ns, OWN)                                                          \
	X(NUMBER, end_ns, OWN)	    /* 0: not finished properly */                                 \
	X(NUMBER, capacity_ns, OWN) /* CPUs x wall of what was merged; 0: not merged */            \
	X(NUMBER, gap_ns, OWN)	    /* the same of the time between, which was not recorded */     \
	X(NUMBER, command_pid, SAME)                                                               \
	X(NUMBER, command_status, SAME) /* as from wait(2) */                                      \
	X(NUMBER, command_begin_ns, OWN)                                                           \
	X(NUMBER, command_end_ns, OWN) /* of it, or of what was recorded of it or of -p */         \
	X(NUMBER, command_ns, OWN)     /* elapsed, of all that were merged; 0: not merged */       \
	X(NUMBER, command_user_ns, SUM)                                                            \
	X(NUMBER, command_system_ns, SUM) /* from wait4(2), once it has ended */                   \
	X(NUMBER, waited_known, LEAST) /* 0: no; 1: how long, in waited_unknown_ns; 2: for what */ \
	X(NUMBER, waited_disk_ns, SUM) /* of the command's time: when none of its threads ran */   \
	X(NUMBER, waited_sleep_ns, SUM) /* or was runnable, by what it waited for (WAITS) */       \
	X(NUMBER, waited_lock_ns, SUM)                                                             \
	X(NUMBER, waited_pipe_ns, SUM)                                                             \
	X(NUMBER, waited_network_ns, SUM)                                                          \
	X(NUMBER, waited_poll_ns, SUM)                                                             \
	X(NUMBER, waited_terminal_ns, SUM)                                                         \
	X(NUMBER, waited_child_ns, SUM)                                                            \
	X(NUMBER, waited_signal_ns, SUM)                                                           \
	X(NUMBER, waited_stopped_ns, SUM)                                                          \
	X(NUMBER, waited_other_ns, SUM)                                                            \
	X(NUMBER, waited_unknown_ns, SUM)                                                          \
	X(NUMBER, lock_wait_ns, SUM) /* of all its threads together, blocked on locks */           \
	/* waits whose reasons were not asked for: too many a second */                            \
	X(NUMBER, waits_not_asked, SUM)                                                            \
	X(NUMBER, prospect_pid, SAME)                                                              \
	X(NUMBER, idle_ns, SUM)                                                                    \
	X(NUMBER, iowait_ns, SUM)                                                                  \
	X(NUMBER, steal_ns, SUM)     /* /proc/stat over the run */                                 \
	X(NUMBER, stat_busy_ns, SUM) /* user+nice+system+irq+softirq of /proc/stat */              \
	X(NUMBER, stat_irq_ns, SUM)  /* irq+softirq of it */                                       \
	/* CPUs x wall minus all time that /proc/stat accounts for */                              \
	X(NUMBER, stat_shortfall_ns, SUM)                                                          \
	X(NUMBER, self_cpu_ns, SUM)	 /* prospect's own user + system time, start to finish */  \
	X(NUMBER, recording_cpu_ns, SUM) /* of it from start_ns to end_ns; 0: not known */         \
	X(NUMBER, interrupt_ns, SUM) /* samples x calibrated cost; 0 if interrupt_known is 0 */    \
	X(NUMBER, interrupt_known, LEAST)                                                          \
	X(NUMBER, bpf_ns, SUM)                                                                     \
	X(NUMBER, max_rss_kb, MOST)                                                                \
	X(NUMBER, ring_kb, MOST) /* of one CPU */                                                  \
	X(NUMBER, ring_high_water_permille, MOST)                                                  \
	X(NUMBER, ring_mean_permille, MOST)                                                        \
	X(NUMBER, flushes, SUM)                                                                    \
	X(NUMBER, file_inode, OWN) /* see store/origin.c */                                        \
	X(NUMBER, file_birth_ns, OWN)

/* How the values of a fact become one: */
enum fact_merge {
	FACT_OWN,   /* settled by its meaning (model/merge.c), or not at all */
	FACT_SUM,   /* added up */
	FACT_LEAST, /* the smallest */
	FACT_MOST,  /* the largest */
	FACT_SAME,  /* what all agree on; if they do not, 0 or "mixed" */
	FACT_LIST,  /* each that differs, with commas */
	FACT_LINES, /* each line that differs */
};

struct run_facts {
#define FACT_TEXT		      char *
#define FACT_NUMBER		      uint64_t
#define FACT_FIELD(type, name, merge) FACT_##type name;
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
	VEC(struct source_line) lines;
	VEC(struct cpu_time) cpu_times; /* of a machine; one after another; row 0 is one, too */
	VEC(struct mark) marks;		/* in the order in which they were set; row 0 is one, too */
	struct event events[PROFILE_MAX_EVENTS];
	size_t event_count;
	struct branches branches; /* imports only; a reader leaves them in the file */
	struct run_facts run;
	size_t forgotten_processes, forgotten_tasks; /* numbers of rows that were emptied */
	struct vec_holes process_holes, task_holes;  /* where they were: not to be read */
	/* private to profile.c: find rows by their key */
	struct hashidx image_index, task_index, symbol_index, frame_index, stack_index, line_index;
};

struct profile *profile_new(void);
void profile_free(struct profile *profile); /* NULL is fine */
/* Frees all rows, even those at index 0, and keeps the run, the events and the strings. No row can
 * be made afterwards. */
void profile_forget_rows(struct profile *profile);
/* The same for stacks alone. */
void profile_forget_stacks(struct profile *profile);

/* Each returns the index of the row whose identity equals *key's, and appends it if there is none.
 * Identity by type:
 *   image: kind, path, build id, dev, inode, size, mtime
 *   task: all
 *   symbol: image, start, name, kind
 *   frame: image, offset, kind
 *   stack: parent, frame (depth is filled in)
 *   line: image, start */
uint32_t profile_image(struct profile *profile, const struct image *key);
uint32_t profile_task(struct profile *profile, const struct task *key);
uint32_t profile_symbol(struct profile *profile, const struct symbol *key);
uint32_t profile_frame(struct profile *profile, const struct frame *key);
uint32_t profile_stack(struct profile *profile, uint32_t parent, uint32_t frame);
uint32_t profile_line(struct profile *profile, const struct source_line *key);

/* Indexes the symbols of a loaded profile, so that profile_symbol finds them. */
void profile_index_symbols(struct profile *profile);

/* Appends a row without looking for an equal one. The caller sets the instance number. */
uint32_t profile_add_process(struct profile *profile, const struct process *process);

/* Empties the rows of processes that have ended and are in the file, and the rows of their tasks,
 * and gives the memory back. Their indices are not used again, and no lookup finds them. */
void profile_forget_processes(struct profile *profile, const uint32_t *processes, size_t count);

/* Appends code; @code->bytes are copied. */
void profile_add_code(struct profile *profile, const struct kept_code *code);
/* The kept code that holds a frame's address; NULL: none. */
const struct kept_code *profile_code(const struct profile *profile, uint32_t frame);

/* Adds one; too many are left out. */
void profile_add_cpu_time(struct profile *profile, const struct cpu_time *time);
/* The sum of those parts that are within; one that is partly within counts in proportion. */
struct cpu_time profile_cpu_time(const struct profile *profile, uint64_t from_ns, uint64_t to_ns);
/* True if these losses have times: those of the clock that did not fit into a ring, in proportion to
 * cpu_times. */
bool profile_loss_has_times(const struct profile *profile, size_t event, enum loss_reason reason);
/* Of losses with times, those of that part stay; all others stay as they are. */
void profile_clip_losses(struct profile *profile, uint64_t from_ns, uint64_t to_ns);
/* Makes it a profile of that part of its time, as far as the facts of the run, the account and losses
 * with times are concerned. Samples of events are 0 then: the caller counts them. Rows stay. */
void profile_clip(struct profile *profile, uint64_t from_ns, uint64_t to_ns);
/* Notes a mark. False: there are too many, or the text is empty or too long. */
bool profile_add_mark(struct profile *profile, uint64_t time_ns, const char *text);

/* A bucket image by its bracketed name, e.g. "[unmapped]". */
uint32_t profile_bucket(struct profile *profile, const char *name);

/* True if the image was not read in time. Where several images have one path (a mapping recorded
 * with its build id, and one without), only the first counts. */
bool profile_is_late(const struct profile *profile, uint32_t image);

/* The frame at the root of all stacks that end for this reason; 0 for STACK_COMPLETE. */
uint32_t profile_cut(struct profile *profile, enum stack_end end);
/* Why a stack, given by its innermost node, ends: its outermost frame says so. */
enum stack_end profile_stack_end(const struct profile *profile, uint32_t stack);

/* Adds the numbers of @branch to those of the same event and places. */
void profile_add_branch(struct profile *profile, const struct branch *branch);
/* Replaces a text fact with a copy. */
void profile_set_text(char **fact, const char *value);
/* Adds a sentence to run.not_visible. */
void profile_not_visible(struct profile *profile, const char *sentence);

/* The text of an id; never fails. */
const char *profile_text(const struct profile *profile, str_id id);

/* The loss for one reason, summed over all events. */
struct loss profile_loss(const struct profile *profile, enum loss_reason reason);

#endif
