/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which texts of one key in two profiles mean the same. A text that is on both sides means itself,
 * but for functions, whose parts always count as one; the others are compared by what a rebuild
 * leaves of them, see aggregate/diff/rebuilt_name.h.
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

/* Zero-initialised is empty but for the key. */
struct rebuilt_match {
	const struct key *key;
	bool exact; /* texts mean themselves only */
	struct strpool texts;
	VEC(uint8_t) sides;	    /* by text: 1 << enum diff_side of those that have it */
	VEC(str_id) meaning;	    /* by text, once settled */
	str_id command[DIFF_SIDES]; /* see rebuilt_match_command; 0: not known */
};

/* The number of a text, which @side has. */
str_id rebuilt_match_add(struct rebuilt_match *match, const char *text, enum diff_side side);
/* A text that stands for the command of a side: what was profiled may be called differently on the
 * other one. */
void rebuilt_match_command(struct rebuilt_match *match, const char *text, enum diff_side side);
/* To be called when all texts were added: finds their meanings. */
void rebuilt_match_settle(struct rebuilt_match *match);
/* What a text means: equal numbers mean the same. */
str_id rebuilt_match_meaning(const struct rebuilt_match *match, str_id text);
void rebuilt_match_done(struct rebuilt_match *match);

#endif
