/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moments of a recording and spans of time, as people write them:
 *
 *   2.5  250ms  10m  1h30m       after the start of a profile; of a history: so long ago
 *   +10m                         after the start of either
 *   -10s                         before its end
 *   50%                          of its duration
 *   14:05  14:05:30.5            local time: the last such moment within the recording, else that
 *                                of the day on which it began
 *   2026-11-21  2026-11-21T14:05:30  2026-11-21 14:05Z     a date; Z: of UTC
 *   yesterday  yesterday 14:05  today 9:00  now             local time
 *   @1795226400.5                seconds since 1970
 *   mark:before-deploy           the last mark with this text
 *
 * Units of spans are ns, us, ms, s, m (also min), h and d; a number alone is seconds.
 */
#ifndef AGGREGATE_MOMENT_H
#define AGGREGATE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum moment_kind {
	MOMENT_SPAN,	     /* ns: after the start, or ago */
	MOMENT_BEHIND_START, /* ns */
	MOMENT_BEFORE_END,   /* ns */
	MOMENT_SHARE,	     /* of the duration, in millionths */
	MOMENT_REAL,	     /* ns since 1970 */
	MOMENT_OF_DAY,	     /* ns since midnight */
	MOMENT_MARK,	     /* text */
};

struct moment {
	enum moment_kind kind;
	uint64_t value;
	const char *text; /* borrowed */
};

/* A recording, by the clock by which its moments are wanted. */
struct moment_base {
	uint64_t start_ns, end_ns;
	uint64_t start_real_ns; /* start_ns since 1970; 0: not known */
	uint64_t now_ns;	/* of a history, where a span is so long ago; 0: of a profile */
	/* Finds the last mark with a text. -ENODATA and one line if there is none. NULL: no marks. */
	int (*find_mark)(void *context, const char *text, uint64_t *ret_ns, struct err *err);
	void *context;
};

/* Reads a span of time. -EINVAL: not a span, or longer than 100 years. */
int moment_parse_span(const char *text, uint64_t *ret_ns);

/* Reads a moment. -EINVAL and one line that lists the forms. */
int moment_parse(const char *text, struct moment *ret_moment, struct err *err);

/* True if the moment depends on where the recording starts or ends. */
bool moment_is_relative(const struct moment *moment);

/* The moment by the clock of @base. A moment before a profile's start becomes its start; one after
 * its end, or before the start of a history, stays as it is. -ENODATA and one line for a time of day
 * if it is not known when the recording was made, and for a mark that it does not have. */
int moment_ns(const struct moment *moment, const struct moment_base *base, uint64_t *ret_ns,
	      struct err *err);

#endif
