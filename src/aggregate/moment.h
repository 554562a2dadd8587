/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moments of a recording and spans of time, as people write them:
 *
 *   2.5  250ms  10m  1h30m       after the start of the recording
 *   -10s                         before its end
 *   50%                          of its duration
 *   14:05  14:05:30.5            local time: the last such moment within the recording, else that
 *                                of the day on which it began
 *   2026-11-21  2026-11-21T14:05:30  2026-11-21 14:05Z     a date; Z: of UTC
 *   @1795226400.5                seconds since 1970
 *
 * Units of spans are ns, us, ms, s, m (also min), h and d; a number alone is seconds.
 */
#ifndef AGGREGATE_MOMENT_H
#define AGGREGATE_MOMENT_H

#include <stdint.h>

#include "base/err.h"
#include "model/profile.h"

enum moment_kind {
	MOMENT_BEHIND_START, /* ns */
	MOMENT_BEFORE_END,   /* ns */
	MOMENT_SHARE,	     /* of the duration, in millionths */
	MOMENT_REAL,	     /* ns since 1970 */
	MOMENT_OF_DAY,	     /* ns since midnight */
};

struct moment {
	enum moment_kind kind;
	uint64_t value;
};

/* Reads a span of time. -EINVAL: not a span, or longer than 100 years. */
int moment_parse_span(const char *text, uint64_t *ret_ns);

/* Reads a moment. -EINVAL and one line that lists the forms. */
int moment_parse(const char *text, struct moment *ret_moment, struct err *err);

/* The moment by the clock of samples (CLOCK_MONOTONIC, ns). A moment before the recording's start
 * becomes its start; one after its end stays as it is. @end_ns: the end of the recording by that
 * clock. -ENODATA and one line for a time of day if the profile does not know when it was
 * recorded. */
int moment_ns(const struct moment *moment, const struct profile *profile, uint64_t end_ns,
	      uint64_t *ret_ns, struct err *err);

#endif
