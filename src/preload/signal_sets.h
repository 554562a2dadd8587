/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of signals with and without that of the timers. */
#ifndef PRELOAD_SIGNAL_SETS_H
#define PRELOAD_SIGNAL_SETS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/preload_wire.h"

#define SET_OWN (1ULL << (PRELOAD_SIGNAL - 1))

/* The first word of a sigset_t has the signals up to 64 with both C libraries. It is what the kernel takes. */
static inline uint64_t *set_word(sigset_t *set)
{
	return (uint64_t *)(void *)set;
}

static inline bool set_has_own(const sigset_t *set)
{
	return set && (*(const uint64_t *)(const void *)set & SET_OWN);
}

static inline sigset_t set_without_own(const sigset_t *set)
{
	sigset_t others = *set;

	*set_word(&others) &= ~SET_OWN;
	return others;
}

#endif
