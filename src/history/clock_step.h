/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of CLOCK_REALTIME against CLOCK_MONOTONIC: it was set, or the machine was suspended. A profile
 * knows the real time of its start only, so another must begin. Slow corrections are none.
 */
#ifndef HISTORY_CLOCK_STEP_H
#define HISTORY_CLOCK_STEP_H

#include <stdbool.h>
#include <stdint.h>

struct clock_step {
	int fd; /* becomes readable when there may have been one; -1: that cannot be known */
	int64_t offset_ns; /* of CLOCK_REALTIME, when it was looked at last */
};

void clock_step_open(struct clock_step *step);
void clock_step_close(struct clock_step *step);
/* True if it was a second or more since the last call, or since clock_step_open. */
bool clock_step_look(struct clock_step *step);
/* The same of this offset: for clock_step_look. */
bool clock_step_take(struct clock_step *step, int64_t offset_ns);

#endif
