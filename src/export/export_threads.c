/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/export_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hashidx.h"
#include "base/xalloc.h"

struct gathering {
	const struct export_data *data;
	struct export_threads *threads;
	struct hashidx index; /* of the list */
	uint32_t *known;      /* by task and event: the thread, plus 1; 0: not looked up yet */
	uint64_t *weights;    /* by task and event */
};

DEFINE_EQUAL(same_thread, struct export_threads, list.items, struct export_thread,
	     a->process == b->process && a->tid == b->tid && a->event == b->event)

/* A thread that changed its name is several tasks. */
static uint32_t find_thread(struct gathering *gathering, uint32_t task, uint8_t event)
{
	const struct task *row = &gathering->data->profile->tasks.items[task];
	struct export_threads *threads = gathering->threads;
	const struct export_thread key = {
		.process = row->process, .tid = row->tid, .task = task, .event = event
	};
	uint64_t hash = hash_combine(hash_combine(hash_u64(key.process), (uint32_t)key.tid), event);
	uint32_t id;

	if (hashidx_find(&gathering->index, hash, same_thread, threads, &key, &id))
		return id;
	id = (uint32_t)threads->list.count;
	*vec_push(&threads->list) = key;
	hashidx_add(&gathering->index, hash, id);
	return id;
}

static void take(void *context, const struct point *point)
{
	struct gathering *gathering = context;
	const struct total *total = &point->total;
	size_t slot = (size_t)total->task * PROFILE_MAX_EVENTS + total->event;
	uint32_t *known = &gathering->known[slot];
	struct export_thread *thread;

	if (!*known)
		*known = find_thread(gathering, total->task, total->event) + 1;
	thread = &gathering->threads->list.items[*known - 1];
	gathering->weights[slot] += total->weight;
	if (gathering->weights[slot] > thread->task_weight) {
		thread->task_weight = gathering->weights[slot];
		thread->task = total->task;
	}
	thread->samples += total->samples;
	thread->weight += total->weight;
	thread->count++;
	*vec_push(&gathering->threads->moments) = (struct export_moment){ .time_ns = point->time_ns,
									  .samples = total->samples,
									  .weight = total->weight,
									  .stack = total->stack,
									  .thread = *known - 1 };
}

DEFINE_ORDER(by_weight, struct export_thread,
	     COMPARE(a->event, b->event) ?: COMPARE(b->weight, a->weight) ?:
	     COMPARE(a->first, b->first))

/* Groups the moments by thread and keeps their order. */
static void part(struct export_threads *threads)
{
	struct export_moment *moments = xcalloc(threads->moments.count, sizeof(*moments));
	size_t *next = xcalloc(threads->list.count, sizeof(*next));
	size_t first = 0;

	for (size_t i = 0; i < threads->list.count; i++) {
		threads->list.items[i].first = next[i] = first;
		first += threads->list.items[i].count;
	}
	for (size_t i = 0; i < threads->moments.count; i++) {
		const struct export_moment *moment = &threads->moments.items[i];

		moments[next[moment->thread]++] = *moment;
	}
	free(next);
	free(threads->moments.items);
	threads->moments.items = moments;
	threads->moments.capacity = threads->moments.count;
}

int export_threads_gather(const struct export_data *data, struct export_threads *ret_threads,
			  struct export_note *note, struct err *err)
{
	size_t slots = data->profile->tasks.count * PROFILE_MAX_EVENTS;
	struct gathering gathering = { .data = data,
				       .threads = ret_threads,
				       .known = xcalloc(slots, sizeof(uint32_t)),
				       .weights = xcalloc(slots, sizeof(uint64_t)) };
	int rc;

	*ret_threads = (struct export_threads){ 0 };
	rc = data->each(data->source, take, &gathering, err);
	if (rc == 0 && ret_threads->list.count > 0) {
		part(ret_threads);
		qsort(ret_threads->list.items, ret_threads->list.count,
		      sizeof(struct export_thread), by_weight);
	}
	if (rc == 0 && !data->has_times)
		snprintf(note->text, sizeof(note->text),
			 "more than %d samples: equal stacks of a thread are summed, without their "
			 "times; choose a shorter time with --since and --until",
			 EXPORT_MOST_TIMED);
	hashidx_done(&gathering.index);
	free(gathering.known);
	free(gathering.weights);
	return rc;
}

void export_threads_done(struct export_threads *threads)
{
	vec_free(&threads->list);
	vec_free(&threads->moments);
}

size_t export_threads_events(const struct export_data *data)
{
	size_t events = 0;

	for (size_t event = 0; event < data->profile->event_count; event++)
		events += data->sums[event].samples > 0;
	return events;
}
