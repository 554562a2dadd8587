/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timer for each thread. Threads that pthread_create or thrd_create make get theirs before their first
 * instruction; those made by other means when another thread looks at /proc/self/task, which a sample
 * makes it do.
 */
#include "preload/preload.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

enum {
	NS_PER_S = 1000000000,
	LOOK_SOON_NS = 100000000,
	LOOK_LATE_NS = 1600000000,
	NO_TIMER = -1, /* the kernel knows none of that number */
	/* linux:include/linux/posix-timers.h: the clock of a thread is ~tid << 3 with these bits. */
	CLOCK_OF_THREAD = 4,
	CLOCK_COUNTS_USER = 1,
	CLOCK_COUNTS_CPU = 2,
};

/* The kernel's struct sigevent: that of the C library may be larger. */
struct kernel_sigevent {
	void *value;
	int signal, notify, tid;
	int room[13];
};

struct kernel_time {
	int64_t seconds, ns;
};

static int clock_of(int32_t tid)
{
	int counts =
		preload_head->clock == PRELOAD_CLOCK_USER ? CLOCK_COUNTS_USER : CLOCK_COUNTS_CPU;

	return (int)((~(unsigned)tid << 3) | CLOCK_OF_THREAD | (unsigned)counts);
}

uint64_t preload_cpu_ns(int32_t tid)
{
	return raw_time(clock_of(tid));
}

