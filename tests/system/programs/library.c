/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library whose exported functions are named FIRST and LAST with a static one between them; the
 * order in the file is the order here (built with -fno-toplevel-reorder). */
#include "spin.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void FIRST(uint64_t rounds);
EXPORT void LAST(uint64_t rounds);
EXPORT extern void (*const library_hidden)(uint64_t rounds);

EXPORT NOINLINE void FIRST(uint64_t rounds)
{
	SPIN(rounds);
}

static NOINLINE void between(uint64_t rounds)
{
	SPIN(rounds);
}

EXPORT NOINLINE void LAST(uint64_t rounds)
{
	SPIN(rounds);
}

void (*const library_hidden)(uint64_t rounds) = between;
