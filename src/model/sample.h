/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sample, as every stage passes it on: who ran what, where and when, and its weight. */
#ifndef MODEL_SAMPLE_H
#define MODEL_SAMPLE_H

#include <stdint.h>

/* Fields a reader may leave out; reading fewer is faster. */
enum sample_field {
	SAMPLE_TIME = 1,
	SAMPLE_CPU = 2,
	SAMPLE_TASK = 4,
	SAMPLE_STACK = 8,
	SAMPLE_MODE = 16,
	SAMPLE_CONTEXT = 32,
	/* Fields that totals (model/profile.h) lack. */
	SAMPLE_NOT_IN_TOTALS = SAMPLE_TIME | SAMPLE_CPU,
	SAMPLE_ALL = 63,
};

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

#endif
