/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Returns memory from the middle of an array to the kernel. The array keeps its indices and its
 * size; pages whose items are all empty are released and read as zeros.
 */
#ifndef BASE_PAGE_RELEASE_H
#define BASE_PAGE_RELEASE_H

#include <stdbool.h>
#include <stddef.h>

struct page_release {
	void *items;			    /* from malloc(3), not a mapped file */
	size_t count, size;		    /* the number of items, and the bytes of each */
	bool (*is_empty)(const void *item); /* all zero, and will stay so */
};

/* Call this after item @number became empty: releases its pages if all other items in them are
 * empty too. */
void page_release_item(const struct page_release *array, size_t number);

#endif
