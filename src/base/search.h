/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search in sorted arrays. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>

/*
 * The number of leading items among the @count @items for which @condition holds; it must hold for
 * none after them. @condition is an expression in @item, a pointer to one item. With "<" the result
 * is the index of the first item not below a value, with "<=" of the first above it. @items may be
 * NULL if @count is 0.
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
