/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose samples a view is about: the whole machine's, or only those of the command, which is the
 * profiled command with all that it started, or the processes chosen with -p with all that they
 * started. The recording marks these processes (process.in_command).
 */
#ifndef AGGREGATE_SCOPE_H
#define AGGREGATE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum scope {
	SCOPE_MACHINE, /* everything that was recorded */
	SCOPE_COMMAND,
};

/* "machine", "command". */
const char *scope_name(enum scope scope);
/* For sentences: "the command", or "the chosen processes" or threads where no command was profiled. */
const char *scope_subject(const struct profile *profile);
/* Whose samples, to follow that word: " of the command", " of the machine"; "" where the profile is
 * of neither. */
const char *scope_words(const struct profile *profile, enum scope scope);

/* The weight of an event inside and outside the command. */
struct scope_parts {
	uint64_t command, others;
};
struct scope_parts scope_parts(const struct profile *profile, const struct total *totals,
			       size_t count, uint8_t event);

/* True if the task belongs to the command. */
static inline bool scope_has(const struct profile *profile, uint32_t task)
{
	return profile->processes.items[profile->tasks.items[task].process].in_command;
}

/* Moves the command's totals before the others, which changes the order of both, and returns the
 * number of the command's. */
size_t scope_divide(const struct profile *profile, struct total *totals, size_t count);

#endif
