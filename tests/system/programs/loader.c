/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads two libraries by turns, so that the second one takes the place of the first, and works in
 * each. Prints "address NAME HEX" for the first turn of each, and in the end "share NAME FRACTION"
 * with tabs. With one library: works in its unexported function. Usage: loader SECONDS LIBRARY
 * FUNCTION [LIBRARY FUNCTION]
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "spin.h"

enum { TURNS = 10 }; /* of each library */

typedef void work_fn(uint64_t rounds);

/* Returns the processor time used, 0 for a failure. */
static uint64_t work_in(const char *path, const char *name, uint64_t ns, int first)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	uint64_t start_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID), now_ns;
	work_fn *work;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 0;
	}
	if (name[0] == '*')
		work = *(work_fn *const *)dlsym(library, name + 1);
	else
		work = (work_fn *)dlsym(library, name);
	if (!work)
		return 0;
	if (first)
		printf("address %s %p\n", name, (void *)work);
	do {
		work(200000);
		now_ns = spin_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	} while (now_ns - start_ns < ns);
	dlclose(library);
	return now_ns - start_ns;
}

int main(int argc, char **argv)
{
	int libraries = (argc - 2) / 2;
	uint64_t spent_ns[2] = { 0 }, sum_ns;
	double turn_ns;

	if (libraries < 1 || libraries > 2)
		return 2;
	turn_ns = atof(argv[1]) * 1e9 / TURNS / libraries;
	for (int turn = 0; turn < TURNS; turn++) {
		for (int i = 0; i < libraries; i++) {
			/* The second gets half as long. */
			uint64_t ns = work_in(argv[2 + 2 * i], argv[3 + 2 * i],
					      (uint64_t)(turn_ns / (1 + i)), turn == 0);
			if (ns == 0)
				return 1;
			spent_ns[i] += ns;
		}
	}
	sum_ns = spent_ns[0] + spent_ns[1];
	for (int i = 0; i < libraries; i++)
		printf("share\t%s\t%.6f\n", argv[3 + 2 * i], (double)spent_ns[i] / (double)sum_ns);
	return 0;
}
