/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of a run that make its numbers believable: who, where, when, what it cost, what was
 * lost, and both sides of the account of processor time.
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

/* Writes what is known beforehand into profile->run. All borrowed. */
struct record_facts *record_facts_new(struct profile *profile, const struct sampler *sampler,
				      const struct record_options *options);
void record_facts_free(struct record_facts *facts);

/* Adds to what is not visible: what the kernel hides from this user. */
void record_facts_not_visible(struct record_facts *facts, bool kernel_hidden);

/* Around the time during which the events are enabled. */
void record_facts_begin(struct record_facts *facts);
void record_facts_end(struct record_facts *facts);

struct record_end {
	const struct rusage *usage; /* of the command and what it waited for; NULL: none ended */
	int status;		    /* of the command, as from waitpid(2) */
	uint64_t idle_stream_weight_ns; /* of all ticks of the idle stream */
	uint64_t ring_lost;		/* records that PERF_RECORD_LOST told of */
};

/* After the last record was attributed: losses, /proc/stat's account, our own cost. */
void record_facts_settle(struct record_facts *facts, const struct record_end *end);

/* What was not read because its file system did not answer: images, and @processes. Settled again
 * when the last names were looked for. */
void record_facts_settle_late(struct record_facts *facts, uint64_t processes);

/* Our own processor time and memory until now. It is settled with the rest; again, when the last
 * of our work is done. */
void record_facts_settle_self(struct record_facts *facts);

#endif
