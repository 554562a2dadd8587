/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/account/off_cpu_account.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "aggregate/labels.h"
#include "base/compare.h"
#include "base/xalloc.h"

struct making {
	const struct profile *profile;
	struct labels labels; /* only for labels_wait and labels_waker */
	struct off_cpu_account *account;
	uint64_t waits_ns[WAIT_COUNT]; /* of the recorded waits */
	uint64_t user_ns, kernel_ns;   /* of the clock */
	uint8_t clock;
};

static const struct process *process_of(const struct making *making, const struct total *total)
{
	const struct profile *profile = making->profile;

	return &profile->processes.items[profile->tasks.items[total->task].process];
}

static bool is_exact(const struct making *making, const struct total *total)
{
	return making->profile->events[total->event].clock == CLOCK_EXACT;
}

static bool counts(const struct making *making, const struct total *total)
{
	return !making->account->of_command || process_of(making, total)->in_command;
}

/* ---- places ---- */

static const struct frame *frame_at(const struct making *making, uint32_t node)
{
	const struct profile *profile = making->profile;

	return &profile->frames.items[profile->stacks.items[node].frame];
}

static enum image_kind kind_at(const struct making *making, uint32_t node)
{
	return making->profile->images.items[frame_at(making, node)->image].kind;
}

/* Goes outwards from the wait: the innermost kernel frame, the innermost user frame, and the next
 * one of another file. */
static struct wait_place place_of(const struct making *making, const struct total *total)
{
	const struct stack_node *nodes = making->profile->stacks.items;
	uint32_t waker = labels_waker(&making->labels, total->stack);
	struct wait_place place = { .wait = labels_wait(&making->labels, total->stack),
				    .waker = making->profile->processes.items[waker].program };
	uint32_t node = nodes[total->stack].parent, asked;

	if (node && image_kind_is_kernel(kind_at(making, node)))
		place.kernel = frame_at(making, node)->symbol;
	while (node && image_kind_is_kernel(kind_at(making, node)))
		node = nodes[node].parent;
	if (!node || kind_at(making, node) == IMAGE_CUT)
		return place;
	asked = node;
	place.user = frame_at(making, asked)->symbol;
	while (node && frame_at(making, node)->image == frame_at(making, asked)->image)
		node = nodes[node].parent;
	if (node && kind_at(making, node) != IMAGE_CUT)
		place.caller = frame_at(making, node)->symbol;
	return place;
}

DEFINE_EQUAL(place_equal, struct off_cpu_account, places.items, struct wait_place,
	     a->wait == b->wait && a->kernel == b->kernel && a->user == b->user &&
		     a->caller == b->caller && a->waker == b->waker)

static void add_place(struct off_cpu_account *account, const struct wait_place *place,
		      const struct total *total)
{
	uint64_t hash = hash_combine(hash_combine(hash_u64(place->user), place->caller),
				     hash_combine(hash_u64(place->kernel), place->waker));
	uint32_t index;

	if (!hashidx_find(&account->index, hash, place_equal, account, place, &index)) {
		index = (uint32_t)account->places.count;
		*vec_push(&account->places) = *place;
		hashidx_add(&account->index, hash, index);
	}
	account->places.items[index].samples += total->samples;
	account->places.items[index].weight += total->weight;
}

DEFINE_ORDER(heaviest_first, struct wait_place,
	     COMPARE(b->weight, a->weight) ?: COMPARE(a->user, b->user))

/* ---- sums ---- */

static void add_total(struct making *making, const struct total *total)
{
	struct off_cpu_account *account = making->account;
	enum wait wait;

	if (!counts(making, total))
		return;
	if (total->event == making->clock)
		*(total->mode == MODE_USER ? &making->user_ns : &making->kernel_ns) +=
			total->weight;
	if (!account_is_of_threads(making->profile, total->event))
		return;
	wait = labels_wait(&making->labels, total->stack);
	if (is_exact(making, total)) {
		account->parts_ns[wait] += total->weight;
		account->whole_ns += total->weight;
	} else if (wait != WAIT_RUNNABLE) {
		struct wait_place place = place_of(making, total);

		making->waits_ns[wait] += total->weight;
		add_place(account, &place, total);
	}
}

/* The part of @whole that corresponds to @share of @of. */
static uint64_t part_of(uint64_t whole, uint64_t share, uint64_t of)
{
	return of ? (uint64_t)((double)whole * ((double)share / (double)of)) : 0;
}

/* Divides the blocked time by cause, in proportion to the recorded waits, and the running time by
 * mode. */
static void divide(struct making *making)
{
	struct off_cpu_account *account = making->account;
	uint64_t blocked_ns = account->parts_ns[WAIT_BLOCKED], recorded_ns = 0;

	for (int i = 0; i < WAIT_COUNT; i++)
		recorded_ns += making->waits_ns[i];
	for (int i = 0; i < WAIT_COUNT; i++) {
		uint64_t part_ns = part_of(blocked_ns, making->waits_ns[i], recorded_ns);

		if (part_ns > account->parts_ns[WAIT_BLOCKED])
			part_ns = account->parts_ns[WAIT_BLOCKED];
		account->parts_ns[i] += part_ns;
		account->parts_ns[WAIT_BLOCKED] -= part_ns;
	}
	account->user_ns = part_of(account->parts_ns[WAIT_RUNNING], making->user_ns,
				   making->user_ns + making->kernel_ns);
	if (making->user_ns + making->kernel_ns)
		account->kernel_ns = account->parts_ns[WAIT_RUNNING] - account->user_ns;
}

DEFINE_ORDER(by_number, int32_t, COMPARE(*a, *b))

/* A thread counts once, whatever its names and through exec: its number identifies it. */
static size_t count_threads(const struct making *making, const struct total *totals, size_t count)
{
	int32_t *tids = xcalloc(count + 1, sizeof(*tids));
	size_t found = 0, threads = 0;

	for (size_t i = 0; i < count; i++) {
		if (is_exact(making, &totals[i]) && counts(making, &totals[i]))
			tids[found++] = making->profile->tasks.items[totals[i].task].tid;
	}
	qsort(tids, found, sizeof(*tids), by_number);
	for (size_t i = 0; i < found; i++)
		threads += i == 0 || tids[i] != tids[i - 1];
	free(tids);
	return threads;
}

/* True if the account covers only the command. Without a command, or if none of it was selected, it
 * covers everything. */
static bool has_command(const struct making *making, const struct total *totals, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_exact(making, &totals[i]) && process_of(making, &totals[i])->in_command)
			return true;
	}
	return false;
}

void off_cpu_account_make(const struct profile *profile, const struct total *totals, size_t count,
			  struct off_cpu_account *ret_account)
{
	struct making making = { .profile = profile,
				 .labels = { .profile = profile },
				 .account = ret_account,
				 .clock = account_main_event(profile) };

	memset(ret_account, 0, sizeof(*ret_account));
	ret_account->of_command = has_command(&making, totals, count);
	for (size_t i = 0; i < count; i++)
		add_total(&making, &totals[i]);
	ret_account->known = ret_account->whole_ns > 0;
	ret_account->threads = count_threads(&making, totals, count);
	divide(&making);
	if (ret_account->places.count)
		qsort(ret_account->places.items, ret_account->places.count,
		      sizeof(struct wait_place), heaviest_first);
}

void off_cpu_account_done(struct off_cpu_account *account)
{
	vec_free(&account->places);
	hashidx_done(&account->index);
}
