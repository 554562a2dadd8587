/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of --by and --select: one table. A key gives each sample a value (a small number that is
 * the same for all samples alike in it), and each value its text. A new key is a row in
 * key_table.c.
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
	unsigned uses; /* of a sample: enum sample_field */
	bool closed;   /* a list of words that is the same for every profile */
	uint64_t (*value)(const struct labels *labels, const struct point *point);
	/* The value of any frame of the profile, for keys that are about code; the value of a
	 * sample is that of its innermost frame. NULL: the key is about something else. */
	uint64_t (*of_frame)(const struct labels *labels, uint32_t frame);
	/* Appends the text of a value. labels may be NULL for closed keys. */
	void (*text)(const struct labels *labels, uint64_t value, struct buf *buf);
	/* The same for a reader who sees the image beside it; NULL: as text. */
	void (*beside)(const struct labels *labels, uint64_t value, struct buf *buf);
	/* Appends a second text that --select accepts as well; NULL: none. */
	void (*alias)(const struct labels *labels, uint64_t value, struct buf *buf);
	/* The number a value stands for; NULL: the value itself. KEY_NUMBER only. */
	uint64_t (*number)(const struct labels *labels, uint64_t value);
	/* What a selection compares instead of that, in parts of one of which there are @parts; its
	 * numbers may then have decimals. NULL: nothing else. */
	uint64_t (*measure)(const struct labels *labels, const struct point *point);
	uint64_t parts;
	/* Values are below this, but for odd ones of keys that are not closed; NULL: they may be
	 * any. labels may be NULL for closed keys. */
	size_t (*bound)(const struct labels *labels);
};

struct key_list {
	const struct key *items[KEYS_MAX];
	size_t count;
};

/* All keys, ended by a row without a name. */
const struct key *keys_all(void);

/* The key of this name. NULL and one line when there is none, with the nearest right one if any is
 * near; @name need not be terminated. */
const struct key *keys_find(const char *name, size_t length, struct err *err);

/* "process,symbol" -> keys. -EINVAL: unknown, empty, twice or too many. */
int keys_parse(const char *text, struct key_list *ret_list, struct err *err);

/* The same of another option than --by, which the line names. */
int keys_parse_of(const char *option, const char *text, struct key_list *ret_list, struct err *err);

/* Not in the list and not for people: the very stack, also where others have the same names. */
const struct key *keys_stack_id(void);

/* What of a sample tells the values of these keys: enum sample_field. */
unsigned keys_use(const struct key_list *list);
/* Is that more than totals know? */
bool keys_need_samples(const struct key_list *list);
/* Are the key's values frames of the profile? */
bool keys_is_frame(const struct key *key);

#endif
