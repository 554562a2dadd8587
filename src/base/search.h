/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searching in what is sorted. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>

/*
 * How many of the @count @items, from the first on, are before: @condition, which speaks of @item,
 * a pointer to one of them, holds for these and for none behind them. With a condition "<" that is
 * the index of the first that is not below a value, with "<=" of the first above it. @items may be
 * NULL when there are none.
 */
#define search_before(items, count, item, condition)                                        \
	({                                                                                  \
		typeof(&*(items)) search_items = (items);                                   \
		size_t search_low = 0, search_high = (count);                               \
                                                                                            \
		while (search_low < search_high) {                                          \
			size_t search_middle = search_low + (search_high - search_low) / 2; \
			typeof(search_items) item = &search_items[search_middle];           \
                                                                                            \
			if (condition)                                                      \
				search_low = search_middle + 1;                             \
			else                                                                \
				search_high = search_middle;                                \
		}                                                                           \
		search_low;                                                                 \
	})

#endif
