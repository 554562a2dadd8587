/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ends WAY or "ends all": calls that end in odd ways, in a file with exception tables. It prints
 * their number and times (timed.h). */
#include <coroutine>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <exception>
#include <initializer_list>

#include "timed.h"

#define WATCHED extern "C" NOINLINE

enum { CALLS = 20, SPIN_NS = 300000, STACK = 256 << 10 };

/* ---- longjmp out of three ---- */

static jmp_buf way_out;

WATCHED int third(int number)
{
	spin(SPIN_NS);
	if (number >= 0)
		longjmp(way_out, 1);
	return number;
}

WATCHED int second(int number)
{
	return third(number) + 1;
}

WATCHED int first(int number)
{
	return second(number) + 1;
}

static void jump_out()
{
	volatile int i = 0;

	while (i < CALLS) {
		int number = i;

		i = number + 1;
		if (!setjmp(way_out))
			first(number);
	}
	spin(NS_PER_S / 5); /* no thread is inside any more */
	for (const char *name : { "first", "second", "third" }) {
		print_count(name, "entries", CALLS);
		print_count(name, "exits", 0);
		print_count(name, "abandoned", CALLS);
	}
}

/* ---- exceptions ---- */

static timing catching_time;

WATCHED int thrower(int number)
{
	spin(SPIN_NS);
	if (number >= 0)
		throw number;
	return number;
}

WATCHED int through(int number)
{
	return thrower(number) + 1;
}

WATCHED int catching(int number)
{
	long began_ns = now_ns();

	try {
		number = through(number);
	} catch (int) {
		spin(SPIN_NS);
		number = -5;
	}
	catching_time.inner_ns += now_ns() - began_ns;
	return number;
}

static void throw_through()
{
	for (int i = 0; i < CALLS; i++) {
		long began_ns = now_ns();

		catching(i);
		catching_time.outer_ns += now_ns() - began_ns;
	}
	spin(NS_PER_S / 5);
	print_count("catching", "entries", CALLS);
	print_count("catching", "exits", CALLS);
	print_count("catching", "errors", CALLS);
	print_count("catching", "abandoned", 0);
	for (const char *name : { "through", "thrower" }) {
		print_count(name, "entries", CALLS);
		print_count(name, "exits", 0);
		print_count(name, "abandoned", CALLS);
	}
	print_times("catching", &catching_time);
}

/* ---- a handler on a stack of its own ---- */

static timing interrupted_time, handling_time;

WATCHED int handling(int number)
{
	long began_ns = now_ns();

	spin(SPIN_NS);
	handling_time.inner_ns += now_ns() - began_ns;
	return number;
}

static void handle(int)
{
	long began_ns = now_ns();

	handling(1);
	handling_time.outer_ns += now_ns() - began_ns;
}

WATCHED int interrupted(int number)
{
	long began_ns = now_ns();

	raise(SIGUSR1);
	spin(SPIN_NS);
	interrupted_time.inner_ns += now_ns() - began_ns;
	return number;
}

static void interrupt()
{
	static char memory[STACK];

	handle_on_stack(handle, memory, sizeof(memory));
	for (int i = 0; i < CALLS; i++) {
		long began_ns = now_ns();

		interrupted(i);
		interrupted_time.outer_ns += now_ns() - began_ns;
	}
	for (const char *name : { "interrupted", "handling" }) {
		print_count(name, "entries", CALLS);
		print_count(name, "exits", CALLS);
		print_count(name, "abandoned", 0);
		print_count(name, "stack-switched", 0);
	}
	print_times("interrupted", &interrupted_time);
	print_times("handling", &handling_time);
}

/* ---- coroutines ---- */

struct task {
	struct promise_type {
		task get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::terminate();
		}
	};
	std::coroutine_handle<promise_type> handle;
};

static timing step_time;

WATCHED int step(int number)
{
	long began_ns = now_ns();

	spin(SPIN_NS);
	step_time.inner_ns += now_ns() - began_ns;
	return number;
}

static task steps()
{
	for (int i = 0; i < CALLS; i++) {
		long began_ns = now_ns();

		step(i);
		step_time.outer_ns += now_ns() - began_ns;
		co_await std::suspend_always{};
	}
}

WATCHED int resume(task &task)
{
	task.handle.resume();
	return 1;
}

static void suspend()
{
	task task = steps();

	for (int i = 0; i < CALLS; i++)
		resume(task);
	task.handle.destroy();
	for (const char *name : { "step", "resume" }) {
		print_count(name, "entries", CALLS);
		print_count(name, "exits", CALLS);
		print_count(name, "abandoned", 0);
		print_count(name, "stack-switched", 0);
	}
	print_times("step", &step_time);
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		void (*go)();
	} ways[] = {
		{ "longjmp", jump_out },
		{ "exceptions", throw_through },
		{ "handler", interrupt },
		{ "coroutines", suspend },
	};

	bool known = false;

	for (const auto &way : ways) {
		if (count == 2 &&
		    (strcmp(words[1], way.name) == 0 || strcmp(words[1], "all") == 0)) {
			way.go();
			known = true;
		}
	}
	return known ? 0 : 2;
}
