/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "targets.h"

extern volatile int sink;

static __attribute__((noinline)) int twin(int x)
{
	sink = -x;
	return x + 2;
}

int other_twin(int x)
{
	return twin(x) + 1;
}
