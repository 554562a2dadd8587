/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of --by and --select: one table. A key gives each sample a value (a small number, equal
 * for samples that are alike in it), and each value a text. A new key is a row in keys.c.
 */
#ifndef AGGREGATE_KEYS_H
#define AGGREGATE_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregate/labels.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/profile.h"

enum { KEYS_MAX = 16 }; /* of one --by */

/* What is grouped and selected: a total of layer 2 or, with time and CPU, a sample of layer 1. */
struct point {
	struct total total;
	uint64_t time_ns; /* CLOCK_MONOTONIC; samples only, like cpu */
	uint16_t cpu;
};

enum key_kind {
	KEY_TEXT,   /* selected by glob */
	KEY_NUMBER, /* selected by number or range */
};

struct key {
	const char *name;
	const char *help; /* one line, for people */
	enum key_kind kind;
	unsigned uses; /* parts of a sample it needs: enum sample_field */
	bool closed;   /* the values are a fixed list of words */
	/* See keys_value; NULL if there is of_frame. */
	uint64_t (*value)(const struct labels *labels, const struct point *point);
	/* The value of any frame of the profile, for keys about code; a sample has the value of its
	 * innermost frame. NULL: the key is about something else. */
	uint64_t (*of_frame)(const struct labels *labels, uint32_t frame);
	/* Appends the text of a value. labels may be NULL for closed keys. */
	void (*text)(const struct labels *labels, uint64_t value, struct buf *buf);
	/* The same for a reader who sees the image next to it; NULL: as text. */
	void (*beside)(const struct labels *labels, uint64_t value, struct buf *buf);
	/* Appends a second text that --select accepts too; NULL: none. */
	void (*alias)(const struct labels *labels, uint64_t value, struct buf *buf);
	/* Appends a third one, if the value has it. NULL: none. */
	bool (*place)(const struct labels *labels, uint64_t value, struct buf *buf);
	/* The symbol that the text shows as a place, see labels_is_place; 0: the text is a name. NULL:
	 * no value has a place for its text, except those of stacks, which have some in it. */
	uint32_t (*placed)(const struct labels *labels, uint64_t value);
	/* The number that a value stands for; NULL: the value itself. KEY_NUMBER only. */
	uint64_t (*number)(const struct labels *labels, uint64_t value);
	/* What a selection compares instead of the number, in units of 1 / @parts; numbers in the
	 * selection may then have decimals. NULL: compare the number. */
	uint64_t (*measure)(const struct labels *labels, const struct point *point);
	uint64_t parts;
	/* Values are below this, except for rare ones of keys that are not closed; NULL: no bound.
	 * labels may be NULL for closed keys. */
	size_t (*bound)(const struct labels *labels);
};

struct key_list {
	const struct key *items[KEYS_MAX];
	size_t count;
};

/* All keys, ended by a row without a name. */
const struct key *keys_all(void);

/* The key of this name. NULL and one line, with the nearest key if one is near, if there is none;
 * @name need not be terminated. */
const struct key *keys_find(const char *name, size_t length, struct err *err);

/* "process,symbol" -> keys. -EINVAL: unknown, empty, given twice or too many. */
int keys_parse(const char *text, struct key_list *ret_list, struct err *err);

/* The same for an option other than --by; the error line names it. */
int keys_parse_of(const char *option, const char *text, struct key_list *ret_list, struct err *err);

/* Internal and not in the list: the exact stack, also where other stacks have the same names. */
const struct key *keys_stack_id(void);

uint64_t keys_value(const struct key *key, const struct labels *labels, const struct point *point);
bool keys_has(const struct key_list *list, const struct key *key);
/* Which parts of a sample these keys need: enum sample_field. */
unsigned keys_use(const struct key_list *list);
/* True if the keys need more than totals contain. */
bool keys_need_samples(const struct key_list *list);
/* True if the key's values are frames of the profile. */
bool keys_is_frame(const struct key *key);

#endif
