/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work to do when a signal ends the process, such as removing an unfinished file. A thread of its
 * own waits for SIGINT, SIGTERM and SIGHUP, so the work may call any function; then the process
 * ends by that signal, as its parent expects. Signals that are already ignored, caught or blocked
 * are left alone.
 */
#ifndef BASE_LAST_ACT_H
#define BASE_LAST_ACT_H

#include "base/cleanup.h"

struct last_act;

/* Call this before there is work to do, such as before a file is created: it holds the signals back
 * until last_act_begin or last_act_cancel. Only one can exist at a time. */
struct last_act *last_act_new(void);
/* @act is called at most once, in the other thread, while the caller's threads run on: the data
 * that @context (borrowed) points to must not change before last_act_cancel. If no thread can be
 * started, signals end the process without @act. */
void last_act_begin(struct last_act *last, void (*act)(void *context), void *context);
/* Cancels the work: on return @act is not running and will not run. A signal that came too late for
 * @act takes effect now. NULL is fine. */
void last_act_cancel(struct last_act *last);
DEFINE_CLEANUP(struct last_act *, last_act_cancel);

#endif
