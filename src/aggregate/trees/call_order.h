/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order in which functions and their callers and callees are shown. */
#ifndef AGGREGATE_TREES_CALL_ORDER_H
#define AGGREGATE_TREES_CALL_ORDER_H

#include "aggregate/trees/calls.h"

/* Ranks functions and makes the lists that calls_callers and calls_callees give. Part of
 * calls_finish. */
void call_order_make(struct calls *calls);

#endif
