/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/sample_feed.h"

#include <pthread.h>
#include <string.h>

#include "base/vec.h"

enum {
	MANY = 8192, /* samples that are handed over at once */
	BATCHES = 4,
};

struct batch {
	VEC(struct sample) samples;
};

/* A ring: the reader fills the batch @filled, the visitor looks at @visited; equal: nothing waits. */
struct sample_feed {
	int (*read)(void *context, struct sample_feed *feed, struct err *err);
	void *context;
	int (*visit)(void *visitor, const struct sample *samples, size_t count);
	void *visitor;
	struct err *err;
	bool is_alone; /* no thread was made */
	struct batch batches[BATCHES];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Of both threads, under the lock: */
	size_t filled, visited; /* numbers of batches, from 0 */
	bool has_ended;
	int read_rc, visit_rc;
};

static struct batch *batch_at(struct sample_feed *feed, size_t number)
{
	return &feed->batches[number % BATCHES];
}

/* Ends the batch that is being filled, and waits for room for the next one. */
static int hand_over(struct sample_feed *feed)
{
	int rc;

	pthread_mutex_lock(&feed->lock);
	feed->filled++;
	pthread_cond_signal(&feed->changed);
	while (feed->filled - feed->visited == BATCHES && !feed->visit_rc)
		pthread_cond_wait(&feed->changed, &feed->lock);
	rc = feed->visit_rc;
	pthread_mutex_unlock(&feed->lock);
	batch_at(feed, feed->filled)->samples.count = 0;
	return rc;
}

int sample_feed_give(struct sample_feed *feed, const struct sample *samples, size_t count)
{
	struct batch *batch = batch_at(feed, feed->filled);

	if (feed->is_alone)
		return feed->visit(feed->visitor, samples, count);
	vec_reserve(&batch->samples, batch->samples.count + count);
	memcpy(batch->samples.items + batch->samples.count, samples, count * sizeof(*samples));
	batch->samples.count += count;
	return batch->samples.count < MANY ? 0 : hand_over(feed);
}

static void *read_all(void *argument)
{
	struct sample_feed *feed = argument;
	int rc = feed->read(feed->context, feed, feed->err);

	pthread_mutex_lock(&feed->lock);
	if (rc == 0 && batch_at(feed, feed->filled)->samples.count)
		feed->filled++;
	feed->read_rc = rc;
	feed->has_ended = true;
	pthread_cond_signal(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
	return NULL;
}

/* Waits for the next batch; NULL: there is none. */
static const struct batch *next_batch(struct sample_feed *feed)
{
	const struct batch *batch = NULL;

	pthread_mutex_lock(&feed->lock);
	while (feed->filled == feed->visited && !feed->has_ended)
		pthread_cond_wait(&feed->changed, &feed->lock);
	if (feed->filled != feed->visited)
		batch = batch_at(feed, feed->visited);
	pthread_mutex_unlock(&feed->lock);
	return batch;
}

static int visit_all(struct sample_feed *feed)
{
	const struct batch *batch;
	int rc = 0;

	while (rc == 0 && (batch = next_batch(feed))) {
		rc = feed->visit(feed->visitor, batch->samples.items, batch->samples.count);
		pthread_mutex_lock(&feed->lock);
		feed->visited++;
		feed->visit_rc = rc;
		pthread_cond_signal(&feed->changed);
		pthread_mutex_unlock(&feed->lock);
	}
	return rc;
}

int sample_feed_run(int (*read)(void *context, struct sample_feed *feed, struct err *err),
		    void *context,
		    int (*visit)(void *visitor, const struct sample *samples, size_t count),
		    void *visitor, struct err *err)
{
	struct sample_feed feed = { .read = read,
				    .context = context,
				    .visit = visit,
				    .visitor = visitor,
				    .err = err,
				    .lock = PTHREAD_MUTEX_INITIALIZER,
				    .changed = PTHREAD_COND_INITIALIZER };
	pthread_t thread;
	int rc;

	if (pthread_create(&thread, NULL, read_all, &feed) != 0) {
		feed.is_alone = true;
		return read(context, &feed, err);
	}
	rc = visit_all(&feed);
	pthread_join(thread, NULL);
	for (int i = 0; i < BATCHES; i++)
		vec_free(&feed.batches[i].samples);
	return rc ? rc : feed.read_rc;
}
