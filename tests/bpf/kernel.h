/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel for BPF programs that are compiled for this machine: maps with the limits and flags that
 * the kernel's have, and helpers (include/bpf/bpf_helpers.h) that answer what a test has set. A test
 * includes the program's source, so that it sees all of it, and calls its functions by KERNEL_RUN.
 *
 * It is made to find a program's mistakes: each value of a map is an allocation of its own, which the
 * address sanitizer guards, and what a program deletes is freed when that program is over, as after
 * a grace period of RCU. There is one kernel at a time, as helpers have no argument for it.
 */
#ifndef TESTS_BPF_KERNEL_H
#define TESTS_BPF_KERNEL_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KERNEL_CPUS = 4,
	KERNEL_COMM_SIZE = 16,
	KERNEL_ARGUMENTS = 6,
	KERNEL_MAX_STACK = 127,	 /* frames, as kernel.perf_event_max_stack */
	KERNEL_MAX_EVENTS = 256, /* places of an array of events */
};

/* ---- who runs ---- */

/* A thread: the program's own struct task_struct, and what helpers say of it. Borrowed. */
struct kernel_task {
	void *task;
	uint32_t pid, tid, uid;
	char comm[KERNEL_COMM_SIZE];
};

struct kernel_stack {
	uint64_t addresses[KERNEL_MAX_STACK];
	size_t count;
	long error; /* negative errno instead; 0: none */
};

/* ---- what user space gets ---- */

struct kernel_record {
	const void *map; /* NULL: written to an iterator */
	uint32_t cpu;
	size_t size;
	void *data;
};

/* ---- the kernel ---- */

/* All of it may be set at any time. */
struct kernel {
	const struct kernel_task *current;
	uint32_t cpu;
	uint64_t now_ns;
	void (*at_clock)(void); /* happens once, right after the next look at the clock */
	uint32_t random;
	uint64_t cookie;
	uint64_t arguments[KERNEL_ARGUMENTS], returned; /* of fentry and fexit */
	struct kernel_stack kernel_stack, user_stack;	/* of the task that runs */
	struct kernel_stack task_stack;			/* of other tasks */
	struct bpf_perf_event_value events[KERNEL_MAX_EVENTS];
	size_t event_count; /* events from this number on are not open */
	size_t elements_left; /* that there is memory for, beside maps that have theirs from the start */
	size_t output_left;   /* bytes */
	bool mappings_change; /* nothing can be said of them */
	const struct kernel_record *records;
	size_t record_count;
};

extern struct kernel kernel;

/* CPU 0, one second after the start, with nothing in it. */
void kernel_begin(void);
void kernel_end(void);

/* ---- maps ---- */

struct kernel_shape {
	uint32_t type; /* BPF_MAP_TYPE_* */
	uint32_t max_entries, key_size, value_size;
	bool on_demand; /* BPF_F_NO_PREALLOC */
};

/* @map: the program's object of that name. */
void kernel_map_add(const void *map, struct kernel_shape shape);
/* What a loader does before it loads. What was in the map is lost. */
void kernel_map_resize(const void *map, uint32_t max_entries);
size_t kernel_map_count(const void *map);

#define KERNEL_WORD(map, word) (sizeof(*(map).word) / sizeof(int))

/* A map with keys and values, by what its declaration says. */
#define KERNEL_TABLE(map)                                                                   \
	kernel_map_add(&(map),                                                              \
		       (struct kernel_shape){ .type = KERNEL_WORD(map, type),               \
					      .max_entries = KERNEL_WORD(map, max_entries), \
					      .key_size = sizeof(*(map).key),               \
					      .value_size = sizeof(*(map).value) })

/* The same, whose elements are allocated one by one. */
#define KERNEL_TABLE_ON_DEMAND(map)                                                         \
	kernel_map_add(&(map),                                                              \
		       (struct kernel_shape){ .type = KERNEL_WORD(map, type),               \
					      .max_entries = KERNEL_WORD(map, max_entries), \
					      .key_size = sizeof(*(map).key),               \
					      .value_size = sizeof(*(map).value),           \
					      .on_demand = true })

#define KERNEL_STORAGE(map)                                                               \
	kernel_map_add(&(map), (struct kernel_shape){ .type = BPF_MAP_TYPE_TASK_STORAGE,  \
						      .max_entries = UINT32_MAX,          \
						      .key_size = sizeof(void *),         \
						      .value_size = sizeof(*(map).value), \
						      .on_demand = true })

/* Takes what is sent: a perf event array, or a ring buffer. */
#define KERNEL_OUTPUT(map) \
	kernel_map_add(&(map), (struct kernel_shape){ .type = KERNEL_WORD(map, type) })

/* What the loader writes into `const volatile` words before it loads. */
#define KERNEL_SET(constant, value)                                                    \
	do {                                                                           \
		const __typeof__(constant) kernel_set_to = (value);                    \
                                                                                       \
		kernel_set((const volatile void *)&(constant),                         \
			   (const void *)(uintptr_t)&kernel_set_to, sizeof(constant)); \
	} while (0)

void kernel_set(const volatile void *constant, const void *value, size_t size);

/* ---- tasks, memory ---- */

/* Ends what is kept for a thread; before its struct task_struct is used for another one. */
void kernel_task_free(const void *task);

/* @registers: with which @task entered the kernel, the program's struct pt_regs___kernel. */
void kernel_registers_add(const void *task, const void *registers);

/* Memory that programs may read at @address, user's or the kernel's. @data is borrowed. */
void kernel_memory_add(uint64_t address, const void *data, size_t size);

/* A mapping of the current process: @vma is the program's struct vm_area_struct, borrowed. */
void kernel_mapping_add(void *vma, uint64_t start, uint64_t end);
void kernel_mappings_clear(void);

/* ---- running ---- */

/* The value of @call, a call of a program. */
#define KERNEL_RUN(call) (kernel_enter(), kernel_leave(call))

void kernel_enter(void);
int kernel_leave(int value);

void kernel_records_clear(void);

#endif
