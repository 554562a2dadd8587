/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --sort: the order of a table's rows. */
#ifndef AGGREGATE_TABLES_ORDER_H
#define AGGREGATE_TABLES_ORDER_H

#include <stdbool.h>

#include "aggregate/keys.h"
#include "base/err.h"

struct table;

enum order_kind {
	ORDER_WEIGHT,  /* heaviest first */
	ORDER_SAMPLES, /* most samples first */
	ORDER_SELF,    /* heaviest self first, for inclusive tables */
	ORDER_KEY,     /* texts alphabetically, numbers ascending */
};

struct order_step {
	enum order_kind kind;
	const struct key *key; /* of ORDER_KEY */
};

/* Zero-initialised: heaviest first. */
struct order {
	struct order_step steps[KEYS_MAX];
	size_t count;
	bool reversed;
};

/* "symbol,samples": what to compare first, and what next if that is equal. -EINVAL and one line: a
 * word that is neither weight, samples, self nor a key, or a word given twice. @text may be
 * NULL. */
int order_parse(const char *text, bool reversed, struct order *ret_order, struct err *err);
/* Checks that a table by these keys can have this order. -EINVAL and one line: it lacks a key, or
 * `self` without an inclusive table. */
int order_check(const struct order *order, const struct key_list *keys, bool inclusive,
		struct err *err);
/* Sorts the rows of each event. Equal rows keep their order. */
void order_sort(const struct order *order, struct table *table);

#endif