static uint64_t random_below(uint64_t bound, int32_t tid)
{
	uint64_t mixed = raw_time(CLOCK_MONOTONIC) ^ (uint64_t)(uint32_t)tid << 32;

	mixed = (mixed ^ mixed >> 33) * 0xff51afd7ed558ccdULL;
	mixed = (mixed ^ mixed >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return (mixed ^ mixed >> 33) % bound;
}

/* The kernel looks at the timers at its ticks. */
static uint64_t tick_ns(void)
{
	struct kernel_time tick = { 0, 0 };

	RAW(clock_getres, CLOCK_MONOTONIC_COARSE, &tick);
	return tick.ns > 0 ? (uint64_t)tick.ns : 1;
}

/* The coarse clock has the time of the last tick. The kernel adds ticks as a whole to the time in user mode. */
static uint64_t until_tick(uint64_t tick)
{
	uint64_t last = raw_time(CLOCK_MONOTONIC_COARSE);

	if (preload_head->clock == PRELOAD_CLOCK_USER)
		return tick;
	return tick - (raw_time(CLOCK_MONOTONIC) - last) % tick;
}

/* When the timer is to go off first. Each of the ticks that come in the first period is as likely as the
 * others: then a thread that ends before has a sample as often as its time is long. The time is set to half a
 * tick before the one that is meant. */
static uint64_t plan_first(struct preload_thread *thread, int32_t tid, uint64_t period)
{
	uint64_t tick = tick_ns(), half = tick / 2, at;

	thread->first_ns = period > tick ? period : tick;
	at = until_tick(tick) + random_below(thread->first_ns, tid) / tick * tick;
	at = at > half ? at - half : 1;
	thread->seen_ns = preload_cpu_ns(tid);
	thread->due_ns = thread->seen_ns + at + tick;
	return at;
}

static bool start_timer(struct preload_thread *thread, int32_t tid, uint64_t stack_end)
{
	struct kernel_sigevent event = {
		.value = thread, .signal = PRELOAD_SIGNAL, .notify = SIGEV_THREAD_ID, .tid = tid
	};
	uint64_t period = preload_head->period_ns, first;
	struct {
		struct kernel_time interval, value;
	} when;

	thread->sampled = thread->named = false;
	thread->stack_end = stack_end;
	if (RAW(timer_create, clock_of(tid), &event, &thread->timer) < 0)
		thread->timer = NO_TIMER;
	first = plan_first(thread, tid, period);
	when.interval =
		(struct kernel_time){ (int64_t)(period / NS_PER_S), (int64_t)(period % NS_PER_S) };
	when.value =
		(struct kernel_time){ (int64_t)(first / NS_PER_S), (int64_t)(first % NS_PER_S) };
	__atomic_store_n(&thread->tid, tid, __ATOMIC_RELEASE);
	return RAW(timer_settime, thread->timer, 0, &when, NULL) == 0;
}

/* What a row holds while it is being changed. */
enum { CLAIMED = -1 };

/* The rows that a thread may have: few, so that finding one is quick. */
enum { CHOICES = 16 };

static struct preload_thread *row(struct preload_state *state, int32_t tid, uint32_t choice)
{
	return &state->threads[((uint32_t)tid + choice) % PRELOAD_THREADS];
}

static struct preload_thread *find(struct preload_state *state, int32_t tid)
{
	for (uint32_t i = 0; i < CHOICES; i++) {
		if (__atomic_load_n(&row(state, tid, i)->tid, __ATOMIC_ACQUIRE) == tid)
			return row(state, tid, i);
	}
	return NULL;
}

/* A free row. NULL: there is none. */
static struct preload_thread *claim(struct preload_state *state, int32_t tid)
{
	for (uint32_t i = 0; i < CHOICES; i++) {
		struct preload_thread *thread = row(state, tid, i);
		int32_t none = 0;

		if (!__atomic_compare_exchange_n(&thread->tid, &none, CLAIMED, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&state->used[(size_t)(thread - state->threads) / PRELOAD_GROUP], 1,
				 __ATOMIC_RELAXED);
		return thread;
	}
	return NULL;
}

/* False: it gets none. It keeps its row, so that it is counted once. */
static bool add(struct preload_state *state, int32_t tid, uint64_t stack_end)
{
	struct preload_thread *thread;

	if (preload_is_over())
		return false;
	thread = claim(state, tid);
	if (thread && start_timer(thread, tid, stack_end))
		return true;
	__atomic_add_fetch(&preload_head->untimed_threads, 1, __ATOMIC_RELAXED);
	return false;
}

void preload_remove_timer(struct preload_thread *thread)
{
	RAW(timer_delete, thread->timer);
	__atomic_store_n(&thread->tid, 0, __ATOMIC_RELEASE);
}

void preload_remove_timers(struct preload_state *state)
{
	for (size_t i = 0; i < PRELOAD_THREADS; i++) {
		if (!__atomic_load_n(&state->used[i / PRELOAD_GROUP], __ATOMIC_RELAXED))
			i += PRELOAD_GROUP - 1;
		else if (state->threads[i].tid > 0)
			preload_remove_timer(&state->threads[i]);
	}
}

/* It has ended. If it had samples, it is known. */
static void end_thread(struct preload_state *state, struct preload_thread *thread, int32_t tid)
{
	bool is_known = thread->named && tid != state->pid;

	preload_remove_timer(thread);
	if (is_known)
		preload_put_thread_exit(state, tid, preload_now());
}

void preload_add_new_thread(struct preload_state *state, int32_t tid, uint64_t stack_end)
{
	struct preload_thread *old = find(state, tid);

	if (old)
		end_thread(state, old, tid);
	(void)add(state, tid, stack_end);
}

void preload_add_thread(struct preload_state *state)
{
	preload_add_new_thread(state, (int32_t)RAW(gettid), 0);
}

/* ---- threads that were made by other means, and that have ended ---- */

/* linux:include/linux/dirent.h */
struct kernel_dirent {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

static int32_t number_of(const char *name)
{
	int32_t number = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		number = number * 10 + (*name - '0');
	return *name ? 0 : number;
}

static bool is_there(int32_t pid, int32_t tid)
{
	return RAW(tgkill, pid, tid, 0) == 0;
}

static void remove_if_ended(struct preload_state *state, struct preload_thread *thread)
{
	int32_t tid = __atomic_load_n(&thread->tid, __ATOMIC_ACQUIRE);

	if (tid > 0 && !is_there(state->pid, tid) &&
	    __atomic_compare_exchange_n(&thread->tid, &tid, CLAIMED, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		end_thread(state, thread, tid);
}

/* Rows that were never used are not touched: most of that memory does not exist yet. */
static void remove_ended(struct preload_state *state)
{
	for (size_t i = 0; i < PRELOAD_THREADS; i++) {
		if (__atomic_load_n(&state->used[i / PRELOAD_GROUP], __ATOMIC_RELAXED))
			remove_if_ended(state, &state->threads[i]);
		else
			i += PRELOAD_GROUP - 1;
	}
}

/* True if there was one without a timer. */
static bool look(struct preload_state *state)
{
	bool found = false;
	long fd = RAW(openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0),
	     got;
	char entries[1024];

	if (fd < 0)
		return false;
	while ((got = RAW(getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < got;) {
			const struct kernel_dirent *entry =
				(const struct kernel_dirent *)(const void *)(entries + at);
			int32_t tid = number_of(entry->name);

			/* /proc may be that of another PID namespace, with other numbers. */
			if (tid > 0 && tid != state->looker && !find(state, tid) &&
			    is_there(state->pid, tid))
				found |= add(state, tid, 0);
			at += entry->size;
		}
	}
	RAW(close, fd);
	return found;
}

void preload_look(struct preload_state *state, uint64_t now_ns)
{
	if (now_ns < state->look_ns || __atomic_exchange_n(&state->looking, 1, __ATOMIC_ACQUIRE))
		return;
	remove_ended(state);
	if (look(state) || !state->look_wait_ns)
		state->look_wait_ns = LOOK_SOON_NS;
	else if (state->look_wait_ns < LOOK_LATE_NS)
		state->look_wait_ns *= 2;
	state->look_ns = now_ns + state->look_wait_ns;
	__atomic_store_n(&state->looking, 0, __ATOMIC_RELEASE);
}

/* ---- pthread_create(3), thrd_create(3) ---- */

/* What a new thread is to run. */
struct beginning {
	uint32_t claimed;
	bool blocked; /* the program blocks our signal in the thread that makes it */
	void *(*run)(void *argument);
	int (*run_c11)(void *argument);
	void *argument;
};

static struct beginning beginnings[1024]; /* of threads that have not yet begun */

static struct beginning *claim_beginning(void)
{
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		if (__atomic_exchange_n(&beginnings[i].claimed, 1, __ATOMIC_ACQUIRE))
			continue;
		beginnings[i].blocked = preload_program_blocks();
		return &beginnings[i];
	}
	return NULL;
}

static struct beginning begin(struct beginning *shared)
{
	struct beginning own = *shared;
	struct preload_state *state = preload_own();

	__atomic_store_n(&shared->claimed, 0, __ATOMIC_RELEASE);
	preload_unblock(own.blocked);
	if (state)
		preload_add_thread(state);
	return own;
}

/* Calls, not frames: the stacks of the thread are as without us. */
static void *begin_thread(void *shared)
{
	struct beginning own = begin(shared);

	return own.run(own.argument);
}

static int begin_thread_c11(void *shared)
{
	struct beginning own = begin(shared);

	return own.run_c11(own.argument);
}

PRELOAD_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
				  void *(*run)(void *), void *argument)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		PRELOAD_NEXT(pthread_create);
	struct beginning *shared = preload_own() ? claim_beginning() : NULL;
	int rc;

	if (!shared)
		return next(thread, attributes, run, argument);
	shared->run = run;
	shared->argument = argument;
	rc = next(thread, attributes, begin_thread, shared);
	if (rc != 0)
		__atomic_store_n(&shared->claimed, 0, __ATOMIC_RELEASE);
	return rc;
}

PRELOAD_EXPORT int thrd_create(thrd_t *thread, int (*run)(void *), void *argument)
{
	int (*next)(thrd_t *, int (*)(void *), void *) = PRELOAD_NEXT(thrd_create);
	struct beginning *shared = preload_own() ? claim_beginning() : NULL;
	int rc;

	if (!shared)
		return next(thread, run, argument);
	shared->run_c11 = run;
	shared->argument = argument;
	rc = next(thread, begin_thread_c11, shared);
	if (rc != thrd_success)
		__atomic_store_n(&shared->claimed, 0, __ATOMIC_RELEASE);
	return rc;
}
