/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/lru.h"

void lru_done(struct lru *lru)
{
	vec_free(&lru->links);
}

/* A thing that is not in the list is its own neighbour; so is item 0 of an empty list. */
static void make_link(struct lru *lru, uint32_t item)
{
	while (lru->links.count <= item) {
		uint32_t own = (uint32_t)lru->links.count;

		*vec_push(&lru->links) = (struct lru_link){ own, own };
	}
}

static void join(struct lru *lru, uint32_t older, uint32_t newer)
{
	lru->links.items[older].newer = newer;
	lru->links.items[newer].older = older;
}

static void take_out(struct lru *lru, uint32_t item)
{
	const struct lru_link *link = &lru->links.items[item];

	join(lru, link->older, link->newer);
	join(lru, item, item);
}

void lru_use(struct lru *lru, uint32_t thing)
{
	uint32_t item = thing + 1;

	make_link(lru, item);
	take_out(lru, item);
	join(lru, lru->links.items[0].older, item);
	join(lru, item, 0);
}

void lru_remove(struct lru *lru, uint32_t thing)
{
	if (thing + 1 < lru->links.count)
		take_out(lru, thing + 1);
}

uint32_t lru_oldest(const struct lru *lru)
{
	uint32_t item = lru->links.count ? lru->links.items[0].newer : 0;

	return item - 1;
}
