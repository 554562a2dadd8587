/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which texts of one key mean the same in two profiles. A text on both sides means itself, except
 * for functions, whose parts always count as one; other texts are compared by what survives a
 * rebuild, see aggregate/diff/rebuilt_name.h.
 */
#ifndef AGGREGATE_DIFF_REBUILT_MATCH_H
#define AGGREGATE_DIFF_REBUILT_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregate/keys.h"
#include "base/strpool.h"

enum diff_side {
	DIFF_OLD,
	DIFF_NEW,
	DIFF_SIDES,
};

/* Zero-initialised is empty; only the key must be set. */
struct rebuilt_match {
	const struct key *key;
	bool exact; /* texts mean only themselves */
	struct strpool texts;
	VEC(uint8_t) sides;	    /* by text: 1 << enum diff_side for each side that has it */
	VEC(str_id) meaning;	    /* by text, once settled */
	str_id command[DIFF_SIDES]; /* see rebuilt_match_command; 0: unknown */
};

/* Adds a text that @side has; returns its number. */
str_id rebuilt_match_add(struct rebuilt_match *match, const char *text, enum diff_side side);
/* Sets the text that stands for the command of a side, which may have another name on the other
 * side. */
void rebuilt_match_command(struct rebuilt_match *match, const char *text, enum diff_side side);
/* Call this after all texts were added: finds their meanings. */
void rebuilt_match_settle(struct rebuilt_match *match);
/* The meaning of a text: equal numbers mean the same. */
str_id rebuilt_match_meaning(const struct rebuilt_match *match, str_id text);
void rebuilt_match_done(struct rebuilt_match *match);

#endif
