/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leaps WAY: calls that a longjmp(3) abandons, and calls after them. It prints their number and
 * times (timed.h). C and C++. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "timed.h"

#ifdef __cplusplus
#define WATCHED extern "C" NOINLINE
#else
#define WATCHED NOINLINE
#endif

enum { CALLS = 20, SPIN_NS = 200000, STACK = 64 << 10, DEEP = 5 };

static volatile int turns;
static struct timing later_time;

static void begin(struct timing *timing)
{
	timing->began_ns = now_ns();
}

static void end(struct timing *timing)
{
	timing->inner_ns += now_ns() - timing->began_ns;
}

/* Of abandoned calls: their time is known only where the target of longjmp can be read. */
static void print_abandoned(const char *name, struct timing *timing)
{
#if !defined(__x86_64__)
	timing->inner_ns = 0;
#endif
	print_times(name, timing);
}

static void print_ends(const char *name, int entries, int exits, int abandoned, int unseen)
{
	print_count(name, "entries", entries);
	print_count(name, "exits", exits);
	print_count(name, "abandoned", abandoned);
	print_count(name, "end-not-seen", unseen);
	print_count(name, "stack-switched", 0);
	print_count(name, "errors", 0);
}

static void counted(const char *name, int entries, int exits, int abandoned)
{
	print_ends(name, entries, exits, abandoned, 0);
}

/* Of calls where longjmp leads to their return: their end is not seen where the target cannot be
 * read. */
static void counted_landing(const char *name, int entries, int exits, int abandoned)
{
#if defined(__x86_64__)
	counted(name, entries, exits, abandoned);
#else
	print_ends(name, entries, exits, 0, abandoned);
#endif
}

WATCHED int later(int number)
{
	begin(&later_time);
	spin(SPIN_NS);
	end(&later_time);
	return number;
}

static void call_later(int number)
{
	long before_ns = now_ns();

	later(number);
	later_time.outer_ns += now_ns() - before_ns;
}

/* ---- to exactly where a watched call returns to ---- */

static jmp_buf landing;
static int (*volatile setting)(jmp_buf) = _setjmp;
static int (*volatile next)(int);
static struct timing either_time, leap_time, deeper_time, keep_time;
static volatile int round_number;
static volatile long before_ns;
static void *volatile return_site;

/* longjmp(3) comes back with 1. */
WATCHED int deeper(int number)
{
	begin(&deeper_time);
	spin(SPIN_NS);
	end(&deeper_time);
	end(&leap_time);
	end(&either_time);
	if (number >= 0)
		longjmp(landing, 1);
	return number;
}

NOINLINE static int go_deeper(int number)
{
	spin(SPIN_NS);
	return deeper(number) + 1;
}

WATCHED int leap(int number)
{
	begin(&leap_time);
	spin(SPIN_NS);
	return go_deeper(number);
}

/* Jumps to setjmp(3), which returns where this one was called from: longjmp(3) lands there, too. */
WATCHED __attribute__((returns_twice)) int keep(int number)
{
	turns += number;
	if (return_site && return_site != __builtin_return_address(0))
		abort();
	return_site = __builtin_return_address(0);
	return setting(landing);
}

/* Jumps to one of the three. */
WATCHED __attribute__((returns_twice)) int either(int number)
{
	begin(&either_time);
	return next(number);
}

NOINLINE static void call_from_one_place(void)
{
	next = keep;
	while (round_number < CALLS) {
		before_ns = now_ns();
		turns += either(round_number);
		either_time.outer_ns += now_ns() - before_ns;
		if (next == keep) {
			keep_time.outer_ns += now_ns() - before_ns;
			next = leap;
		} else if (next == leap) {
			leap_time.outer_ns += now_ns() - before_ns;
			deeper_time.outer_ns += now_ns() - before_ns;
			next = later;
		} else {
			later_time.outer_ns += now_ns() - before_ns;
			round_number = round_number + 1;
			next = keep;
		}
	}
}

static void land_where_calls_return(void)
{
	call_from_one_place();
	spin(NS_PER_S / 20); /* no thread is inside any more */
	counted_landing("either", 3 * CALLS, 2 * CALLS, CALLS);
	counted("keep", CALLS, CALLS, 0);
	counted_landing("leap", CALLS, 0, CALLS);
	counted("deeper", CALLS, 0, CALLS);
	counted("later", CALLS, CALLS, 0);
#if defined(__x86_64__)
	print_times("either", &either_time);
#endif
	print_times("keep", &keep_time);
	print_abandoned("leap", &leap_time);
	print_abandoned("deeper", &deeper_time);
	print_times("later", &later_time);
}

/* ---- several calls at a time, below one that lives ---- */

static jmp_buf way_out;
static struct timing outermost_time, middle_time, innermost_time;

WATCHED int innermost(int number)
{
	begin(&innermost_time);
	spin(SPIN_NS);
	end(&innermost_time);
	end(&middle_time);
	if (number >= 0)
		longjmp(way_out, 1);
	return number;
}

/* DEEP of itself. */
WATCHED int middle(int number, int deep)
{
	int got;

	if (deep == 1)
		begin(&middle_time);
	got = deep == DEEP ? innermost(number) : middle(number, deep + 1);
	turns++;
	return got;
}

WATCHED int outermost(int number)
{
	begin(&outermost_time);
	if (!setjmp(way_out))
		turns += middle(number, 1);
	spin(SPIN_NS);
	end(&outermost_time);
	return number;
}

