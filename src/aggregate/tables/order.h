/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --sort: in which order the rows of a table stand. */
#ifndef AGGREGATE_TABLES_ORDER_H
#define AGGREGATE_TABLES_ORDER_H

#include <stdbool.h>

#include "aggregate/keys.h"
#include "base/err.h"

struct table;

enum order_kind {
	ORDER_WEIGHT,  /* the heaviest first */
	ORDER_SAMPLES, /* those with most first */
	ORDER_SELF,    /* the heaviest itself first, of inclusive tables */
	ORDER_KEY,     /* the key's texts as a dictionary has them, its numbers ascending */
};

struct order_step {
	enum order_kind kind;
	const struct key *key; /* of ORDER_KEY */
};

/* Zero-initialised: the heaviest first. */
struct order {
	struct order_step steps[KEYS_MAX];
	size_t count;
	bool reversed;
};

/* "symbol,samples": what of rows is compared first, what where that is alike. -EINVAL and one line:
 * a word that is neither weight, samples, self nor a key; a word twice. @text may be NULL. */
int order_parse(const char *text, bool reversed, struct order *ret_order, struct err *err);
/* Can a table by these keys be put into this order? -EINVAL and one line: a key is none of them, or
 * `self` where tables are not inclusive. */
int order_check(const struct order *order, const struct key_list *keys, bool inclusive,
		struct err *err);
/* Sorts the rows of each event. Rows that are alike stay as they stood. */
void order_sort(const struct order *order, struct table *table);

#endif
