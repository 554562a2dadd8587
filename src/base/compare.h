/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing numbers, and the functions that order rows for qsort(). */
#ifndef BASE_COMPARE_H
#define BASE_COMPARE_H

/*
 * Below, equal to or above 0 as the number @a is below, equal to or above @b; both are evaluated
 * twice. Several keys are joined by "?:", the first one first. To put large numbers first, swap the
 * arguments.
 */
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines the function @name, which compares two items of @type: @order is an expression in @a and
 * @b, pointers to the items. */
#define DEFINE_ORDER(name, type, order)                      \
	static int name(const void *left, const void *right) \
	{                                                    \
		const type *a = left;                        \
		const type *b = right;                       \
                                                             \
		return order;                                \
	}

#endif
