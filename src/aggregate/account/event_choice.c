/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/account/event_choice.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/cleanup.h"
#include "base/xalloc.h"

static const char *name_of(const struct profile *profile, size_t event)
{
	return profile_text(profile, profile->events[event].name);
}

static void add(struct event_choice *choice, size_t event, bool named)
{
	for (size_t i = 0; i < choice->count; i++) {
		if (choice->events[i] == event)
			return;
	}
	choice->named[choice->count] = named;
	choice->events[choice->count++] = (uint8_t)event;
}

/* Adds the event with the longest name that the text begins with, up to its end or a comma; 0:
 * none. */
static size_t add_name(struct event_choice *choice, const struct profile *profile, const char *text)
{
	size_t longest = 0, best = 0;

	for (size_t i = 0; i < profile->event_count; i++) {
		const char *name = name_of(profile, i);
		size_t length = strlen(name);

		if (length <= longest || strncmp(text, name, length) != 0 ||
		    (text[length] && text[length] != ','))
			continue;
		longest = length;
		best = i;
	}
	if (longest)
		add(choice, best, true);
	return longest;
}

/* "page-faults" also matches page-faults@100. */
static bool fits(const char *name, const char *glob)
{
	size_t length = strlen(glob);

	return fnmatch(glob, name, 0) == 0 ||
	       (strncmp(name, glob, length) == 0 && name[length] == '@');
}

/* Adds all events that match up to the next comma; 0: none. */
static size_t add_glob(struct event_choice *choice, const struct profile *profile, const char *text)
{
	size_t length = strcspn(text, ",");
	_cleanup_free_ char *glob = xstrdup(text);
	bool found = false;

	glob[length] = '\0';
	for (size_t i = 0; i < profile->event_count; i++) {
		if (!fits(name_of(profile, i), glob))
			continue;
		add(choice, i, !strpbrk(glob, "*?["));
		found = true;
	}
	return found ? length : 0;
}

int event_choice_parse(const struct profile *profile, const char *text,
		       struct event_choice *ret_choice, struct err *err)
{
	struct event_choice choice = { .events = { account_main_event(profile) },
				       .named = { true },
				       .count = 1 };
	const char *at = text;

	if (text)
		choice.count = 0;
	while (at) {
		size_t length = add_name(&choice, profile, at);

		if (!length)
			length = add_glob(&choice, profile, at);
		if (!length)
			return err_set(err, -ENODATA, "the profile has no event '%.*s'",
				       (int)strcspn(at, ","), at);
		at = at[length] ? at + length + 1 : NULL;
	}
	*ret_choice = choice;
	return 0;
}
