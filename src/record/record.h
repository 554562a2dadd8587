/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One recording from start to end: open the events, launch the command, drain, attribute, resolve,
 * flush, and leave a whole profile behind.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "proc/command_outcome.h"

struct stack_observer;

struct record_options {
	char *const *argv; /* the command, NULL-terminated; NULL: none */
	bool as_user;	   /* run it as the user who called sudo */
	const pid_t *pids; /* profile these processes; */
	size_t pid_count;  /* 0 with argv or for the whole machine */
	bool machine_only; /* -a: the whole machine or nothing */
	double duration_s; /* 0: until the command ends, or a signal comes */
	double rate_hz;
	const char *const *events;	  /* -e EVENT[,EVENT...] as typed; */
	size_t event_count;		  /* 0: cycles beside the clock, where there is a PMU */
	const char *stacks;		  /* "full", "fp" or "none", also NULL */
	size_t max_depth;		  /* user frames of one stack, at most 1024; 0: 512 */
	int64_t flush_cs;		  /* hundredths of a second between flushes to the file */
	int64_t ring_kb;		  /* per CPU; 0: automatic */
	const char *system_map, *vmlinux; /* NULL: none */
	const char *const *debug_folders; /* as in struct debug_options */
	size_t debug_folder_count;
	const char *output; /* file to make; NULL: last.prof in the state folder */
	bool no_build_ids;  /* the kernel tells none: sampler_options.no_build_ids */
	bool off_cpu;	    /* where threads wait: attribute/waiting.h */
	const struct stack_observer *observer; /* sees stacks until it has enough; NULL: none */
	/* Called about once a second with what there is so far; NULL: nobody asks. */
	void (*progress)(double elapsed_s, uint64_t samples, uint64_t lost);
};

struct record_result {
	char path[4096]; /* of the profile, also of one that is not whole; "" there is none */
	bool kept; /* false: there is no state folder, the file is temporary and the caller's to
		      remove: record_output_remove_temporary */
	struct command_outcome outcome;
	char note[640]; /* something the user should know although it went well; "" nothing */
};

/* What is wrong with the options themselves, before anything is looked at. -EINVAL and one line. */
int record_check(const struct record_options *options, struct err *err);

/* Checks all that can be checked before anything runs, records, and fills in *ret_result (also when
 * it fails, so that the command's fate is known, and where what was kept until then is). Negative
 * errno and one line in @err; launch errors keep their errno (command_outcome_exit_status). */
int record_run(const struct record_options *options, struct record_result *ret_result,
	       struct err *err);

#endif
