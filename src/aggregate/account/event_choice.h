/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events of a profile are shown, as typed. */
#ifndef AGGREGATE_ACCOUNT_EVENT_CHOICE_H
#define AGGREGATE_ACCOUNT_EVENT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/profile.h"

struct event_choice {
	uint8_t events[PROFILE_MAX_EVENTS];
	bool named[PROFILE_MAX_EVENTS]; /* by its own name, not by a glob */
	size_t count;
};

/* @text: "EVENT,...", each a name as the profile has it, which may have commas itself, the same
 * without its "@COUNT", or a glob. In the order they are named in, those of a glob in the
 * profile's, each once. NULL: the event times come from. -ENODATA: the profile has none of that
 * name; *ret_choice is untouched. */
int event_choice_parse(const struct profile *profile, const char *text,
		       struct event_choice *ret_choice, struct err *err);

#endif
