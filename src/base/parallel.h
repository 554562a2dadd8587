/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same work for many things, on all CPUs. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

enum { PARALLEL_MOST_THREADS = 16 }; /* the caller's among them */

/* Calls @act for each number below @count, on as many threads as there are CPUs, and returns after the
 * last. A number's turn comes after all smaller ones have begun. Where no thread can be made, fewer do
 * the work. */
void parallel_each(size_t count, void (*act)(void *context, size_t number), void *context);

/* Lets what @act does go on in order of the numbers from some point on. */
struct parallel_order;

struct parallel_order *parallel_order_new(void);
void parallel_order_free(struct parallel_order *order);
/* Waits until parallel_order_end was called for all smaller numbers. Each @act calls both. */
void parallel_order_begin(struct parallel_order *order, size_t number);
void parallel_order_end(struct parallel_order *order);

#endif
