/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as C++ has them, and calls that are left by exceptions. */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

volatile int sink;

namespace app
{
template <typename T> struct cache {
	T value;
	__attribute__((noinline)) T get(T x)
	{
		sink = (int)x;
		if (x < 0)
			throw std::runtime_error("negative");
		return value + x;
	}
};

__attribute__((noinline)) int twice(int x)
{
	sink = x;
	return 2 * x;
}

__attribute__((noinline)) int twice(long x)
{
	sink = (int)x;
	return 3 * (int)x;
}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100, sum = 0;
	app::cache<int> ints = { 1 };
	app::cache<long> longs = { 2 };

	for (int i = 0; i < n; i++) {
		sum += ints.get(i) + (int)longs.get(i) + app::twice(i) + app::twice((long)i);
		try {
			sum += ints.get(-i - 1);
		} catch (const std::exception &) {
			sum++;
		}
	}
	printf("%d\n", sum);
	return 0;
}
