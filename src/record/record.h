/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One recording from start to end: open the events, launch the command, drain, attribute, resolve,
 * flush, and leave a complete profile behind.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/profile.h"
#include "proc/launch.h"

struct stack_observer;
struct who;

/* What may be asked of a recording from outside. */
enum record_order_kind {
	RECORD_MARK,  /* note a mark of this time */
	RECORD_FLUSH, /* have all samples before this time in the file, soon */
	RECORD_BEGIN, /* keep samples from this time on, if the time of now has not come yet */
	RECORD_END,   /* keep samples before this time, which is to come, and end then */
};

struct record_order {
	enum record_order_kind kind;
	uint64_t time_ns; /* by clock_ns() */
	char text[MARK_MAX_BYTES + 1];
};

/* What a flush has brought about. */
struct record_flushed {
	uint64_t until_ns;  /* all samples before are in the file */
	uint64_t marks;	    /* that it has */
	const char *reason; /* why it failed: then the file is as before; NULL */
};

struct record_orders {
	int fd; /* readable when there is one */
	/* False: there is none now. */
	bool (*next)(void *context, struct record_order *ret_order);
	/* Called after each flush. */
	void (*flushed)(void *context, const struct record_flushed *flushed);
	void *context;
};

struct record_options {
	char *const *argv;     /* the command, NULL-terminated; NULL: none */
	bool as_user;	       /* run it as the user who ran sudo */
	const struct who *who; /* profile these processes; NULL: the command, or the machine */
	bool machine_only;     /* -a: fail if the whole machine is not permitted */
	const char *cpus;      /* sample these CPUs: "0-3,5"; NULL: all */
	double duration_s;     /* 0: until the command ends or a signal arrives */
	double rate_hz;
	const char *const *events;	  /* -e EVENT[,EVENT...] as typed; */
	size_t event_count;		  /* 0: cycles besides the clock, if there is a PMU */
	const char *stacks;		  /* "full", "fp" or "none"; NULL: "none" */
	size_t max_depth;		  /* user frames of one stack, at most 1024; 0: 512 */
	int64_t flush_cs;		  /* hundredths of a second between flushes to the file */
	int64_t ring_kb;		  /* per CPU; 0: automatic */
	const char *system_map, *vmlinux; /* NULL: none */
	const char *const *debug_folders; /* as in struct debug_options */
	size_t debug_folder_count;
	const char *output; /* file to create; NULL: last.prof in the state folder */
	bool build_ids;	    /* the kernel reports them: sampler_options.build_ids */
	bool no_build_ids;  /* it reports none, which is the default; wins over the other */
	bool off_cpu;	    /* record waits: attribute/off_cpu_samples.h */
	const struct stack_observer *observer; /* sees stacks until it has enough; NULL: none */
	/* Keep only samples with from_ns <= time < to_ns, by clock_ns(), and end then: for recordings
	 * that follow one another without a gap, where each is ready before its time begins. 0: from
	 * the start, and as duration_s says. */
	uint64_t from_ns, to_ns;
	bool rests;			    /* look less often while next to nothing runs */
	const struct record_orders *orders; /* NULL: none */
	/* Called about once a second with the totals so far; NULL: never. */
	void (*progress)(void *context, double elapsed_s, uint64_t samples, uint64_t lost);
	void *progress_context;
};

struct record_result {
	char path[4096]; /* of the profile, also of an incomplete one; "": none */
	/* False: there is no state folder. The file is temporary, and the caller removes it with
	 * record_output_remove_temporary. */
	bool kept;
	struct command_outcome outcome;
	char note[640]; /* for the user, even on success; "": nothing */
};

/* Checks the options, and that the processes named by @who run. -EINVAL and one line in @err if
 * not. */
int record_check(const struct record_options *options, struct err *err);

/* Checks everything that can be checked before anything runs, then records. Fills in *ret_result
 * also on failure: the command's outcome, and where the data kept until then is. Negative errno and
 * one line in @err; launch errors keep their errno (command_outcome_exit_status). */
int record_run(const struct record_options *options, struct record_result *ret_result,
	       struct err *err);

#endif
