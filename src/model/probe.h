/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A watched place in the kernel or in a program, and the counts taken there. The maker of a struct
 * probe_target has resolved it: which file, which offset, which of several functions of one name.
 * The engine (watch/probes/probes.h) looks nothing up and only reports what the kernel refused.
 */
#ifndef MODEL_PROBE_H
#define MODEL_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a place is probed: id, name as printed and stored. */
#define PROBE_MECHANISMS(X)             \
	X(NONE, "none")                 \
	X(FENTRY, "fentry")             \
	X(KPROBE_MULTI, "kprobe.multi") \
	X(KPROBE, "kprobe")             \
	X(UPROBE_MULTI, "uprobe.multi") \
	X(UPROBE, "uprobe")

#define PROBE_ENUM(id, ...) PROBE_##id,
enum probe_mechanism { PROBE_MECHANISMS(PROBE_ENUM) PROBE_MECHANISM_COUNT };

/* @mechanism < PROBE_MECHANISM_COUNT. */
const char *probe_mechanism_name(enum probe_mechanism mechanism);

/* What a function returns, as far as its type is known. An error has the value by which the kernel
 * and system calls report one: -4095 to -1. */
enum probe_return_kind {
	PROBE_RETURN_UNKNOWN, /* an error is -4095 to -1 as a 32-bit or a 64-bit word */
	PROBE_RETURN_SIGNED,
	PROBE_RETURN_UNSIGNED, /* bool, a C++ reference: no value is an error */
	PROBE_RETURN_POINTER,  /* NULL is an error too, besides ERR_PTR and MAP_FAILED */
	/* void, or a type that is not returned like a number (a structure, a floating-point
	 * number): there is no value, and nothing is an error. */
	PROBE_RETURN_NOTHING,
};

struct probe_return {
	enum probe_return_kind kind;
	uint8_t bits; /* of a number: 8, 16, 32 or 64 */
};

/* An integer of @size_bytes in a register; PROBE_RETURN_NOTHING for sizes other than 1, 2, 4, 8. */
static inline struct probe_return probe_return_number(bool is_signed, uint64_t size_bytes)
{
	if (size_bytes != 1 && size_bytes != 2 && size_bytes != 4 && size_bytes != 8)
		return (struct probe_return){ .kind = PROBE_RETURN_NOTHING };
	return (struct probe_return){
		.kind = is_signed ? PROBE_RETURN_SIGNED : PROBE_RETURN_UNSIGNED,
		.bits = (uint8_t)(size_bytes * 8),
	};
}

/* How to find the goroutine that a thread of a Go program runs, and the offsets of its fields:
 * elf/go_runtime.h. A goroutine can move to another thread during a call. */
struct probe_go {
	bool known; /* false: ends of calls cannot be matched, as their goroutine is unknown */
	bool in_register;
	int64_t tls; /* x86-64: offset from the thread pointer, unless in_register */
	uint32_t goid, stack_hi;
};

/* A function or one instruction. All texts are borrowed and must outlive what is made with them. */
struct probe_target {
	const char *label; /* as shown in output and messages; never NULL */
	bool user;
	bool instruction; /* entries only: no exits, times or values */

	/* If it is in the kernel: */
	const char *name;      /* as in kallsyms; NULL: only the address is known */
	const char *module;    /* NULL: the kernel proper */
	bool shares_name;      /* other functions have this name: only @address identifies it */
	uint64_t address;      /* of the instruction, or of the function's first, in the running
				  kernel; 0: unknown, use @name and @displacement */
	uint64_t displacement; /* bytes from the function's start; 0 for a function */

	/* If it is in a program: */
	const char *path; /* of the file as this process can open it */
	uint64_t offset;  /* file offset of the instruction, or of the function's first */
	/* File offsets of the function's own return instructions. The engine probes these rather
	 * than replace the return address, which breaks exceptions and stack switching: a C++
	 * program that throws through a replaced address is terminated, and so is one that switches
	 * stacks. NULL: replace the return address; the program is known to do neither. */
	const uint64_t *returns_at;
	size_t return_count;
	/* Its jumps that leave it for good (tail calls). With @returns_at, a call that takes one
	 * ends when the function it jumped to returns to the caller; without, such calls are only
	 * counted. */
	const uint64_t *jumps_at;
	size_t jump_count;
	bool ends_partly; /* there may be more returns and jumps than listed */
	/* Its calls belong to goroutines: 1 + an index into struct probe_options' goes. Their time
	 * on a CPU is not known then. 0: they belong to threads. */
	uint8_t go;

	struct probe_return returns;
	/* It returns a pointer, and a thread may start in it: NULL is not an error then. */
	bool may_start;
};

/* True if calls can end at their call sites, after a jump to another function. */
static inline bool probe_target_needs_sites(const struct probe_target *target)
{
	return target->returns_at && (target->jump_count || target->ends_partly);
}

