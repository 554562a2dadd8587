/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place in the kernel or in a program that is watched, and what was counted there. Whoever makes
 * a struct probe_target has resolved it: which file, which offset, which of several functions of a
 * name. The engine (watch/probes/probes.h) looks nothing up and only says what the kernel would not
 * take.
 */
#ifndef MODEL_PROBE_H
#define MODEL_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a place is reached. id, name as it is printed and written. */
#define PROBE_MECHANISMS(X)             \
	X(NONE, "none")                 \
	X(FENTRY, "fentry")             \
	X(KPROBE_MULTI, "kprobe.multi") \
	X(KPROBE, "kprobe")             \
	X(UPROBE_MULTI, "uprobe.multi") \
	X(UPROBE, "uprobe")

enum probe_mechanism {
#define PROBE_MECHANISM_ENUM(id, name) PROBE_##id,
	PROBE_MECHANISMS(PROBE_MECHANISM_ENUM)
#undef PROBE_MECHANISM_ENUM
		PROBE_MECHANISM_COUNT
};

/* @mechanism < PROBE_MECHANISM_COUNT. */
const char *probe_mechanism_name(enum probe_mechanism mechanism);

/* What a function returns, as far as its type is known. An error is what the kernel and system
 * calls mean by one: -4095 to -1. */
enum probe_return_kind {
	PROBE_RETURN_UNKNOWN, /* such a value is an error as a word of 32 or of 64 bits */
	PROBE_RETURN_SIGNED,
	PROBE_RETURN_UNSIGNED, /* bool, a C++ reference: nothing is an error */
	PROBE_RETURN_POINTER,  /* so is NULL (ERR_PTR, MAP_FAILED are the others) */
	/* void, or what is elsewhere than a number would be, a structure or a floating point
	 * number: nothing is an error, and there is no value. */
	PROBE_RETURN_NOTHING,
};

struct probe_return {
	enum probe_return_kind kind;
	uint8_t bits; /* of a number: 8, 16, 32 or 64 */
};

/* A number of so many bytes, as a register has it; PROBE_RETURN_NOTHING of other sizes. */
static inline struct probe_return probe_return_number(bool is_signed, uint64_t size_bytes)
{
	if (size_bytes != 1 && size_bytes != 2 && size_bytes != 4 && size_bytes != 8)
		return (struct probe_return){ .kind = PROBE_RETURN_NOTHING };
	return (struct probe_return){
		.kind = is_signed ? PROBE_RETURN_SIGNED : PROBE_RETURN_UNSIGNED,
		.bits = (uint8_t)(size_bytes * 8),
	};
}

/* Where the goroutine that runs in a thread of a Go program is found, and what of it is needed:
 * elf/go_runtime.h. Goroutines go from thread to thread amid a call. */
struct probe_go {
	bool known; /* else no call's end can be told, as nobody knows whose it is */
	bool in_register;
	int64_t tls; /* of x86-64, from the thread pointer; unless it is in a register */
	uint32_t goid, stack_hi;
};

/* A function, or one instruction. All texts are borrowed and outlive what is made with them. */
struct probe_target {
	const char *label; /* as it is shown, and told in messages; never NULL */
	bool user;
	bool instruction; /* entries only: there are no exits, times or values */

	/* The kernel's. */
	const char *name;      /* as kallsyms has it; NULL where only the address is known */
	const char *module;    /* NULL: the kernel proper */
	bool shares_name;      /* others have this name there: only @address tells which is meant */
	uint64_t address;      /* of the instruction or the function's first, in the running kernel;
				  0: unknown, then @name and @displacement lead there */
	uint64_t displacement; /* bytes from the function's start; 0 for a function */

	/* A program's. */
	const char *path; /* of the file as this process can open it */
	uint64_t offset;  /* in the file, of the instruction or the function's first */
	/* The function's own return instructions, as offsets in the file. They are probed instead
	 * of exchanging the return address, which no exception can pass: a C++ program that throws
	 * through it would be ended, and so would one that switches stacks. NULL: the return
	 * address is exchanged, in programs that are known to do neither. */
	const uint64_t *returns_at;
	size_t return_count;
	/* Its jumps that leave it for good. Where @returns_at is set, a call that went through one
	 * ends where what it jumped to returns to the caller; else they are only counted. */
	const uint64_t *jumps_at;
	size_t jump_count;
	bool ends_partly; /* it may have more ends of both kinds */
	/* Its calls are of goroutines: 1 + an index of struct probe_options' goes. How much of them
	 * ran on a CPU is not known then. 0: of threads. */
	uint8_t go;

