/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/discoveries.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"

struct tested {
	double p;
	size_t place;
};

static int less_probable(const void *left, const void *right)
{
	const struct tested *a = left, *b = right;

	return a->p < b->p ? -1 : a->p > b->p;
}

void discoveries_adjust(const double *p, size_t count, double *ret_q)
{
	struct tested *tested = xcalloc(count, sizeof(*tested));
	size_t tests = 0;
	double least = 1;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(p[i]))
			tested[tests++] = (struct tested){ p[i], i };
		ret_q[i] = p[i];
	}
	if (tests)
		qsort(tested, tests, sizeof(*tested), less_probable);
	for (size_t rank = tests; rank > 0; rank--) {
		const struct tested *test = &tested[rank - 1];

		least = fmin(least, test->p * (double)tests / (double)rank);
		ret_q[test->place] = least;
	}
	free(tested);
}
