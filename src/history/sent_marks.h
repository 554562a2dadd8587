/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks on their way into a file: kept until a recorder has written them, so that a recorder that
 * dies before costs none. The next one gets them, with the times at which they were set. */
#ifndef HISTORY_SENT_MARKS_H
#define HISTORY_SENT_MARKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/vec.h"
#include "history/recorder.h"

enum { SENT_MARKS_MAX = 256 };

struct sent_mark {
	pid_t recorder; /* 0: none has it */
	struct record_order order;
};

/* Zero-initialised is empty; free with vec_free. */
struct sent_marks {
	VEC(struct sent_mark) list; /* of one recorder: in the order in which it got them */
};

/* False: too many wait. */
bool sent_marks_add(struct sent_marks *marks, uint64_t time_ns, const char *text);
/* Gives those that no recorder has to this one. False: some are left, which is to be tried again. */
bool sent_marks_send(struct sent_marks *marks, const struct recorder *recorder);
/* Forgets those that this one has written, as recorder->state says. */
void sent_marks_settle(struct sent_marks *marks, struct recorder *recorder);
/* The recorder has ended: what it has not written is for the next one. */
void sent_marks_end(struct sent_marks *marks, pid_t recorder);

#endif