	struct probe_return returns;
	/* It returns a pointer, and a thread may begin with it: NULL is no error then. */
	bool may_start;
};

/* Do calls of it end at their sites, behind a jump to another function? */
static inline bool probe_target_needs_sites(const struct probe_target *target)
{
	return target->returns_at && (target->jump_count || target->ends_partly);
}

/* What became of a target. */
struct probe_outcome {
	enum probe_mechanism mechanism; /* PROBE_NONE: refused */
	bool exits_missing;		/* only its entries could be had */
	char why[192];			/* of a refusal, or of missing exits; "" else */
};

/* ---- what is counted ---- */

/* What rows there are for a target. */
enum probe_key {
	PROBE_BY_SUM, /* one */
	PROBE_BY_CPU,
	PROBE_BY_PID,
	PROBE_BY_THREAD,
	PROBE_BY_COMM,
};

enum { PROBE_COUNTERS = 6, PROBE_COMM = 16 };

/* All are running sums. Of calls that call themselves again, only the outermost is in the times and
 * counters: a thread is once in a function, however deep. Entries, exits and histograms count each.
 */
struct probe_counts {
	uint64_t entries;
	uint64_t exits;	     /* of calls whose entry was counted: back in the caller */
	uint64_t jumps;	     /* of calls whose entry was counted: left by a return or a jump to
				another function. Of functions whose jumps are not watched as they
				return */
	uint64_t timed;	     /* calls that ended and whose time is known: most exits, and of those
				that were abandoned some */
	uint64_t wall_ns;    /* inside, summed over threads, also while they did not run; with the
				part so far of the calls that are inside now */
	uint64_t virtual_ns; /* the part on a CPU. By CPU: the time on that CPU. Of a call that is
				inside now: as far as it had come at its last switch */
	uint64_t inside;     /* calls that are inside now, outermost ones */
	uint64_t nested;     /* entries by a thread that was inside already */
	uint64_t errors;     /* exits with a value that means one: probe_return_kind */
	uint64_t moved;	     /* entries on another CPU than the thread's entry before */
	uint64_t longest_ns; /* call that has ended, ever: no sum */
	uint64_t counters[PROBE_COUNTERS]; /* in the order of struct probe_options' counters */
	/* Entries whose exits are not known. */
	uint64_t too_deep;  /* more calls of watched functions were open in the thread than are kept
			     */
	uint64_t abandoned; /* by longjmp or an exception: never returned. Their time is known
			       where it was seen when that was */
	uint64_t unseen;    /* ended somewhere no probe is */
	uint64_t switched;  /* their thread may have gone on on another stack, as fibers do: no
			       time is known of them. Those that came back are exits too */
	uint64_t died;	    /* the thread ended inside, or executed another program */
	uint64_t unmatched; /* exits whose entry was not seen */
};

/* Bucket i of a histogram has the values from lowest[i] to lowest[i + 1] - 1; the last has no end.
 */
struct probe_scale {
	const int64_t *lowest;
	size_t count;
};

/* A target under one key. */
struct probe_row {
	size_t target;	       /* index */
	size_t place;	       /* the same for the same target and key in each reading */
	int32_t id;	       /* CPU, pid or tid; -1 where the key is none of these */
	int32_t pid;	       /* by thread: its process; else -1 */
	char comm[PROBE_COMM]; /* by comm, and by pid and thread that of the first call; else "" */
	struct probe_counts counts;
	const uint64_t *latency; /* of the latency scale, ns; NULL: not asked for */
	const uint64_t *values;	 /* what was returned, of the value scale; NULL: not asked for */
};

/* What watching itself took. */
struct probe_cost {
	uint64_t hits;	       /* runs of the programs */
	uint64_t program_ns;   /* in them, as the kernel measured it */
	uint64_t trap_ns;      /* to get there and back: hits x what a hit costs, calibrated */
	uint64_t missed;       /* runs the kernel left out, as one was on its way already */
	uint64_t keys_lost;    /* calls that found the table of keys full */
	uint64_t sites_lost;   /* calls from places for whose probe there was no room */
	uint64_t sites;	       /* places behind calls that have a probe now: no sum */
	uint64_t threads_lost; /* calls for whose thread there was no memory */
};

/* What there was at one moment since watching began. Owned by who fills it. */
struct probe_reading {
	uint64_t time_ns;	      /* CLOCK_MONOTONIC */
	const struct probe_row *rows; /* by target, then as they came up */
	size_t row_count;
	struct probe_cost cost;
};

#endif
