/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is still to be done when a signal ends the process, as removing a file that is not whole. A
 * thread of its own waits for SIGINT, SIGTERM and SIGHUP, so that anything may be called;
 * afterwards the process ends by that signal, as its caller expects. Signals that are ignored,
 * caught or blocked already belong to somebody else and are left alone.
 */
#ifndef BASE_LAST_ACT_H
#define BASE_LAST_ACT_H

#include "base/cleanup.h"

struct last_act;

/* Before there is anything to be done, as before a file is created: holds the signals back until
 * last_act_begin or last_act_cancel. Only one at a time. */
struct last_act *last_act_new(void);
/* @act is called at most once, in the other thread, while the caller's threads go on: what @context
 * (borrowed) leads to must not change before last_act_cancel. Where no thread can be had, signals
 * end the process without it. */
void last_act_begin(struct last_act *last, void (*act)(void *context), void *context);
/* It need not be done any more: when this returns it is neither done nor being done. A signal that
 * came too late for it takes effect now. NULL is fine. */
void last_act_cancel(struct last_act *last);
DEFINE_CLEANUP(struct last_act *, last_act_cancel);

#endif
