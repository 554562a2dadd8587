/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coroutines that are resumed by turns in two threads, and that hand over to each other by a jump.
 * Prints what they took, measured from within and from around ("inner NAME SECONDS", "outer NAME
 * SECONDS"), and how often each was entered ("entered NAME COUNT"): the compiler's function begins
 * it once, the others are its resumptions.
 */
#include <coroutine>
#include <thread>

#include "timed.h"

enum { ROUNDS = 20, SPIN_NS = 200000 };

struct measured {
	const char *name;
	long inner_ns, outer_ns;
	int entered;
};

static measured worker_time = { "worker", 0, 0, 0 }, relay_time = { "relay", 0, 0, 0 },
		child_time = { "child", 0, 0, 0 };

extern "C" __attribute__((noinline)) int step(measured *time)
{
	long began_ns = now_ns();

	spin(SPIN_NS);
	time->inner_ns += now_ns() - began_ns;
	return -1;
}

struct coroutine {
	struct promise_type {
		std::coroutine_handle<> next;

		coroutine get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		/* The waiting coroutine goes on by a jump. */
		struct hand_back {
			bool await_ready() noexcept
			{
				return false;
			}
			std::coroutine_handle<>
			await_suspend(std::coroutine_handle<promise_type> done) noexcept
			{
				if (done.promise().next)
					return done.promise().next;
				return std::noop_coroutine();
			}
			void await_resume() noexcept
			{
			}
		};
		hand_back final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};
	std::coroutine_handle<promise_type> handle;

	bool await_ready()
	{
		return false;
	}
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting)
	{
		handle.promise().next = waiting;
		return handle;
	}
	void await_resume()
	{
		handle.destroy();
	}
};

coroutine worker(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		step(&worker_time);
		co_await std::suspend_always();
	}
}

coroutine child()
{
	step(&child_time);
	co_return;
}

coroutine relay(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		step(&relay_time);
		relay_time.entered++;	 /* again, as the child is done */
		child_time.entered += 2; /* begun, and resumed */
		co_await child();
		co_await std::suspend_always();
	}
}

static void resume(std::coroutine_handle<> handle, measured *time)
{
	long began_ns = now_ns();

	handle.resume();
	time->outer_ns += now_ns() - began_ns;
	time->entered++;
}

static void run(coroutine (*begin)(int), measured *time)
{
	long began_ns = now_ns();
	coroutine made = begin(ROUNDS);

	time->outer_ns += now_ns() - began_ns;
	time->entered++;
	for (int i = 0; !made.handle.done(); i++) {
		if (i % 2)
			std::thread(resume, made.handle, time).join();
		else
			resume(made.handle, time);
	}
	/* The frame is taken down by the same function. */
	began_ns = now_ns();
	made.handle.destroy();
	time->outer_ns += now_ns() - began_ns;
	time->entered++;
}

static void print(const measured *time)
{
	printf("inner %s %.9f\n", time->name, (double)time->inner_ns * 1e-9);
	printf("outer %s %.9f\n", time->name, (double)time->outer_ns * 1e-9);
	printf("entered %s %d\n", time->name, time->entered);
}

int main()
{
	run(worker, &worker_time);
	run(relay, &relay_time);
	child_time.outer_ns = relay_time.outer_ns;
	child_time.entered += ROUNDS; /* taken down */
	relay_time.inner_ns += child_time.inner_ns;
	print(&worker_time);
	print(&relay_time);
	print(&child_time);
}
