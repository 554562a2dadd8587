/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/scope.h"

#include <string.h>

const char *scope_name(enum scope scope)
{
	return scope == SCOPE_COMMAND ? "command" : "machine";
}

static bool has_command(const struct profile *profile)
{
	return profile->run.command && *profile->run.command;
}

static bool has_threads(const struct profile *profile)
{
	return profile->run.scope && strcmp(profile->run.scope, "threads") == 0;
}

const char *scope_subject(const struct profile *profile)
{
	if (has_command(profile))
		return "the command";
	return has_threads(profile) ? "the chosen threads" : "the chosen processes";
}

const char *scope_words(const struct profile *profile, enum scope scope)
{
	if (scope == SCOPE_COMMAND && has_command(profile))
		return " of the command";
	if (scope == SCOPE_COMMAND)
		return has_threads(profile) ? " of the chosen threads" : " of the chosen processes";
	return profile->run.scope && strcmp(profile->run.scope, "machine") == 0 ? " of the machine"
										: "";
}

struct scope_parts scope_parts(const struct profile *profile, const struct total *totals,
			       size_t count, uint8_t event)
{
	struct scope_parts parts = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct total *total = &totals[i];

		if (total->event == event)
			*(scope_has(profile, total->task) ? &parts.command : &parts.others) +=
				total->weight;
	}
	return parts;
}

size_t scope_divide(const struct profile *profile, struct total *totals, size_t count)
{
	size_t first = 0;

	while (first < count) {
		struct total other = totals[first];

		if (scope_has(profile, other.task)) {
			first++;
			continue;
		}
		totals[first] = totals[--count];
		totals[count] = other;
	}
	return first;
}
