/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a supervisor, which supervisor.c keeps going and clients ask and change. */
#ifndef HISTORY_SUPERVISOR_PARTS_H
#define HISTORY_SUPERVISOR_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "history/clock_step.h"
#include "history/history.h"
#include "history/recorder.h"
#include "history/sent_marks.h"

struct control;

struct supervisor {
	struct history_options options;
	const char *folder;
	int folder_fd, lock_fd, signal_fd, started;
	gid_t group; /* of the folder, if root shares it with one; else 0 */
	struct control *control;
	struct recorder current, next;
	struct sent_marks marks;
	struct clock_step step;
	bool cut_wanted;   /* as soon as a recorder can be followed by another */
	uint64_t cut_ns;   /* who asked for it waits for a recorder of this time; 0: no one does */
	uint64_t flush_ns; /* samples before are awaited in the files; 0: none are */
	uint64_t since_s;  /* since 1970 */
	uint64_t retry_ns; /* no recorder is started before */
	uint64_t samples, lost; /* of recorders that have ended */
	uint64_t failures;
	char problem[600]; /* of the last one that failed; "" */
	uint64_t problem_s;
	bool paused, stopping;
	bool begun;  /* the first recorder of all was at work */
	bool failed; /* it could not: there is nothing to supervise */
};

/*
 * supervisor.c:
 */
/* Has them finish their files. */
void supervisor_end_recorders(const struct supervisor *supervisor);
/* True if none is at work. */
bool supervisor_is_quiet(const struct supervisor *supervisor);

/*
 * questions.c:
 * What clients ask, and what they wait for.
 */
/* For control_serve; @context is the struct supervisor. An answer that stays empty is given later, by
 * questions_answer. */
void questions_take(void *context, const char *question, bool owner, struct buf *answer);
/* Answers those whose wish has come true. */
void questions_answer(struct supervisor *supervisor);
/* The recorder has failed: what it had in memory is in no file, which who waits for that learns. */
void questions_fail(struct supervisor *supervisor, const struct recorder *recorder);
/* Reads the options anew. Those that hold for recorders hold for the next one, which is started at
 * once. On an error all stay as they were. */
int questions_reread(struct supervisor *supervisor, struct err *err);

#endif
