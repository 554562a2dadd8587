/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events of a profile to show, as the user typed them. */
#ifndef AGGREGATE_ACCOUNT_EVENT_CHOICE_H
#define AGGREGATE_ACCOUNT_EVENT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/profile.h"

struct event_choice {
	uint8_t events[PROFILE_MAX_EVENTS];
	bool named[PROFILE_MAX_EVENTS]; /* by its name, not by a glob */
	size_t count;
};

/* @text: "EVENT,...". Each EVENT is one of:
 * - a name as in the profile, which may contain commas
 * - such a name without its "@COUNT"
 * - a glob
 * Events are in the order typed, those of a glob in the order of the profile, each once. NULL: the
 * event that gives the times. -ENODATA: the profile has no such event; *ret_choice is untouched. */
int event_choice_parse(const struct profile *profile, const char *text,
		       struct event_choice *ret_choice, struct err *err);

#endif
