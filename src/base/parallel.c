/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"

struct work {
	size_t count;
	void (*act)(void *context, size_t number);
	void *context;
	atomic_size_t next;
};

static void *do_some(void *argument)
{
	struct work *work = argument;
	size_t number;

	while ((number = atomic_fetch_add(&work->next, 1)) < work->count)
		work->act(work->context, number);
	return NULL;
}

void parallel_each(size_t count, void (*act)(void *context, size_t number), void *context)
{
	struct work work = { .count = count, .act = act, .context = context };
	pthread_t threads[PARALLEL_MOST_THREADS - 1];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t made = 0;

	while (made < PARALLEL_MOST_THREADS - 1 && (long)made + 1 < cpus && made + 1 < count &&
	       pthread_create(&threads[made], NULL, do_some, &work) == 0)
		made++;
	do_some(&work);
	while (made > 0)
		pthread_join(threads[--made], NULL);
}

struct parallel_order {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	size_t ended;
};

struct parallel_order *parallel_order_new(void)
{
	struct parallel_order *order = xcalloc(1, sizeof(*order));

	pthread_mutex_init(&order->lock, NULL);
	pthread_cond_init(&order->turn, NULL);
	return order;
}

void parallel_order_free(struct parallel_order *order)
{
	pthread_mutex_destroy(&order->lock);
	pthread_cond_destroy(&order->turn);
	free(order);
}

void parallel_order_begin(struct parallel_order *order, size_t number)
{
	pthread_mutex_lock(&order->lock);
	while (order->ended < number)
		pthread_cond_wait(&order->turn, &order->lock);
	pthread_mutex_unlock(&order->lock);
}

void parallel_order_end(struct parallel_order *order)
{
	pthread_mutex_lock(&order->lock);
	order->ended++;
	pthread_cond_broadcast(&order->turn);
	pthread_mutex_unlock(&order->lock);
}