static void leave_several(void)
{
	for (int i = 0; i < CALLS; i++) {
		long started_ns = now_ns();

		outermost(i);
		outermost_time.outer_ns += now_ns() - started_ns;
		call_later(i);
	}
	spin(NS_PER_S / 20);
	middle_time.outer_ns = innermost_time.outer_ns = outermost_time.outer_ns;
	counted("outermost", CALLS, CALLS, 0);
	counted("middle", DEEP * CALLS, 0, DEEP * CALLS);
	counted("innermost", CALLS, 0, CALLS);
	counted("later", CALLS, CALLS, 0);
	print_times("outermost", &outermost_time);
	print_abandoned("middle", &middle_time);
	print_abandoned("innermost", &innermost_time);
	print_times("later", &later_time);
}

/* ---- out of a handler that has a stack of its own ---- */

static sigjmp_buf handled;
static struct timing interrupted_time, handling_time, leaving_time;

WATCHED int leaving(int number)
{
	begin(&leaving_time);
	spin(SPIN_NS);
	end(&leaving_time);
	end(&handling_time);
	end(&interrupted_time);
	if (number >= 0)
		siglongjmp(handled, 1);
	return number;
}

WATCHED int handling(int number)
{
	begin(&handling_time);
	number = leaving(number);
	turns++;
	return number;
}

static void handle(int signal)
{
	turns += handling(signal);
}

WATCHED int interrupted(int number)
{
	begin(&interrupted_time);
	spin(SPIN_NS);
	raise(SIGUSR1);
	turns++;
	return number;
}

/* What comes later is higher in the stack. */
NOINLINE static void interrupt_one(int number)
{
	if (!sigsetjmp(handled, 1))
		turns += interrupted(number);
}

static void handle_signals(void)
{
	static char memory[STACK];

	handle_on_stack(handle, memory, sizeof(memory));
	for (int i = 0; i < CALLS; i++) {
		long started_ns = now_ns();

		interrupt_one(i);
		interrupted_time.outer_ns += now_ns() - started_ns;
		call_later(i);
	}
	spin(NS_PER_S / 20);
	leaving_time.outer_ns = handling_time.outer_ns = interrupted_time.outer_ns;
	for (int i = 0; i < 3; i++)
		counted(i == 0 ? "interrupted" : i == 1 ? "handling" : "leaving", CALLS, 0, CALLS);
	counted("later", CALLS, CALLS, 0);
	print_abandoned("interrupted", &interrupted_time);
	print_abandoned("handling", &handling_time);
	print_abandoned("leaving", &leaving_time);
	print_times("later", &later_time);
}

static void *handle_in_thread(void *argument)
{
	handle_signals();
	return argument;
}

static void handle_signals_in_a_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, handle_in_thread, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
}

/* ---- by the program's own instructions, which no probe sees ---- */

static void *unseen[5];

WATCHED int vanish(int number)
{
	turns++;
	spin(SPIN_NS);
	if (number >= 0)
		__builtin_longjmp(unseen, 1);
	return number;
}

/* What this jumped to is left, and so is this; then it is called from the same place. */
WATCHED int pass_on(int number)
{
	turns++;
	return next(number);
}

NOINLINE static void call_what_vanishes(int number)
{
	next = __builtin_setjmp(unseen) ? later : vanish;
	before_ns = now_ns();
	turns += pass_on(number);
	later_time.outer_ns += now_ns() - before_ns;
}

static void leave_unseen(void)
{
	for (int i = 0; i < CALLS; i++)
		call_what_vanishes(i);
	counted("pass_on", 2 * CALLS, CALLS, CALLS);
	counted("vanish", CALLS, 0, CALLS);
	counted("later", CALLS, CALLS, 0);
	printf("outer pass_on %.9f\nouter vanish 0\n", (double)later_time.outer_ns * 1e-9);
	print_times("later", &later_time);
}

/* It is not watched, and returns to where pass_on would have returned. */
NOINLINE static int return_there(int number)
{
	turns++;
	return number;
}

NOINLINE static void call_by_turns(int number)
{
	static int (*volatile called)(int);

	called = __builtin_setjmp(unseen) ? return_there : pass_on;
	turns += called(number);
}

/* The second half when the place that both return to has its probe. */
static void return_for_others(void)
{
	next = vanish;
	for (int half = 0; half < 2; half++) {
		for (int i = 0; i < CALLS; i++)
			call_by_turns(i);
		spin(NS_PER_S / 2);
	}
	print_ends("pass_on", 2 * CALLS, 0, 0, 2 * CALLS);
	counted("vanish", 2 * CALLS, 0, 2 * CALLS);
	printf("outer pass_on 0\nouter vanish 0\n");
}

static void handle_by_vanishing(int signal)
{
	turns += pass_on(signal);
}

/* The thread ends long after, and calls nothing meanwhile. With an argument, on a stack for
 * signals. */
static void *vanish_at_last(void *memory)
{
	next = vanish;
	if (memory)
		handle_on_stack(handle_by_vanishing, memory, STACK);
	if (!__builtin_setjmp(unseen))
		turns += memory ? raise(SIGUSR1) : pass_on(1);
	spin(NS_PER_S / 20);
	return NULL;
}

static void leave_at_last(void)
{
	static char memory[STACK];
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		if (pthread_create(&thread, NULL, vanish_at_last, i ? memory : NULL) != 0)
			abort();
		pthread_join(thread, NULL);
	}
	counted("pass_on", 2, 0, 2);
	counted("vanish", 2, 0, 2);
	printf("outer pass_on 0\nouter vanish 0\n");
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		void (*go)(void);
	} ways[] = {
		{ "site", land_where_calls_return }, { "nested", leave_several },
		{ "signals", handle_signals },	     { "thread", handle_signals_in_a_thread },
		{ "unseen", leave_unseen },	     { "other", return_for_others },
		{ "last", leave_at_last },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (count == 2 && strcmp(words[1], ways[i].name) == 0) {
			ways[i].go();
			return 0;
		}
	}
	return 2;
}
