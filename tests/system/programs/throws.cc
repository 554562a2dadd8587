/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Throws 50 exceptions through two functions that are called 100 times each. */
#include <cstdio>
#include <stdexcept>

int thrower(int number);
int passer(int number);

__attribute__((noinline)) int thrower(int number)
{
	__asm__ volatile("");
	if (number % 2)
		throw std::runtime_error("odd");
	return number;
}

__attribute__((noinline)) int passer(int number)
{
	int result = thrower(number);

	__asm__ volatile("");
	return result + 1;
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 100; i++) {
		try {
			passer(i);
		} catch (const std::exception &) {
			caught++;
		}
	}
	std::printf("caught %d\n", caught);
	return 0;
}
