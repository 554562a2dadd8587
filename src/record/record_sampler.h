/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording samples: its events, and its threads unless it covers the whole machine. */
#ifndef RECORD_RECORD_SAMPLER_H
#define RECORD_RECORD_SAMPLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "sampling/sampler.h"

struct record_options;

/* Opens the events of -e (and @waits) for the options' processes, the waiting command (@command >
 * 0) or the whole machine, on the best rung that our privileges permit. One line in @err says
 * what is missing. */
int record_sampler_open(const struct record_options *options, pid_t command,
			enum sampler_waits waits, struct sampler **ret_sampler, struct err *err);
/* True if all processes chosen with -p have ended. False without -p. */
bool record_sampler_gone(const struct record_options *options);

#endif
