/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of a run that make its numbers trustworthy: who, where, when, overhead, losses, and
 * both sides of the account of CPU time.
 */
#ifndef RECORD_RECORD_FACTS_H
#define RECORD_RECORD_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct profile;
struct record_facts;
struct record_options;
struct rusage;
struct sampler;
struct timeval;

/* Writes what is known beforehand into profile->run. Everything is borrowed. @sampler NULL: the caller
 * collects the samples of the command, writes how, and calls no settling function but _late and _self. */
struct record_facts *record_facts_new(struct profile *profile, const struct sampler *sampler,
				      const struct record_options *options);
void record_facts_free(struct record_facts *facts);

/* Adds what the kernel hides from this user to run.not_visible. */
void record_facts_not_visible(struct record_facts *facts, bool kernel_hidden);

/* Adds the kernel's account of the time since the last call, or since record_facts_begin, if that is
 * at least a second, and the machine is recorded. */
void record_facts_add_time(struct record_facts *facts);

/* Call these two around the time in which events are enabled. @start_ns: the run begins then, before or
 * after; 0: now. */
void record_facts_begin(struct record_facts *facts, uint64_t start_ns);
void record_facts_end(struct record_facts *facts);

struct record_end {
	const struct rusage *usage;	/* of the command and what it waited for; NULL: not ended */
	int status;			/* of the command, from waitpid(2) */
	uint64_t idle_stream_weight_ns; /* of all ticks of the idle stream */
	uint64_t ring_lost;		/* records lost, by PERF_RECORD_LOST */
};

/* Call after the last record was attributed: losses, /proc/stat's account, overhead. */
void record_facts_settle(struct record_facts *facts, const struct record_end *end);

/* Counts what could not be read because its file system did not answer: images, and @processes.
 * Call again after the last names were resolved. */
void record_facts_settle_late(struct record_facts *facts, uint64_t processes);

/* Prospect's own CPU time and memory until now. record_facts_settle calls it; call it again after
 * the last work is done. */
void record_facts_settle_self(struct record_facts *facts);

/* A time of struct rusage, in ns. */
uint64_t record_facts_ns(const struct timeval *time);

#endif
