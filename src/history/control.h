/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket of a history, "control" in its folder. A client sends "prospect 1 VERB" and a newline,
 * and reads an answer until its end: "ok" or "error", a newline, and a text. The server serves a few
 * clients at a time, and cannot be held up by them: one that says nothing for a second, or says more
 * than a line, is left.
 */
#ifndef HISTORY_CONTROL_H
#define HISTORY_CONTROL_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

enum { CONTROL_CLIENTS = 16, CONTROL_POLLS = CONTROL_CLIENTS + 1 };

struct control;

/* Listens in the folder, whose lock the caller has: a socket that is there is left from before. */
int control_open(const char *folder, struct control **ret_control, struct err *err);
/* Removes the socket. NULL is fine. */
void control_close(struct control *control);

/* Fills in CONTROL_POLLS descriptors to wait for. */
void control_poll(const struct control *control, struct pollfd *polls);
/* Accepts clients and reads what they say. Calls @ask for each that has asked: its answer, if not
 * empty, is sent at once; an empty one follows with control_answer. */
void control_serve(struct control *control, uint64_t now_ns,
		   void (*ask)(void *context, const char *verb, bool owner, struct buf *answer),
		   void *context);
/* Answers all who have asked this and still wait; NULL: who have asked anything. */
void control_answer(struct control *control, const char *verb, const char *answer);

/* The client's side: @ret_answer is the text after "ok". -ESRCH: nothing listens; -EPERM; -EIO: the
 * answer is an error, which the line has. */
int control_ask(const char *folder, const char *verb, struct buf *ret_answer, struct err *err);

#endif