/* The result of attaching to a target. */
struct probe_outcome {
	enum probe_mechanism mechanism; /* PROBE_NONE: refused */
	bool exits_missing;		/* only its entries could be probed */
	char why[192];			/* reason for a refusal or for missing exits; else "" */
};

/* ---- what is counted ---- */

/* Which rows a target has. */
enum probe_key {
	PROBE_BY_SUM, /* one */
	PROBE_BY_CPU,
	PROBE_BY_PID,
	PROBE_BY_THREAD,
	PROBE_BY_COMM,
};

enum { PROBE_COUNTERS = 6, PROBE_COMM = 16 };

/* A count that is attributed to the calls during which it rose (while the thread ran). */
enum probe_counter_kind {
	PROBE_COUNT_PMU, /* hardware; @type, @config as in perf_event_open(2) */
	PROBE_COUNT_PAGE_FAULTS,
	PROBE_COUNT_CONTEXT_SWITCHES,
	PROBE_COUNT_CPU_MIGRATIONS,
};

struct probe_counter {
	enum probe_counter_kind kind;
	uint32_t type;
	uint64_t config;
	const char *name; /* for messages */
};

/* All are running sums. Of recursive calls, times and counters include only the outermost: a thread
 * is in a function once, however deep. Entries, exits and histograms count each call. */
struct probe_counts {
	uint64_t entries;
	uint64_t exits;	     /* calls that returned to the caller, if their entry was counted */
	uint64_t jumps;	     /* calls left by a return or by a jump to another function, if their
				entry was counted. For functions whose jumps are not watched: when
				they return */
	uint64_t timed;	     /* calls that ended with a known time: most exits, and some that were
				abandoned */
	uint64_t wall_ns;    /* time inside, summed over threads, also while off-CPU; includes calls
				still inside, up to now */
	uint64_t virtual_ns; /* the part on a CPU; by CPU: on that CPU. Includes calls still inside,
				up to their last switch */
	uint64_t inside;     /* calls that are inside now, only outermost ones */
	uint64_t nested;     /* entries by a thread that was already inside */
	uint64_t errors;     /* exits with an error value: probe_return_kind */
	uint64_t moved;	     /* entries on a different CPU than the thread's previous entry */
	uint64_t longest_ns; /* longest call that has ever ended: not a sum */
	uint64_t counters[PROBE_COUNTERS]; /* in the order of struct probe_options' counters */
	/* Entries with unknown exits: */
	uint64_t too_deep;  /* no slot: the thread already had the maximum of open watched calls */
	uint64_t abandoned; /* never returned, because of longjmp or an exception. Their time is
			       known if a probe saw it happen */
	uint64_t unseen;    /* ended where there is no probe */
	uint64_t switched;  /* their thread may have switched stacks, as fibers do: their time is
			       not known. Those that came back also count as exits */
	uint64_t died;	    /* the thread ended inside, or called exec */
	uint64_t unmatched; /* exits whose entry was not seen */
};

/* Bucket i of a histogram holds the values from lowest[i] to lowest[i + 1] - 1; the last has no
 * end. */
struct probe_scale {
	const int64_t *lowest;
	size_t count;
};

/* A target under one key. */
struct probe_row {
	size_t target;	       /* index */
	size_t place;	       /* same number for the same target and key in each reading */
	int32_t id;	       /* CPU, pid or tid; -1 for other keys */
	int32_t pid;	       /* by thread: its process; else -1 */
	char comm[PROBE_COMM]; /* by comm; by pid and thread: of the first call; else "" */
	struct probe_counts counts;
	const uint64_t *latency; /* buckets of the latency scale, ns; NULL: not requested */
	const uint64_t *values;	 /* buckets of returned values, on the value scale; NULL: not
				    requested */
};

/* The overhead of watching. */
struct probe_cost {
	uint64_t hits;	       /* runs of the BPF programs */
	uint64_t program_ns;   /* time in them, as the kernel measured it */
	uint64_t trap_ns;      /* time to enter and leave them: hits x calibrated cost of a hit */
	uint64_t missed;       /* runs the kernel skipped because one was already running */
	uint64_t keys_lost;    /* calls lost because the table of keys was full */
	uint64_t sites_lost;   /* calls from sites that had no room for a probe */
	uint64_t sites;	       /* call sites that have a probe now: not a sum */
	uint64_t threads_lost; /* calls of threads for which there was no memory */
};

/* Everything counted since watching began, at one moment. Owned by the caller who fills it. */
struct probe_reading {
	uint64_t time_ns;	      /* CLOCK_MONOTONIC */
	const struct probe_row *rows; /* by target, then in order of appearance */
	size_t row_count;
	struct probe_cost cost;
};

#endif
