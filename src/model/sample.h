/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sample, as every stage passes it on: who ran what, where and when, and how much it stands
 * for. */
#ifndef MODEL_SAMPLE_H
#define MODEL_SAMPLE_H

#include <stdint.h>

struct sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t weight;  /* the period it was taken with: ns for a clock, events for a counter */
	uint32_t task;	  /* index into profile.tasks */
	uint32_t stack;	  /* index into profile.stacks: its node is the leaf frame */
	uint16_t cpu;
	uint8_t event;	 /* index into profile.events */
	uint8_t mode;	 /* enum mode */
	uint8_t context; /* enum context */
};

#endif
