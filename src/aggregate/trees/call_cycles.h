/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that call each other in a cycle. */
#ifndef AGGREGATE_TREES_CALL_CYCLES_H
#define AGGREGATE_TREES_CALL_CYCLES_H

#include "aggregate/trees/calls.h"

/* Sets the cycle of each function that is in one with others: the strongly connected components of
 * the graph (R. Tarjan, "Depth-first search and linear graph algorithms", 1972). Functions that
 * only call themselves are in none. Returns the number of cycles. Uses no recursion. */
size_t call_cycles_find(struct calls *calls);

#endif
