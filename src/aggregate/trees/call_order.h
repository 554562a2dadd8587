/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order in which functions and their callers and callees appear. */
#ifndef AGGREGATE_TREES_CALL_ORDER_H
#define AGGREGATE_TREES_CALL_ORDER_H

#include "aggregate/trees/calls.h"

/* Ranks functions and makes the lists for calls_callers and calls_callees. Part of calls_finish. */
void call_order_make(struct calls *calls);

#endif
